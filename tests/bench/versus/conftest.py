"""Programs of a user, as text in a temporary folder, and processes that serve them."""

import sys

import pytest

from bench.driver import orphans, processes
from bench.versus import measuring
from bench.versus.choosing import Choice

STEP = "def step():\n    return float(sum(range(2000)))\n"


@pytest.fixture(autouse=True)
def own_calls(monkeypatch, tmp_path):
    monkeypatch.setattr(orphans, "CALLS", str(tmp_path / "calls"))


@pytest.fixture
def program(tmp_path):
    """Return a function that writes a script and returns how it is started."""

    def write(source=STEP, letter="a", name="", **fields):
        path = tmp_path / (name or f"{letter}.py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)
        return Choice(letter, str(path), sys.executable, "", {}, "", [], source)._replace(**fields)

    return write


@pytest.fixture
def setup_of(tmp_path):
    """Return a function that makes the setup of a short comparison."""

    def make(*choices, **fields):
        said = []
        setup = measuring.Setup(choices, str(tmp_path), 1.0, 30.0, True, said.append)
        return setup._replace(**fields)

    return make


@pytest.fixture
def served(setup_of):
    """Return a function that serves a request about a program, with some turns, and returns the reply."""

    def serve(choice, request="measure", turns=3, **fields):
        setup = setup_of(choice, **fields)
        worker = measuring.start(request, choice, setup)
        if request == "measure" and worker.heard(setup.timeout_s):
            for _ in range(turns):
                worker.say(b"")
                worker.heard(setup.timeout_s)
        return measuring.finish(worker, setup.timeout_s)

    yield serve
    processes.close_all()
