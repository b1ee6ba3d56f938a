"""How a test asks an environment: with as many threads as it has cores, while other tests run beside it."""

import json
import os
import shutil
import subprocess

import pytest

from bench import machine, registry
from bench.cases import Selection, select
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


def lightest(row, task):
    """Return the lightest case of a task among the small networks that an environment answers: none is compulsory.

    In the first of its modes that has the task.
    """
    asked = Selection(environments=[row.name], tasks=[task], examples=300, first_only=True)
    known = small(row)
    for case in select(asked, {row.name: "cpu"}):
        if case.workload in known:
            return case
    return pytest.skip(f"{row.title} answers no small network that has the task {task}")


def printed(done):
    """Return what a script inside an environment has printed last."""
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def planted(row, folder, files, replacements):
    """Copy the environment's framework folder with a bug planted; returns the folder of frameworks."""
    target = folder / os.path.basename(row.folder)
    shutil.copytree(row.folder, target)
    found = 0
    for name in files(target):
        text = name.read_text()
        for right, wrong in replacements.items():
            found += text.count(right)
            text = text.replace(right, wrong)
        name.write_text(text)
    assert found, f"none of {list(replacements)} is in {row.folder}: the bug could not be planted"
    return str(folder)


def adapters(folder):
    """Return a framework's files without its model files: its adapter, and what lies beside it."""
    return [path for path in folder.glob("*.py") if path.stem not in registry.workload_names()]
