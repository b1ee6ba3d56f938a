"""Conclude from measured results.

  python -m analysis summary               the ranking of each question, in the terminal
  python -m analysis summary my-results    the same of another results folder
  python -m analysis precision             how many pairs are settled, how narrow their intervals are, and at what cost
  python -m analysis precision --replayed  how often a campaign contradicts the intervals that all others give
  python -m analysis precision --simulated what so many rounds and campaigns can tell (three minutes)
  python -m analysis verify                is this machine as fast as published? (of what `nox -s verify` measured)
  python -m analysis lessons               what others claimed, and what we expected: what holds here, and why
  python -m analysis controls              which controls of the measurement pass, in the terminal
  python -m analysis check                 can these results be contributed? (what `nox -s check-results` asks)
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
AS_WRITTEN = argparse.RawDescriptionHelpFormatter  # what teaches has its own lines

VERIFY = """Say whether a machine is as fast as published: within the published band, faster, or slower by how much.

  nox -s verify                            install, measure a short selection (about 10 minutes), and tell
  nox -s "verify(jax)"                     the same of one environment
  nox -s verify -- --budget 20m            more rounds, narrower bands

Without Nox, in an interpreter with a framework, NumPy, SciPy and pandas:

  python -m bench run --short --results .bench/verify
  python -m analysis verify .bench/verify

A case is compared with what is published of it on the same GPU or, on a CPU, on the same processor with as many CPUs
and threads; in the same versions of the framework, and by the same code. Everything else is told as "no reference",
with the reason; where it is the versions or the code, the nearest is shown for information, without a verdict.
`python -m analysis summary .bench/verify` shows what was measured all the same.

Exit code: 0 within the bands, faster, or no reference; 1 something is clearly slower than published, so that a script
can act; 2 nothing was measured, or an option is wrong. Nox ends with 1 in both cases.
"""

PRECISION = """Say how much the rounds settled: of the pairs of competitors, how many claims, and at what cost.

  python -m analysis precision                  by machine, workload and threads, and in all: every mode
  python -m analysis precision --default-modes  default modes of today's versions alone
  python -m analysis precision my-results       the same of another results folder
  python -m analysis precision --json           for a script
  python -m analysis precision --replayed       how often a campaign contradicts the intervals that all others give
  python -m analysis precision --simulated      what so many rounds and campaigns can tell (three minutes)

A pair is two competitors that share a round of one question. It is *claimed* when one of the two is claimed to be
faster, *equivalent* when it is within 2 %, else *unresolved* (docs/method.md has the rules). *Beyond 5 %* are the pairs
whose ratio is larger than 1.05: those that a reader would want to have settled, and how many of them are. A half-width
is how far a 99 % interval reaches to one side. Seconds are those of the processes whose times stand, from start to end.
Where much is unresolved, more rounds help: `nox -s bench` adds to what was measured by the same code and versions.
"""

CHECK = """Check results before they are contributed: no GPU, no server, a minute or two.

  nox -s check-results                             what differs from main, else all results
  nox -s check-results -- results/my-machine       a folder, or a file
  nox -s check-results -- --preview                and build the site with them in it

Every line is read as the site reads it. Checked are the schema with its units and names, parity proofs against the code
that the results name, plausibility against the machine's ceilings, copies, what tells whose machine it was, sizes and
places, and, where controls were measured on the machine, the A/A band. Every finding says file and line, what was
expected, what came, and what to do.

