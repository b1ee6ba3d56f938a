"""Real environments, as `nox -s environments` names them: --python ENVIRONMENT=PATH and --absent ENVIRONMENT=REASON."""

import json

import pytest
from within import THREADS, TIMEOUT_S, pythons

from bench import proof, registry
from bench.driver import processes
from bench.driver.lock import locked


def pytest_generate_tests(metafunc):
    """Give `environment` each environment that was asked for: an absent one is a skip with its reason."""
    if "environment" not in metafunc.fixturenames:
        return
    here = pythons(metafunc.config)
    absent = dict(item.split("=", 1) for item in metafunc.config.getoption("--absent"))
    parameters = []
    for name in [*here, *(each for each in absent if each not in here)]:
        marks = [] if name in here else [pytest.mark.skip(reason=absent[name])]
        parameters.append(pytest.param((registry.environment(name), here.get(name)), id=name, marks=marks))
    metafunc.parametrize("environment", parameters)


def pytest_collection_modifyitems(items):
    """Begin with tests that take minutes: if one were the last, all other workers would wait for it."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
    for item in items:  # of all folders, if all are collected
        given = item.callspec.params.get("environment") if hasattr(item, "callspec") else None
        if item.get_closest_marker("environment") and isinstance(given, tuple):  # not where none is named
            item.user_properties.append(("environment", given[0].name))


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """Return a folder that all processes of this test run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if own.name.startswith("popen-") else own  # each worker of xdist has a folder below it


@pytest.fixture
def cache(environment, shared):
    """Return the folder where an environment's compiler keeps what it made, for all tests of the environment."""
    folder = shared / "caches" / environment[0].name
    folder.mkdir(parents=True, exist_ok=True)  # before a process starts, as the bench does
    return str(folder)


@pytest.fixture
def ask(environment, cache):
    """Serve one request inside the environment and return the reply, which must be right or may be a skip."""
    row, python = environment

    def serve(request, *, may_skip=False, **changes):
        request = {"threads": THREADS, "frameworks": registry.FRAMEWORKS, "device": "cpu",
                   "precision": "fp32", **changes, "request": request}  # fmt: skip
        if request["request"] == "answer":
            request.update(questions(row, request, serve("probe")["loaded"]))
        reply = processes.call(python, row, request, TIMEOUT_S, cache)
        if may_skip and reply["status"] == "unsupported":
            pytest.skip(reply["reason"])
        assert reply["status"] == "ok", reply
        return reply

    return serve


def questions(row, request, loaded):
    """Return what the answers to a request are about, as the driver says it."""
    own = registry.environment(row.name, request["frameworks"])
    subjects = [proof.Subject(*each) for each in request["subjects"]]
    return {"loaded": loaded, "about": [proof.about(each, own, loaded) for each in subjects]}


@pytest.fixture
def probed(environment, ask, shared):
    """Return the reply to `probe`, which an environment is asked once in this test run."""
    path = shared / f"probe-{environment[0].name}.json"
    with locked(str(shared), "", f"probe-{environment[0].name}.lock", print):
        if not path.exists():
            path.write_text(json.dumps(ask("probe")), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def measure(environment, cache):
    """Measure a case inside the environment with three turns, and return the reply, which must be right."""
    row, python = environment

    def serve(case, data=None, may_skip=False, frameworks=registry.FRAMEWORKS):
        request = {"request": "measure", "case": case._asdict(), "profile": "smoke", "seed": 1, "is_first": True,
                   "threads": THREADS, "frameworks": frameworks, "data": data}  # fmt: skip
        worker = processes.Worker(python, row, request, cache)
        for _ in range(1 + 3):  # after the import, and for three turns
            if worker.heard(TIMEOUT_S):
                worker.say(b"")
        worker.heard(TIMEOUT_S)
        reply = worker.finish(TIMEOUT_S)
        if may_skip and reply["status"] == "unsupported":
            pytest.skip(reply["reason"])
        assert reply["status"] == "ok", reply
        return reply

    return serve
