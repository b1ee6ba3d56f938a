"""Fixtures and options of all tests: the NumPy framework, and the real environments to test in."""

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest
from running import Bench
from tally import Tally

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))


def pytest_addoption(parser):
    parser.addoption("--python", action="append", default=[], help="ENVIRONMENT=PATH of an installed environment")
    parser.addoption("--absent", action="append", default=[], help="ENVIRONMENT=REASON of a missing environment")
    parser.addoption("--tally", metavar="FILE", help="write the outcome of each test there, as JSON")
    parser.addoption("--shots", metavar="FOLDER", help="keep a picture of each view of the built site there")


def pytest_configure(config):
    path = config.getoption("--tally")
    if path and not hasattr(config, "workerinput"):  # a process of xdist reports to the one that started it
        config.pluginmanager.register(Tally(path))


@pytest.fixture(scope="session")
def frameworks():
    """The folder of the framework that needs only NumPy."""
    return str(ROOT / "tests" / "numpy_framework")


@pytest.fixture(scope="session")
def answered(tmp_path_factory, frameworks):
    """A folder with parity answers of the two correct NumPy environments, made once for all processes of xdist."""
    from bench.driver.lock import locked

    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with locked(str(shared), "", say=str):
        if not (shared / "answers").exists():
            bench = Bench(tmp_path_factory.mktemp("answered"), frameworks, ("numpy-a", "numpy-b"))
            bench("parity", "--workload", "mnist_mlp", "--mode", "plain")
            (bench.folder / "answers").rename(shared / "answers")
    return shared / "answers"


@pytest.fixture
def bench(tmp_path, frameworks, answered):
    """Run `python -m bench` in a temporary folder with two NumPy environments, which have proven parity."""
    shutil.copytree(answered, tmp_path / "answers")
    return Bench(tmp_path, frameworks, ("numpy-a", "numpy-b"))


@pytest.fixture
def three(tmp_path, frameworks):
    """Run `python -m bench` in a temporary folder with the NumPy environment that has a bug too, and no answers."""
    return Bench(tmp_path, frameworks, ("numpy-a", "numpy-b", "numpy-wrong"))


@pytest.fixture
def interruptible():
    """Let an interrupt raise KeyboardInterrupt, also if tests run in the background, where it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
