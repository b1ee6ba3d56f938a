"""Conclude from measured results.

  python -m analysis summary               the ranking of each question, in the terminal
  python -m analysis summary my-results    the same of another results folder
  python -m analysis precision             how many pairs are settled, how narrow their intervals are, and at what cost
  python -m analysis verify                is this machine as fast as published? (of what `nox -s verify` measured)
  python -m analysis against               is a row slower with another version? (of `nox -s bench -- --against`)
  python -m analysis history               in which release did a time change? (of `nox -s versions`)
  python -m analysis lessons               what others claimed, and what we expected: what holds here, and why
  python -m analysis controls              which controls of the measurement pass, in the terminal
  python -m analysis check                 can these results be contributed? (what `nox -s check-results` asks)
  python -m analysis site                  the generated part of the website: pages, tables, figures

`nox -s docs` runs the last and builds the site. Nothing here measures: that is `nox -s bench`.
"""

import argparse
import inspect
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from analysis import inputs
from bench import registry
from bench.errors import BenchError

RESULTS = inputs.ROOT / "results"
AGAINST = Path(registry.STATE, "against")  # what tasks/against.py measures: rows, answers and results
AS_WRITTEN = argparse.RawDescriptionHelpFormatter  # examples have lines of their own


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser; its help teaches. A command's help is the docstring of its function."""
    top = argparse.ArgumentParser("python -m analysis", description=__doc__, formatter_class=AS_WRITTEN)
    commands = top.add_subparsers(dest="command", required=True, metavar=" | ".join(COMMANDS))
    add = {}
    for name, run in COMMANDS.items():
        about = inspect.cleandoc(str(run.__doc__))
        command = commands.add_parser(name, help=about.split("\n")[0], description=about, formatter_class=AS_WRITTEN)
        add[name] = command.add_argument
        if name not in ("verify", "check", "against"):
            command.add_argument("results", nargs="?", type=Path, default=RESULTS, help="folder (default: results)")
    add["summary"]("--campaign", help="a campaign's name (default: the current results of all published ones)")
    add["precision"]("--campaign", help="a campaign's name (default: all that are published)")
    add["precision"]("--default-modes", action="store_true", help="only the default modes of today's versions")
    forms = commands.choices["precision"].add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="as JSON")
    add["verify"]("results", nargs="?", type=Path, help="what you measured (default: .bench/verify)")
    add["verify"]("--campaign", help="a campaign's name (default: the newest)")
    add["verify"]("--published", type=Path, default=RESULTS, metavar="FOLDER", help="default: results")
    add["verify"]("--json", action="store_true", help="as JSON")
    add["verify"]("--compare", nargs="+", type=Path, metavar="FILE", help="hosts, by the files of --json")
    add["against"]("folder", nargs="?", type=Path, default=AGAINST, help="default: .bench/against")
    add["against"]("--campaign", help="a campaign's name (default: all of them)")
    add["against"]("--json", action="store_true", help="as JSON")
    add["check"]("paths", nargs="*", type=Path, metavar="PATH", help="a folder or file below results/")
    add["check"]("--all", action="store_true", help="all results, also where git says what differs from main")
    add["check"]("--against", metavar="REVISION", help="what differs from this revision (default: main)")
    add["check"]("--results", type=Path, default=RESULTS, metavar="FOLDER", help="default: results")
    add["check"]("--preview", action="store_true", help="without errors: build the site with them into .bench/preview")
    add["site"]("--output", type=Path, default=inputs.OUTPUT, help="default: docs/generated")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; an error of this project is one line, not a traceback."""
    options = parser().parse_args(arguments)
    try:
        return COMMANDS[options.command](options) or 0
    except BenchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] in ("analysis", "bench"):
            raise
        tools = inputs.ROOT / ".nox" / "tools" / "bin" / "python"
        how = f"use {tools}" if tools.exists() else "pip install -r analysis/requirements.txt"
        print(f"error: {sys.executable} has no package {error.name}: {how}", file=sys.stderr)
        return 2


def _summary(options: argparse.Namespace) -> None:
    """Print rankings, intervals and reasons for what is missing."""
    from analysis import lessons
    from analysis.load.table import read_results
    from analysis.text.summary import summary

    results = read_results(options.results, options.campaign)
    print(summary(results))
    if judged := lessons.of_ablations(results):
        print(f"\n{lessons.text(judged)}")


def _precision(options: argparse.Namespace) -> None:
    """Say how much the rounds settled: of the pairs of competitors, how many claims, and at what cost.

      python -m analysis precision                  by machine, workload and threads, and in all: every mode
      python -m analysis precision --default-modes  default modes of today's versions alone
      python -m analysis precision my-results       the same of another results folder
      python -m analysis precision --json           for a script

    A pair is two competitors that share a round of one question. A pair is *claimed* if one competitor is claimed to
    be faster, and *equivalent* if both are within 2 %. Otherwise it is *unresolved* (docs/method.md has the rules).
    *Beyond 5 %* are pairs whose ratio is larger than 1.05, and how many of them are settled. A half-width is how far a
    99 % interval reaches to one side. Seconds are those of the processes whose times count, from start to end.
    If much is unresolved, measure more rounds: `nox -s bench` adds to times of the same code and versions.
    """
    from analysis.estimate import precision
    from analysis.load.table import read_results

    results = read_results(options.results, options.campaign)
    reached = precision.reached(results, options.default_modes)
    print(precision.as_json(reached) if options.json else precision.text(reached))


def _verify(options: argparse.Namespace) -> int:
    """Say whether a machine is as fast as published: within the published band, faster, or slower by how much.

      nox -s verify                            install, measure a short selection (about 10 minutes), and tell
      nox -s "verify(jax)"                     the same of one environment
      nox -s verify -- --budget 20m            more rounds, narrower bands
      nox -s verify -- --compare a.json b.json c.json    which of several hosts differs? (`--json` writes the files)

    Without Nox, in an interpreter with a framework, NumPy, SciPy and pandas:

      python -m bench run --short --results .bench/verify
      python -m analysis verify .bench/verify

    A case is compared with published times of the same versions of the framework and the same code. The hardware must
    be the same: the GPU or, on a CPU, the processor and the numbers of CPUs and threads. Everything else has "no
    reference", with the reason. If only the versions or the code differ, the nearest time is shown for information,
    without a verdict.
    `python -m analysis summary .bench/verify` shows what was measured in any case.

    Exit code: 0 within the bands, faster, or no reference; 1 something is clearly slower; 2 nothing was measured, or an
    option is wrong. With --compare: 0 the hosts are alike; 1 one is an outlier; 2 a host cannot be compared. Nox ends
    with 1 instead of 2.
    """
    from analysis.load.campaigns import read_campaigns
    from analysis.verify import bands, hosts, report

    if options.compare:
        found = hosts.compare(hosts.read(options.compare))
        print(hosts.text(found))
        return found.exit_code
    yours = report.newest(options.results or report.FOLDER, options.campaign)
    verdict = bands.verify(yours, read_campaigns(options.published))
    print(report.as_json(verdict) if options.json else report.text(verdict))
    return verdict.exit_code


def _against(options: argparse.Namespace) -> int:
    """Say whether a row is faster or slower with another version of a package, and by how much.

      nox -s bench -- --against keras==3.12.0 --workload imdb_gru      make the environment, prove, measure, and tell
      python -m analysis against                                       tell again

    Both versions are measured in the same rounds. A tie is within 2 %. The last number is the change that the rounds
    would have found. Exit code: 2 if nothing was measured, otherwise 0.
    """
    from analysis.compare import against
    from analysis.load.table import read_results

    results = read_results(options.folder / "results", options.campaign)
    found = against.verdicts(results, against.read(options.folder))
    print(json.dumps([each.as_json for each in found], indent=1) if options.json else "\n".join(map(str, found)))
    return 0 if any(each.ratio for each in found) else 2


def _history(options: argparse.Namespace) -> None:
    """Print the releases in which a time changed significantly, of the series that `nox -s versions` measured."""
    from analysis.compare import history

    print(history.text(history.read(options.results)))


def _lessons(options: argparse.Namespace) -> None:
    """Print the verdict on each claim and lesson, with its evidence."""
    from analysis import lessons
    from analysis.estimate.estimates import estimate_all
    from analysis.load.table import read_results

    results = read_results(options.results)
    print(lessons.text(lessons.judge_all(results, estimate_all(results))))


def _controls(options: argparse.Namespace) -> None:
    """Print which controls pass, with their findings."""
    from analysis import controls
    from bench.units import printable

    judged = controls.judge_all(options.results)
    for machine, verdicts in judged.items():
        print(machine)
        for name, control in verdicts.items():
            title = controls.about(controls.found()[name]).title
            print(f"  {control.verdict:7}{title}\n         {printable(control.finding)}")
    if not judged:
        print("No control has been measured yet: nox -s controls")


def _check(options: argparse.Namespace) -> int:
    """Check results before they are contributed: no GPU, no server, a minute or two.

      nox -s check-results                             what differs from main, else all results
      nox -s check-results -- results/my-machine       a folder, or a file
      nox -s check-results -- --preview                and build the site with them in it

    Every line is read as the site reads it. Checked are the schema with its units and names, and parity proofs against
    the code that the results name. Checked are also plausibility, copies, private names and paths, sizes and places. If
    controls were measured on the machine, the A/A band is checked too. Every finding has file and line, what was
    expected, what came, and what to do.

    Exit code: 0 no errors (notes say what could not be checked), 1 errors, 2 an option is wrong.
    """
    from analysis.checks import contribution

    checked = contribution.contributed(options.paths, options.results, options.against, options.all)
    print(contribution.text(checked))
    if checked.errors:
        return 1
    if options.preview:
        from analysis.site import build

        print(build.preview(options.results, build.PREVIEW))
    else:
        print("To see the site with these results: nox -s check-results -- --preview")
    return 0


def _site(options: argparse.Namespace) -> None:
    """Write the generated pages; files whose bytes stay the same are not touched."""
    if (options.results, options.output) != (RESULTS, inputs.OUTPUT):
        _write_pages(options)
        return
    if inputs.are_current():
        print("The generated files are up to date: no input, and none of them, has changed since they were written.")
    else:
        before = inputs.digest()
        _write_pages(options)
        inputs.remember(before)  # an input that changed meanwhile is seen by the next build
    from analysis.site import configuration

    configuration.write()


def _write_pages(options: argparse.Namespace) -> None:
    from analysis.site import build

    progress = build.Progress()
    summary = build.write(options.results, options.output, progress)
    progress.end()
    print(summary)


COMMANDS: dict[str, Callable[[argparse.Namespace], int | None]] = {
    run.__name__[1:]: run
    for run in (_summary, _precision, _verify, _against, _history, _lessons, _controls, _check, _site)
}

if __name__ == "__main__":
    sys.exit(main())