Exit code: 0 nothing is to be mended (notes say what could not be checked), 1 something is, 2 an option is wrong.
"""


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser; its help teaches."""
    top = argparse.ArgumentParser("python -m analysis", description=__doc__, formatter_class=AS_WRITTEN)
    commands = top.add_subparsers(dest="command", required=True, metavar=" | ".join(COMMANDS))

    def of_results(name: str, told: str, about: str | None = None) -> argparse.ArgumentParser:
        found = commands.add_parser(name, help=told, description=about, formatter_class=AS_WRITTEN)
        found.add_argument("results", nargs="?", type=Path, default=RESULTS, help="results folder (default: results)")
        return found

    summary = of_results("summary", "print rankings, intervals and reasons for what is missing")
    summary.add_argument("--campaign", help="a campaign's name (default: the current results of all published ones)")
    told = "print how many pairs are settled, how narrow their intervals are, and at what cost"
    precision = of_results("precision", told, PRECISION)
    precision.add_argument("--campaign", help="a campaign's name (default: all that are published)")
    precision.add_argument("--default-modes", action="store_true", help="only the default modes of today's versions")
    kinds = precision.add_mutually_exclusive_group()
    kinds.add_argument("--json", action="store_true", help="as JSON")
    kinds.add_argument("--replayed", action="store_true", help="each campaign against the intervals of all others")
    kinds.add_argument("--simulated", action="store_true", help="what so many rounds can tell, of no results")
    told = "say whether a machine is as fast as published, and what may slow it down"
    verify = commands.add_parser("verify", help=told, description=VERIFY, formatter_class=AS_WRITTEN)
    verify.add_argument("results", nargs="?", type=Path, help="what you measured (default: .bench/verify)")
    verify.add_argument("--campaign", help="a campaign's name (default: the newest)")
    verify.add_argument("--published", type=Path, default=RESULTS, metavar="FOLDER", help="default: results")
    verify.add_argument("--json", action="store_true", help="as JSON")
    of_results("lessons", "print the verdict on each claim and lesson, with what tells")
    of_results("controls", "print which controls pass, with what came")
    told = "say whether results can be contributed, and what to mend"
    check = commands.add_parser("check", help=told, description=CHECK, formatter_class=AS_WRITTEN)
    check.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="a folder or file below results/")
    check.add_argument("--all", action="store_true", help="all results, also where git tells what differs from main")
    check.add_argument("--against", metavar="REVISION", help="what differs from this revision (default: main)")
    check.add_argument("--results", type=Path, default=RESULTS, metavar="FOLDER", help="default: results")
    preview = "build the site with them into .bench/preview, where nothing is to be mended"
    check.add_argument("--preview", action="store_true", help=preview)
    site = of_results("site", "write the generated pages; files whose bytes stay the same are not touched")
    site.add_argument("--output", type=Path, default=inputs.OUTPUT, help="default: docs/generated")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; an error of this project is one line, not a traceback."""
    options = parser().parse_args(arguments)
    try:
        return COMMANDS[options.command](options)
    except BenchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _summary(options: argparse.Namespace) -> int:
    from analysis import lessons
    from analysis.load.table import read_results
    from analysis.text.summary import summary

    results = read_results(options.results, options.campaign)
    print(summary(results))
    if told := lessons.of_ablations(results):
        print(f"\n{lessons.text(told)}")
    return 0


def _precision(options: argparse.Namespace) -> int:
    from analysis.estimate import left_out, precision
    from analysis.load.table import read_results

    if options.simulated:
        print(precision.simulations())
        return 0
    results = read_results(options.results, options.campaign)
    if options.replayed:
        print(left_out.text(left_out.replay(results)))
        return 0
    found = precision.reached(results, options.default_modes)
    print(precision.as_json(found) if options.json else precision.text(found))
    return 0


def _verify(options: argparse.Namespace) -> int:
    from analysis.load.campaigns import read_campaigns
    from analysis.verify import bands, report

    yours = report.newest(options.results or report.FOLDER, options.campaign)
    found = bands.verify(yours, read_campaigns(options.published))
    print(report.as_json(found) if options.json else report.text(found))
    return found.exit_code


def _lessons(options: argparse.Namespace) -> int:
    from analysis import lessons
    from analysis.estimate.estimates import estimate_all
    from analysis.load.table import read_results

    results = read_results(options.results)
    print(lessons.text(lessons.judge_all(results, estimate_all(results))))
    return 0


def _controls(options: argparse.Namespace) -> int:
    from analysis import controls
    from bench.campaign.report import printable

    judged = controls.judge_all(options.results)
    for machine, each in judged.items():
        print(machine)
        for name, one in each.items():
            title = controls.about(controls.found()[name]).title
            print(f"  {one.verdict:7}{title}\n         {printable(one.finding)}")
    if not judged:
        print("No control has been measured yet: nox -s controls")
    return 0


def _check(options: argparse.Namespace) -> int:
    from analysis.checks import contribution

    found = contribution.contributed(options.paths, options.results, options.against, options.all)
    print(contribution.text(found))
    if found.errors:
        return 1
    if options.preview:
        from analysis.site import build

        print(build.preview(options.results, build.PREVIEW))
    else:
        print("To see the site with these results: nox -s check-results -- --preview")
    return 0


def _site(options: argparse.Namespace) -> int:
    is_usual = (options.results, options.output) == (RESULTS, inputs.OUTPUT)
    if is_usual and inputs.are_current():
        print("The generated files are up to date: no input, and none of them, has changed since they were written.")
    else:
        _write_pages(options, is_usual)
    if is_usual:
        from analysis.site import configuration

        configuration.write()
    return 0


def _write_pages(options: argparse.Namespace, is_usual: bool) -> None:
    from analysis.site import build

    before, progress = inputs.digest(), build.Progress()
    summary = build.write(options.results, options.output, progress)
    progress.end()
    print(summary)
    if is_usual:
        inputs.remember(before)  # an input that changed meanwhile is seen by the next build


COMMANDS = {
    "summary": _summary,
    "precision": _precision,
    "verify": _verify,
    "lessons": _lessons,
    "controls": _controls,
    "check": _check,
    "site": _site,
}

if __name__ == "__main__":
    sys.exit(main())
