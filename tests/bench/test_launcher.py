"""A program of another language starts an environment's Python: R embeds it."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from bench import machine, proof, registry
from bench.driver import processes
from bench.replies import Request

ROW = registry.environment("keras-2.1-r")
LOADED = {"keras": "2.1.1", "tensorflow": "1.4.1"}


def test_a_launcher_gets_the_words_that_usually_start_a_worker(tmp_path):
    (tmp_path / "launch.sh").write_text(f'echo "$$ $@" > {tmp_path}/words', encoding="utf-8")
    row = ROW._replace(folder=str(tmp_path), launcher=["sh", "-e", "launch.sh"])
    worker = processes.Worker("python", row, Request("probe", row.name, "", 1))
    path = os.path.join(worker.folder, "request.json")
    number = worker.number
    assert worker.finish(60).status == "failed"
    assert (tmp_path / "words").read_text(encoding="utf-8") == f"{number} python -m bench.worker {path}\n"


@pytest.mark.skipif(machine.missing_packages(ROW.system) is not None, reason="R or reticulate is not installed")
def test_a_python_without_a_shared_library_is_a_reason_that_says_what_to_do(tmp_path):
    """A copied interpreter is asked where its library lies, and names a folder without one."""
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{sys.executable} \"$@\" | sed 's#: /.*#: /nowhere#'\n", encoding="utf-8")
    python.chmod(0o755)
    reply = processes.call(str(python), ROW, Request("probe", ROW.name, "", 1), 60, "")
    assert reply.status == "unsupported"
    assert "Python shared library not found" in reply.reason
    assert "PYTHON_CONFIGURE_OPTS=--enable-shared pyenv install 3.6.15" in reply.reason


def test_a_proof_holds_the_steps_that_r_makes_and_proofs_of_other_rows_do_not(tmp_path):
    folder = tmp_path / "keras2"
    shutil.copytree(ROW.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))

    def proofs():
        rows = registry.environments(str(tmp_path))
        return [proof.proof_hash("cifar10_cnn", rows[name], LOADED) for name in (ROW.name, "keras-2.1")]

    before, path = proofs(), Path(folder, "steps.R")
    path.write_text(path.read_text(encoding="utf-8").replace("(x, y)", "(0 * x, y)"), encoding="utf-8")
    after = proofs()
    assert before[0] != after[0]
    assert before[1] == after[1]
