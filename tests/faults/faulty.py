"""A bench with injected faults, and what remains of it afterwards."""

import os
import subprocess
import time
from pathlib import Path

from running import ROOT, Bench

from bench.driver import orphans
from bench.results import records
from bench.results.lines import Run

HERE = Path(__file__).parent
# A campaign of few short runs that can be killed and resumed: two competitors, two rounds.
PLAIN = ("--profile", "smoke", "--rounds", "2", "--budget", "1h", "--workload", "mnist_mlp", "--mode", "plain",
         "--no-table")  # fmt: skip
RUNS = 4  # of a campaign
ALIVE = 2  # runs at the same time in turns: a kill costs at most these
RECORDED = "         faulty"  # the beginning of the line that reports a recorded run


class FaultyBench(Bench):
    """A bench of the framework in tests/faults/frameworks; `log` gets a line for each run that is started."""

    def __init__(self, folder, names=("faulty-a", "faulty-b")):
        super().__init__(folder, str(HERE / "frameworks"), names)
        self.log = folder / "log"
        self.environment["FAULTY_LOG"] = str(self.log)

    def start(self, *words):
        """Start `run` with its messages in the pipe `stderr`."""
        return subprocess.Popen(
            self.command("run", *words),
            cwd=ROOT, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def killed_in_the_middle(self):
        """Start a campaign, kill its bench as soon as its first run is recorded, and return its file."""
        process = self.start(*PLAIN)
        wait_for(RECORDED, process)
        process.kill()
        process.communicate()
        (path,) = self.results.glob("*.jsonl")
        return path

    def lines(self):
        """Return the records of every campaign, oldest first. Reading fails if a line is broken."""
        return [records.read(str(path)) for path in sorted(self.results.glob("*.jsonl"))]

    def runs(self):
        return [line for campaign in self.lines() for line in records.of_class(campaign, Run)]

    def started(self):
        """Return how many runs were started, recorded or not."""
        return self.log.read_text().count("\n") if self.log.exists() else 0

    def left_behind(self):
        """Return the processes that calls of this bench started and that still run."""
        return [number for number, call in marked() if call.startswith(str(self.folder))]

    def children(self):
        """Return the processes that a worker started by its adapter's `_child`."""
        return [number for number in self.left_behind() if b"SIG_IGN" in command(number)]


def command(number):
    """Return a process's command line; nothing if it has ended."""
    try:
        return Path("/proc", str(number), "cmdline").read_bytes()
    except OSError:
        return b""


def marked():
    """Yield (process, folder of its call) of every worker on this machine, and of all that workers started."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            variables = Path("/proc", name, "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        for variable in variables:
            if variable.startswith(orphans.MARK.encode() + b"="):
                yield int(name), os.fsdecode(variable).partition("=")[2]


def wait_for(line, process):
    """Read the output of a bench until a line begins with `line`."""
    for text in process.stderr:
        if text.startswith(line):
            return
    raise AssertionError(f"the bench ended with exit code {process.wait()} and never printed {line!r}")


def key(run):
    return run.case.id, run.round


def until(condition, within_s=60.0):
    """Wait until a condition is true; fail if it is not within a time."""
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, "the condition is still false"
        time.sleep(0.02)
