"""What can be said to the command line, and the help that teaches it."""

import argparse
import os
from typing import Any, Optional

from bench import cases as case_lists
from bench import controls, dataset, machine, proof, registry
from bench.campaign import campaign as campaigns
from bench.cli import arguments, check
from bench.data import prepare
from bench.profiles import PROFILES

AS_WRITTEN = argparse.RawDescriptionHelpFormatter
Verbs = Any  # what argparse's add_subparsers returns, whose type has no public name

DESCRIPTION = """Measure deep-learning frameworks against each other: fair, in turns, and only what proved parity.

With Nox, `nox -s bench` installs every environment and calls this. Without it, run this in an interpreter that already
has a framework and NumPy (a cluster module, a container, a machine without a network):

  python -m bench list                                  which cases there are, and which run here
  python -m bench run --workload mnist_mlp              measure; a table at the end
  python -m bench run --profile full --budget 2h        the articles' sizes, within two hours
  python -m bench check --workload linear               check a contribution alone, in about a minute
  python -m bench parity                                prove that what is measured computes the same thing
  python -m bench contract                              check the adapters themselves
  python -m bench controls                              check the measurement itself
  python -m bench data                                  the data sets: sizes, licences, what is here
  python -m bench data mnist cifar10                    download and prepare these
"""


def _several(group: Any, name: str, **more: Any) -> None:
    """Add an option that may be repeated: a NAME, unless it is told otherwise."""
    named = {} if "choices" in more else {"metavar": "NAME"}
    group.add_argument(name, action="append", default=[], **dict(named, **more))


def _folder(group: Any, name: str, default: str, help_: Optional[str] = None) -> None:
    """Add a folder; a relative path is of this folder, and workers start in others."""
    group.add_argument(name, type=os.path.abspath, default=default, metavar="FOLDER", help=help_)


def _add_names(group: Any) -> None:
    _several(group, "--workload")
    _several(group, "--environment")


