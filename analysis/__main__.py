"""Conclude from measured results.

  python -m analysis summary               the ranking of each question, in the terminal
  python -m analysis summary my-results    the same of another results folder
  python -m analysis controls              which controls of the measurement pass, in the terminal
  python -m analysis site                  the generated part of the website: pages, tables, figures

`nox -s docs` runs the last and builds the site. Nothing here measures: that is `nox -s bench`.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from analysis import inputs
from bench.errors import BenchError

RESULTS = inputs.ROOT / "results"


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser; its help teaches."""
    top = argparse.ArgumentParser(
        "python -m analysis", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="summary | controls | site")
    summary = commands.add_parser("summary", help="print rankings, intervals and reasons for what is missing")
    summary.add_argument("results", nargs="?", type=Path, default=RESULTS, help="results folder (default: results)")
    summary.add_argument("--campaign", help="a campaign's name (default: the newest finished one of each machine)")
    controls = commands.add_parser("controls", help="print which controls pass, with what came")
    controls.add_argument("results", nargs="?", type=Path, default=RESULTS, help="results folder (default: results)")
    site = commands.add_parser(
        "site", help="write the generated pages; files whose bytes stay the same are not touched"
    )
    site.add_argument("results", nargs="?", type=Path, default=RESULTS, help="results folder (default: results)")
    site.add_argument("--output", type=Path, default=inputs.OUTPUT, help="default: docs/generated")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; an error of this project is one line, not a traceback."""
    options = parser().parse_args(arguments)
    try:
        return {"summary": _summary, "controls": _controls, "site": _site}[options.command](options)
    except BenchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _summary(options: argparse.Namespace) -> int:
    from analysis.summary import summary
    from analysis.table import read_results

    print(summary(read_results(options.results, options.campaign)))
    return 0


def _controls(options: argparse.Namespace) -> int:
    from analysis import control

    judged = control.judge_all(options.results)
    for machine, each in judged.items():
        print(machine)
        for name, one in each.items():
            print(f"  {one.verdict:7}{control.about(control.found()[name]).title}\n         {one.finding}")
    if not judged:
        print("No control has been measured yet: nox -s controls")
    return 0


def _site(options: argparse.Namespace) -> int:
    from analysis.site import write

    before = inputs.digest()
    for line in write(options.results, options.output):
        print(line)
    if (options.results, options.output) == (RESULTS, inputs.OUTPUT):
        inputs.remember(before)  # an input that changed meanwhile is seen by the next build
    return 0


if __name__ == "__main__":
    sys.exit(main())
