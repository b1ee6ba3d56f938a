"""SIGTERM ends a process as Ctrl-C does, once, and whichever process of a job gets it first."""

import os
import signal
import subprocess
import sys
import time

import pytest
from faulty import PLAIN, RECORDED, wait_for
from running import ROOT

CODE = """
import os, signal, sys
from bench.driver import termination
termination.install()
try:
    os.kill(os.getpid(), signal.SIGTERM)
except KeyboardInterrupt as interrupt:
    os.kill(os.getpid(), signal.SIGTERM)
    sys.exit(termination.exit_code(interrupt))
"""


def test_a_second_sigterm_does_not_disturb_the_clean_up_after_the_first():
    assert subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, check=False).returncode == 143


@pytest.mark.fault
def test_if_the_workers_of_a_job_are_signalled_before_the_bench_no_run_is_recorded_as_killed(faulty):
    process = faulty.start(*PLAIN)
    wait_for(RECORDED, process)
    while not (workers := faulty.left_behind()):
        time.sleep(0.02)
    for number in workers:
        os.kill(number, signal.SIGTERM)
    time.sleep(0.8)
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 143
    assert {run.status for run in faulty.runs()} == {"ok"}
