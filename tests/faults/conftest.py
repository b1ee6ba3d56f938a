"""Two ways to inject a fault: into a bench, or into one call of a program that misbehaves."""

import sys

import pytest
from faulty import FaultyBench, marked

from bench import registry
from bench.driver import orphans, processes
from bench.replies import Request

ENVIRONMENT = next(iter(registry.environments().values()))


@pytest.fixture
def faulty(tmp_path):
    """A bench of the framework in tests/faults/frameworks, in a temporary folder."""
    return FaultyBench(tmp_path)


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Call a program, given as Python code, in place of a worker; `folder` in it is the test's."""
    monkeypatch.setattr(orphans, "CALLS", str(tmp_path / "calls"))

    def make(code, timeout_s=60.0, python=None):
        program = tmp_path / "program"
        begin = f"import json, os, signal, subprocess, sys, time\nfolder = {str(tmp_path)!r}\n"
        program.write_text(f"#!{sys.executable} -S\n{begin}{code}")
        program.chmod(0o755)
        request = Request("probe", ENVIRONMENT.name, "", 1)
        return processes.call(python or str(program), ENVIRONMENT, request, timeout_s, "")

    make.left_behind = lambda: [number for number, name in marked() if name.startswith(str(tmp_path))]
    make.folder = tmp_path
    return make