def _add_selection(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what to measure (each option may be repeated; none means all)")
    _add_names(group)
    _several(group, "--mode", help="eager, compiled, graph, xla, jit ...")
    _several(
        group,
        "--task",
        choices=case_lists.TASKS,
        help="train (default), infer: steps on one batch; epochs, fit: training over a data set, step by step or by "
        "the framework's own loop; feed: training on photographs as a loader brings them (--suite pipelines)",
    )
    _several(
        group,
        "--precision",
        help="fp32, tf32, bf16: what an adapter has; without it fp32, and on a GPU "
        "also tf32 where that is a framework's default",
    )
    _several(
        group,
        "--tier",
        choices=case_lists.TIERS,
        help="documented (default): as each framework's guides write it; matched: images channels last and a compiler "
        "for all; tuned: the best that its community knows",
    )
    _several(
        group,
        "--batch-size",
        type=arguments.positive,
        metavar="N",
        help="any; else those of a workload, and on a GPU those that one is bought for",
    )
    _several(group, "--optimizer", help="one that a workload states")
    group.add_argument(
        "--data",
        choices=["stand-in", "real"],
        default="stand-in",
        help="what epochs and fit train on: an embedded stand-in, or the data set that `python -m bench data` got",
    )
    group.add_argument(
        "--examples",
        type=arguments.positive,
        metavar="N",
        help="train epochs and fit on N examples only, and test on a fifth as many: a size of its own in every table, "
        "for networks whose epoch would take hours here",
    )
    group.add_argument(
        "--documented", action="store_true", help="only the mode that each framework's own guide tells a user to run"
    )
    group.add_argument(
        "--suite",
        choices=sorted(case_lists.SUITES),
        default="",
        help="lessons: what the ablations change (bench/ablations), each beside the documented mode that it is changed "
        "of, within %d minutes; pipelines: training fed by each loader, and without one, within %d minutes"
        % tuple(case_lists.SUITE_BUDGET_S[name] // 60 for name in (case_lists.LESSONS, case_lists.PIPELINES)),
    )
    group.add_argument(
        "--images",
        type=os.path.abspath,
        metavar="FOLDER",
        help="what `feed` trains on, a folder for each class; else photographs are generated",
    )
    group.add_argument(
        "--short",
        action="store_true",
        help="what `nox -s verify` measures: %s in documented modes, and %s over data, within %d minutes (--workload, "
        "--mode, --task, --budget choose others)"
        % (", ".join(case_lists.SHORT), ", ".join(case_lists.SHORT_OVER_DATA), case_lists.SHORT_BUDGET_S // 60),
    )


def _add_where(parser: argparse.ArgumentParser) -> Any:
    group = parser.add_argument_group("where")
    _several(
        group,
        "--python",
        type=arguments.interpreter,
        metavar="ENVIRONMENT=PATH",
        help="interpreter of an environment; none means: this one, for every environment it can import",
    )
    _several(
        group,
        "--absent",
        type=arguments.pair,
        metavar="ENVIRONMENT=REASON",
        help="an environment that could not be installed, and why: its cells will say so",
    )
    group.add_argument("--device", choices=["cpu", "gpu"], help="default: the GPU where the framework sees one")
    group.add_argument(
        "--threads",
        type=arguments.positive,
        default=machine.usual_threads(machine.cores()),
        metavar="N",
        help="cores and threads of each run, alike for all; what was measured with other numbers is compared with none "
        "of it (default: all cores but one, here %(default)s)",
    )
    _folder(group, "--frameworks", registry.FRAMEWORKS, "folder of framework folders (default: this project's)")
    return group


def _add_where_and_answers(parser: argparse.ArgumentParser) -> None:
    told = "where parity answers are kept (default: results/parity of this project)"
    _folder(_add_where(parser), "--answers", proof.FOLDER, told)


def _add_campaign(parser: argparse.ArgumentParser, limit: str) -> None:
    parser.add_argument(
        "--timeout", type=arguments.seconds, metavar="TIME", help="limit of one run (default: %s)" % limit
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the order of runs and of the data")
    parser.add_argument("--results", default=campaigns.RESULTS, metavar="FOLDER")
    parser.add_argument(
        "--machine", type=arguments.machine_name, metavar="NAME", help="name of the machine's results folder"
    )
    parser.add_argument("--fresh", action="store_true", help="begin anew instead of going on with an interrupted one")


def _list(verbs: Verbs) -> None:
    parser = verbs.add_parser(
        "list", help="list the cases of a selection", description="List the cases of a selection."
    )
    _add_selection(parser)
    _folder(parser, "--frameworks", registry.FRAMEWORKS)
    parser.add_argument("--json", action="store_true", help="as JSON")


def _run(verbs: Verbs) -> None:
    parser = verbs.add_parser(
        "run",
        help="measure a selection, round by round",
        description="Measure a selection. Each run is a fresh process; in a round, competitors of a question are alive "
        "at once and take turns. What the budget holds is planned first, and what is left of it goes to what is open. "
        "An interrupted campaign goes on when the same command is given again.",
    )
    _add_selection(parser)
    _add_where_and_answers(parser)
    parser.add_argument(
        "--profile",
        choices=sorted(PROFILES),
        default="quick",
        help="smoke: does it run at all; quick: minutes; full: the protocol (default: %(default)s)",
    )
    parser.add_argument(
        "--budget",
        type=arguments.seconds,
        metavar="TIME",
        help="time for runs, as 90s, 10m or 2h (default: the profile's)",
    )
    parser.add_argument(
        "--rounds", type=arguments.positive, metavar="N", help="at most N rounds (default: the profile's)"
    )
    _add_campaign(parser, "the profile's")
    parser.add_argument("--json", action="store_true", help="print the campaign as JSON instead of a table")
    parser.add_argument("--no-table", action="store_true", help="print no table at the end")


def _parity(verbs: Verbs) -> None:
    parser = verbs.add_parser(
        "parity",
        help="prove that environments compute the same thing",
        description="Let each environment answer each parity question in its documented mode, keep the answers by a "
        "hash of the code, and compare all kept ones pairwise. Exit code 1 when a pair disagrees. Other modes answer "
        "when they are named, or before they are measured.",
    )
    _add_selection(parser)
    _add_where_and_answers(parser)
    parser.add_argument("--all-modes", action="store_true", help="answer in every mode, not only the documented one")
    parser.add_argument("--force", action="store_true", help="answer again even where the code has not changed")


def _check(verbs: Verbs) -> None:
    told = "check a contribution alone, in about a minute"
    parser = verbs.add_parser("check", help=told, description=check.__doc__, formatter_class=AS_WRITTEN)
    _add_names(parser.add_argument_group("what is new (at least one; each option may be repeated)"))
    _add_where_and_answers(parser)
    parser.add_argument("--all-modes", action="store_true", help="check every mode, not only the documented one")


def _contract(verbs: Verbs) -> None:
    parser = verbs.add_parser(
        "contract",
        help="check that adapters do what bench/frameworks/README.md asks",
        description="Check every adapter's contract inside its environment, in each mode. Exit code 1 when a sentence "
        "is broken.",
    )
    _add_names(parser.add_argument_group("what to check (each option may be repeated; none means all)"))
    _add_where(parser)


def _controls(verbs: Verbs) -> None:
    told = "measure whether the measurement keeps what it promises"
    parser = verbs.add_parser("controls", help=told, description=controls.HELP, formatter_class=AS_WRITTEN)
    _several(parser, "--only", choices=controls.names(), help="this control (may be repeated)")
    _several(
        parser,
        "--environment",
        help="ask this environment (may be repeated; none means all); controls that need only one take the first",
    )
    _add_where_and_answers(parser)
    parser.add_argument(
        "--rounds",
        type=arguments.positive,
        metavar="N",
        help="of planted (default: 20), and at most so many of spread (default: 6)",
    )
    parser.add_argument(
        "--budget", type=arguments.seconds, metavar="TIME", help="leave out what does not fit, as 90s, 20m or 1h"
    )
    _add_campaign(parser, "240s")


def _data(verbs: Verbs) -> None:
    told = "prepare real data sets, or list them"
    parser = verbs.add_parser("data", help=told, description=prepare.HELP, formatter_class=AS_WRITTEN)
    parser.add_argument("names", nargs="*", metavar="NAME", help="what to prepare; none: list the data sets")
    parser.add_argument("--list", action="store_true", help="list the data sets (or those named) and prepare nothing")
    parser.add_argument(
        "--folder",
        default=dataset.default_folder(),
        help="where data sets are kept; runs look where BENCH_DATA says (default: BENCH_DATA, else a folder in your "
        "cache: %(default)s)",
    )
    parser.add_argument(
        "--offline",
        action="store_true",
        default=os.environ.get("BENCH_OFFLINE", "0") not in ("", "0"),
        help="download nothing; prepare from FOLDER/downloads (also: BENCH_OFFLINE=1)",
    )
    parser.add_argument("--force", action="store_true", help="prepare again what is ready")
    parser.add_argument("--json", action="store_true", help="list as JSON")


def parser() -> argparse.ArgumentParser:
    """Return the parser of every verb, with its help."""
    found = argparse.ArgumentParser(prog="python -m bench", description=DESCRIPTION, formatter_class=AS_WRITTEN)
    verbs = found.add_subparsers(dest="verb", metavar="verb")
    verbs.required = True
    for add in (_list, _run, _check, _parity, _contract, _controls, _data):
        add(verbs)
    return found
