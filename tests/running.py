"""A bench in its own folder, run by the command line as by a user."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


class Bench:
    """Runs `python -m bench` in its own folder, as if on its own machine."""

    def __init__(self, folder, frameworks, names):
        self.folder, self.frameworks, self.names = folder, frameworks, names
        self.results = folder / "results" / "test"
        quiet = str(ROOT / "tests" / "machines" / "quiet")  # its psutil, so that nothing here makes a round void
        self.environment = dict(
            os.environ, BENCH_STATE=str(folder / "state"), BENCH_NODE=str(folder), PYTHONPATH=quiet
        )  # fmt: skip

    def command(self, verb, *words):
        where = ["--frameworks", self.frameworks]
        if verb in ("run", "check", "parity", "controls"):
            where += ["--answers", str(self.folder / "answers"), "--threads", "1"]
            where += [f"--python={name}={sys.executable}" for name in self.names]
        if verb in ("run", "controls"):
            where += ["--results", str(self.folder / "results"), "--machine", "test"]
        return [sys.executable, "-m", "bench", verb, *where, *words]

    def __call__(self, verb, *words, expect=0):
        done = subprocess.run(
            self.command(verb, *words),
            cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == expect, done.stdout + done.stderr
        return done


HOLD = """
import sys
from bench.driver import lock
with lock.locked(sys.argv[1], "", sys.argv[2]) if len(sys.argv) > 1 else lock.machine():
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(*place):
    """Start a process that holds a lock until its stdin is closed, or it is killed.

    The lock is a file, given by its folder and its name, or the machine's.
    """
    process = subprocess.Popen([sys.executable, "-c", HOLD, *map(str, place)], cwd=ROOT, text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    assert process.stdout.readline() == "held\n"
    return process
