"""The verb `versus`: choose interpreters, measure, judge, report."""

import argparse
import sys

from bench.driver import lock, orphans, processes
from bench.versus import choosing, comparison, measuring, remedies, report


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
            found = comparison.document(choices, measuring.measure(setup))
            if arguments.tries:
                remedies.try_remedies(found, setup)
    except KeyboardInterrupt:
        processes.close_all()
        _say("\nInterrupted: all processes of the programs have ended, and nothing was written.")
        return 130
    report.write(found, arguments)
    return 0


def _say(text: str) -> None:
    """Print progress to the error stream, so that --json stays clean."""
    print(text, file=sys.stderr, flush=True)
