"""Shared by all tests: where the fake framework lies, and which real environments to test in."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))


def pytest_addoption(parser):
    parser.addoption("--python", action="append", default=[], help="ENVIRONMENT=PATH of an installed environment")
    parser.addoption("--absent", action="append", default=[], help="ENVIRONMENT=REASON of one that is not")


@pytest.fixture(scope="session")
def frameworks():
    """The folder of the framework that needs nothing but NumPy."""
    return str(ROOT / "tests" / "numpy_framework")


@pytest.fixture
def bench(tmp_path, frameworks):
    """Run `python -m bench` with the NumPy framework, its results and answers in a temporary folder."""
    import subprocess

    names = ("numpy-a", "numpy-b", "numpy-wrong")

    def command(verb, *words):
        where = ["--frameworks", frameworks]
        if verb in ("run", "parity", "controls"):
            where += ["--answers", str(tmp_path / "answers"), "--threads", "1"]
            where += [f"--python={name}={sys.executable}" for name in names]
        if verb in ("run", "controls"):
            where += ["--results", str(tmp_path / "results"), "--machine", "test"]
        return [sys.executable, "-m", "bench", verb, *where, *words]

    environment = dict(os.environ, BENCH_STATE=str(tmp_path / "state"))

    def call(verb, *words, expect=0):
        done = subprocess.run(
            command(verb, *words), cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == expect, done.stdout + done.stderr
        return done

    call.command = command
    call.environment = environment
    call.results = tmp_path / "results" / "test"
    return call
