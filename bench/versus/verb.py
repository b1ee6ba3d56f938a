"""The verb `versus`: choose interpreters, measure, judge, report."""

import argparse
import os
import sys

from bench import machine
from bench.driver import lock, orphans, processes, termination
from bench.versus import choosing, comparison, measuring, remedies, report

BUSY_SHARE = 0.5  # of the cores that other programs use
LOOK_S = 0.5


def do_versus(arguments: argparse.Namespace) -> int:
    """Measure, judge and report; return the exit code."""
    choices = choosing.choose(arguments)
    setup = measuring.Setup(
        choices, arguments.folder, arguments.budget or measuring.BUDGET_S, arguments.timeout or measuring.TIMEOUT_S,
        not arguments.no_causes, _say,
    )  # fmt: skip
    try:
        with lock.alone(say=_say):
            orphans.clear()
            busy = _warn_if_busy()
            found = comparison.document(choices, measuring.measure(setup), busy)
            if arguments.tries:
                remedies.try_remedies(found, setup)
    except KeyboardInterrupt as interrupt:
        processes.close_all()
        _say("\nInterrupted: all processes of the programs have ended, and nothing was written.")
        return termination.exit_code(interrupt)
    report.write(found, arguments)
    return 0


def _warn_if_busy() -> str:
    """Say so, and return it, if other programs use this machine: times are longer then, and rounds differ more."""
    used, cores = _used_cores(), machine.cores()
    if used <= BUSY_SHARE * cores:
        return ""
    text = f"Other programs used {used:.1f} of this machine's {cores} cores at the beginning."
    _say(f"{text} Times are longer then, and a decision needs more rounds. Better end them first.")
    return text


def _used_cores() -> float:
    """Return how many cores are used now, by psutil; without it, the mean of the last minute, which reacts late."""
    try:
        import psutil
    except ImportError:
        return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return float(psutil.cpu_percent(interval=LOOK_S)) / 100 * float(psutil.cpu_count())


def _say(text: str) -> None:
    """Print progress to the error stream, so that --json stays clean."""
    print(text, file=sys.stderr, flush=True)
