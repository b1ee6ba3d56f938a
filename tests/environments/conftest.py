"""Real environments, as `nox -s contract` names them: --python ENVIRONMENT=PATH and --absent ENVIRONMENT=REASON."""

import pytest
from within import THREADS

from bench import processes, registry

TIMEOUT_S = 900.0


def pytest_generate_tests(metafunc):
    """Give `environment` each known environment: an absent one is a skip with its reason."""
    if "environment" not in metafunc.fixturenames:
        return
    pythons = dict(item.split("=", 1) for item in metafunc.config.getoption("--python"))
    absent = dict(item.split("=", 1) for item in metafunc.config.getoption("--absent"))
    parameters = []
    for name, environment in registry.environments().items():
        reason = absent.get(name, "not named by --python")
        marks = [] if name in pythons else [pytest.mark.skip(reason=reason)]
        parameters.append(pytest.param((environment, pythons.get(name)), id=name, marks=marks))
    metafunc.parametrize("environment", parameters)


def pytest_collection_modifyitems(items):
    """Begin with what takes minutes: were it the last, all other workers would wait for it."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture
def cache(environment, tmp_path_factory):
    """Return the folder where an environment's compiler keeps what it made: tests that ask for the same share it."""
    return str(tmp_path_factory.getbasetemp() / "caches" / environment[0].name)


@pytest.fixture
def ask(environment, cache):
    """Serve one request inside the environment and return the reply, which must be right or may be a skip."""
    row, python = environment

    def serve(request, *, may_skip=False, **changes):
        request = {"threads": THREADS, "frameworks": registry.FRAMEWORKS, "device": "cpu",
                   "precision": "fp32", **changes, "request": request}  # fmt: skip
        reply = processes.call(python, row, request, TIMEOUT_S, cache)
        if may_skip and reply["status"] == "unsupported":
            pytest.skip(reply["reason"])
        assert reply["status"] == "ok", reply
        return reply

    return serve


@pytest.fixture
def measure(environment, cache):
    """Measure a case inside the environment with three turns, and return the reply, which must be right."""
    row, python = environment

    def serve(case, data=None, may_skip=False):
        request = {"request": "measure", "case": case._asdict(), "profile": "smoke", "seed": 1, "is_first": True,
                   "threads": THREADS, "frameworks": registry.FRAMEWORKS, "data": data}  # fmt: skip
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
