"""SIGTERM ends a process as Ctrl-C does, once."""

import subprocess
import sys

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
