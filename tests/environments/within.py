"""How a test asks an environment: with as many threads as it has cores, while other tests run beside it."""

import os
import subprocess

from bench import machine, registry
from bench.driver import variables

TIMEOUT_S = 900.0
THREADS = max(1, machine.cores() // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def pythons(config):
    """Return the interpreter of each environment that `--python` names."""
    words = (word.split("=", 1) for word in config.getoption("--python"))
    return {name: os.path.abspath(python) for name, python in words}  # a process starts in a folder of its own


def inside(row, python, folder, cache, *words):
    """Run Python inside an environment; returns the finished process. The folder `cache` must exist."""
    started = variables.started(row, THREADS, str(cache))
    return subprocess.run([python, *words], env=started, cwd=folder, capture_output=True, text=True, check=False)


def small(row):
    """Return the workloads that an environment answers, without the large networks."""
    return [name for name in registry.answered(row) if not registry.is_large(name)]
