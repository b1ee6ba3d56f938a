"""Real environments, as `nox -s environments` names them: --python ENVIRONMENT=PATH and --absent ENVIRONMENT=REASON."""

import json

import pytest
from within import THREADS, TIMEOUT_S, pythons

from bench import proof, registry
from bench.driver import processes
from bench.driver.lock import locked
from bench.replies import Answer, Measure, Probed, Request


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

    def serve(kind, work=None, frameworks=registry.FRAMEWORKS, precision="fp32", mode=""):
        request = Request(kind, row.name, frameworks, THREADS, "cpu", precision, mode, work)
        reply = processes.call(python, row, request, TIMEOUT_S, cache)
        assert reply.status == "ok", reply
        return reply

    return serve


@pytest.fixture
def save_answers(environment, ask):
    """Let the environment answer parity questions about one program into a folder, as the driver asks them."""

    def serve(subjects, folder, frameworks=registry.FRAMEWORKS, precision="fp32"):
        own, loaded = registry.environment(environment[0].name, frameworks), ask("probe").probed.loaded
        about = [proof.about(subject, own, loaded) for subject in subjects]
        ask("answer", Answer(subjects, about, loaded, str(folder)), frameworks, precision, subjects[0].mode)

    return serve


@pytest.fixture
def probed(environment, ask, shared):
    """Return the reply to `probe`, which an environment is asked once in this test run."""
    path = shared / f"probe-{environment[0].name}.json"
    with locked(str(shared), "", f"probe-{environment[0].name}.lock", print):
        if not path.exists():
            path.write_text(json.dumps(ask("probe").probed), encoding="utf-8")
    return Probed(*json.loads(path.read_text(encoding="utf-8")))


@pytest.fixture
def measure(environment, cache):
    """Measure a case inside the environment with three turns, and return what was measured, which must be right."""
    row, python = environment

    def serve(case, data="", may_skip=False, frameworks=registry.FRAMEWORKS):
        work = Measure(case, "smoke", 1, True, data)
        request = Request("measure", row.name, frameworks, THREADS, case.device, case.precision, case.mode, work)
        worker = processes.Worker(python, row, request, cache)
        for _ in range(1 + 3):  # after the import, and for three turns
            if worker.heard(TIMEOUT_S):
                worker.say(b"")
        worker.heard(TIMEOUT_S)
        reply = worker.finish(TIMEOUT_S)
        if may_skip and reply.status == "unsupported":
            pytest.skip(reply.reason)
        assert reply.status == "ok", reply
        return {**reply.measured, "duration_s": reply.duration_s}

    return serve
