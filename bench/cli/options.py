"""What can be said to the command line, the help that teaches it, and which module does what a verb asks."""

import argparse
import importlib
import os
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from bench import cases as case_lists
from bench import dataset, machine, proof, readers, registry
from bench.profiles import PROFILES
from bench.versus import options as versus

AS_WRITTEN = argparse.RawDescriptionHelpFormatter
RESULTS = os.path.join(registry.ROOT, "results")

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
  python -m bench versus mine_torch.py mine_keras.py    compare programs of your own, and name likely causes
  python -m bench data                                  the data sets: sizes, licences, what is here
  python -m bench data mnist cifar10                    download and prepare these
  python -m bench merge /shared/results                bring campaigns of other machines into results/
"""


def interpreter(text: str) -> tuple[str, str]:
    """Read ENVIRONMENT=PATH; a relative path is of this folder, and workers start in others."""
    name, path = readers.pair(text)
    return name, os.path.abspath(path) if os.path.dirname(path) else path


def machine_name(text: str) -> str:
    """Read the name of a machine's results folder."""
    if not re.match(r"^[a-z0-9][a-z0-9-]{0,60}$", text):
        raise argparse.ArgumentTypeError(f"expected lower-case letters, digits and hyphens, got {text!r}")
    return text


def _several(group: Any, name: str, **more: Any) -> None:
    """Add an option that may be repeated. Its value is a NAME, unless `more` has choices or a metavar."""
    named = {} if "choices" in more else {"metavar": "NAME"}
    group.add_argument(name, action="append", default=[], **dict(named, **more))


def _switch(group: Any, name: str, help_: str) -> None:
    group.add_argument(name, action="store_true", help=help_)


def _time(group: Any, name: str, help_: str) -> None:
    group.add_argument(name, type=readers.seconds, metavar="TIME", help=help_)


def _folder(group: Any, name: str, default: str, help_: str | None = None) -> None:
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
        group, "--task", choices=case_lists.TASKS,
        help="train (default) and infer: steps on one batch. Over a data set: epochs (step by step) and fit (by the "
        "framework's own loop). On photographs from a loader: feed (--suite pipelines)",
    )  # fmt: skip
    _several(group, "--precision", help="fp32, tf32, bf16, as far as an adapter offers it; default: fp32, and on a GPU "
             "also tf32 where that is a framework's default")  # fmt: skip
    _several(
        group, "--tier", choices=case_lists.TIERS,
        help="documented (default): as each framework's guides write it; matched: images channels last and a compiler "
        "for all; tuned: the fastest settings that its community knows",
    )  # fmt: skip
    _several(group, "--batch-size", type=readers.positive, metavar="N",
             help="any; default: those of a workload, and on a GPU also those that GPUs are bought for")  # fmt: skip
    _several(group, "--optimizer", help="one that a workload states")
    _switch(group, "--documented", "only the mode that each framework's own guide recommends")
    _add_data(group)
    _add_suites(group)


def _add_data(group: Any) -> None:
    group.add_argument(
        "--data", choices=["stand-in", "real"], default="stand-in",
        help="what epochs and fit train on: an embedded stand-in, or the data set from `python -m bench data`",
    )  # fmt: skip
    group.add_argument(
        "--examples", type=readers.positive, metavar="N",
        help="train epochs and fit on N examples only, and test on a fifth as many. Tables show this size separately. "
        "Use it for networks whose epoch would take hours here",
    )  # fmt: skip
    group.add_argument(
        "--images", type=os.path.abspath, metavar="FOLDER",
        help="what `feed` trains on, a folder for each class; default: generated photographs",
    )  # fmt: skip


def _add_suites(group: Any) -> None:
    minutes = {name: budget_s // 60 for name, budget_s in case_lists.SUITE_BUDGET_S.items()}
    group.add_argument(
        "--suite", choices=sorted(case_lists.SUITES), default="",
        help=f"lessons measures each ablation (bench/ablations) beside the documented mode that it changes, within "
        f"{minutes[case_lists.LESSONS]:.0f} minutes. Pipelines measures training with each loader, and without one, "
        f"within {minutes[case_lists.PIPELINES]:.0f} minutes",
    )  # fmt: skip
    _switch(
        group, "--short",
        f"what `nox -s verify` measures: {', '.join(case_lists.SHORT)} in documented modes, and "
        f"{', '.join(case_lists.SHORT_OVER_DATA)} over data, within {case_lists.SHORT_BUDGET_S // 60:.0f} minutes "
        "(--workload, --mode, --task, --budget choose others)",
    )  # fmt: skip


def _add_where(parser: argparse.ArgumentParser) -> Any:
    group = parser.add_argument_group("where")
    _several(
        group, "--python", type=interpreter, metavar="ENVIRONMENT=PATH",
        help="interpreter of an environment; none means: this one, for every environment it can import",
    )  # fmt: skip
    _several(group, "--absent", type=readers.pair, metavar="ENVIRONMENT=REASON",
             help="an environment that could not be installed, and why: its cells will say so")  # fmt: skip
    group.add_argument("--device", choices=["cpu", "gpu"], help="default: the GPU where the framework sees one")
    group.add_argument(
        "--threads", type=readers.positive, default=machine.usual_threads(machine.cores()), metavar="N",
        help="cores and threads of each run. Results with different numbers are not compared (default: all cores but "
        "one, here %(default)s)",
    )  # fmt: skip
    _folder(group, "--frameworks", registry.FRAMEWORKS, "folder of framework folders (default: this project's)")
    return group


def _add_where_and_answers(parser: argparse.ArgumentParser) -> None:
    help_ = "where parity answers are kept (default: results/parity of this project)"
    _folder(_add_where(parser), "--answers", proof.FOLDER, help_)


def _add_campaign(parser: argparse.ArgumentParser, limit: str) -> None:
    _time(parser, "--timeout", f"limit of one run (default: {limit})")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the order of runs and of the data")
    parser.add_argument("--results", default=RESULTS, metavar="FOLDER")
    parser.add_argument("--machine", type=machine_name, metavar="NAME", help="name of the machine's results folder")
    _switch(parser, "--fresh", "begin anew instead of going on with an interrupted one")


def _list(parser: argparse.ArgumentParser) -> None:
    _add_selection(parser)
    _folder(parser, "--frameworks", registry.FRAMEWORKS)
    _switch(parser, "--json", "as JSON")


def _run(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Measure a selection. Each run is a fresh process; in a round, competitors of a question are alive "
        "at once and take turns. What the budget holds is planned first, and what is left of it goes to what is open. "
        "An interrupted campaign goes on when the same command is given again. With Nox, "
        "--against keras==3.12.0 measures another version of a package beside ours, and --bisect keras finds the "
        "release in which a time changed."
    )
    _add_selection(parser)
    _add_where_and_answers(parser)
    parser.add_argument(
        "--profile", choices=sorted(PROFILES), default="quick",
        help="smoke: does it run at all; quick: minutes; full: the protocol (default: %(default)s)",
    )  # fmt: skip
    _time(parser, "--budget", "time for runs, as 90s, 10m or 2h (default: the profile's)")
    parser.add_argument(
        "--rounds", type=readers.positive, metavar="N", help="at most N rounds (default: the profile's)"
    )
    _add_campaign(parser, "the profile's")
    parser.add_argument(
        "--nodes", type=os.path.abspath, metavar="FOLDER",
        help="equal nodes of a cluster write into one results folder. Each takes a number, by which its campaigns are "
        "named, in this shared private folder",
    )  # fmt: skip
    _switch(parser, "--json", "print the campaign as JSON instead of a table")
    _switch(parser, "--no-table", "print no table at the end")


def _parity(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Let each environment answer each parity question in its documented mode. Answers are kept by a hash of the "
        "code, and all kept answers are compared pairwise. Exit code 1 when a pair disagrees. Other modes answer when "
        "they are named, or before they are measured."
    )
    _add_selection(parser)
    _add_where_and_answers(parser)
    _switch(parser, "--all-modes", "answer in every mode, not only the documented one")
    _switch(parser, "--force", "answer again even where the code has not changed")


def _check(parser: argparse.ArgumentParser) -> None:
    parser.description = importlib.import_module(VERBS["check"].module).__doc__
    _add_names(parser.add_argument_group("what is new (at least one; each option may be repeated)"))
    _add_where_and_answers(parser)
    _switch(parser, "--all-modes", "check every mode, not only the documented one")
    _switch(parser, "--all-rows", "print each pair of answers below the table, also those that are equal")


def _contract(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Check every adapter's contract inside its environment, in each mode. Exit code 1 when a sentence is broken."
    )
    _add_names(parser.add_argument_group("what to check (each option may be repeated; none means all)"))
    _add_where(parser)


def _controls(parser: argparse.ArgumentParser) -> None:
    module = importlib.import_module(VERBS["controls"].module)
    parser.description = module.HELP
    _several(parser, "--only", choices=sorted(module.CONTROLS), help="this control (may be repeated)")
    _several(
        parser, "--environment",
        help="ask this environment (may be repeated; none means all); controls that need only one take the first",
    )  # fmt: skip
    _add_where_and_answers(parser)
    parser.add_argument("--rounds", type=readers.positive, metavar="N",
                        help="of planted (default: 20), and at most so many of spread (default: 6)")  # fmt: skip
    _time(parser, "--budget", "leave out what does not fit, as 90s, 20m or 1h")
    _add_campaign(parser, "240s")


def _data(parser: argparse.ArgumentParser) -> None:
    parser.description = importlib.import_module("bench.data.prepare").HELP
    parser.add_argument("names", nargs="*", metavar="NAME", help="what to prepare; none: list the data sets")
    _switch(parser, "--list", "list the data sets (or those named) and prepare nothing")
    parser.add_argument(
        "--folder", default=dataset.default_folder(),
        help="where data sets are kept; runs look where BENCH_DATA says (default: BENCH_DATA, else a folder in your "
        "cache: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--offline", action="store_true", default=os.environ.get("BENCH_OFFLINE", "0") not in ("", "0"),
        help="download nothing; prepare from FOLDER/downloads (also: BENCH_OFFLINE=1)",
    )  # fmt: skip
    _switch(parser, "--force", "prepare again what is ready")
    _switch(parser, "--json", "list as JSON")


def _merge(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Bring the campaigns of other results folders into one, as FOLDER/MACHINE/CAMPAIGN.jsonl. Campaigns that are "
        "there stay, and one that has gone on replaces its beginning. If a line or a seal is wrong, or two files with "
        "one name differ, nothing is written. The same command may be given again at any time."
    )
    parser.add_argument("folders", nargs="+", type=os.path.abspath, metavar="FOLDER", help="what --results named there")
    _folder(parser, "--into", RESULTS, "the results folder that grows (default: this project's)")


class Verb(NamedTuple):
    """A verb of the command line: what it does, the module whose function do_<verb> does it, its options."""

    help: str
    module: str
    add_options: Callable[[argparse.ArgumentParser], None]


DOES = "bench.cli.verbs"
VERBS = {
    "list": Verb("list the cases of a selection", DOES, _list),
    "run": Verb("measure a selection, round by round", DOES, _run),
    "check": Verb("check a contribution alone, in about a minute", "bench.cli.check", _check),
    "parity": Verb("prove that environments compute the same thing", DOES, _parity),
    "contract": Verb("check that adapters do what bench/frameworks/README.md asks", DOES, _contract),
    "controls": Verb("measure whether the measurement keeps what it promises", "bench.controls", _controls),
    "versus": Verb("compare programs of your own", "bench.versus.verb", versus.add),
    "data": Verb("prepare real data sets, or list them", DOES, _data),
    "merge": Verb("bring campaigns of other machines into one results folder", DOES, _merge),
}


def parser(only: str = "") -> argparse.ArgumentParser:
    """Return the parser of every verb, with its help; with the options of the verb `only`, if that is one."""
    root = argparse.ArgumentParser(prog="python -m bench", description=DESCRIPTION, formatter_class=AS_WRITTEN)
    subparsers = root.add_subparsers(dest="verb", metavar="verb", required=True)
    for name, verb in VERBS.items():
        child = subparsers.add_parser(name, help=verb.help, description=verb.help, formatter_class=AS_WRITTEN)
        if only not in VERBS or name == only:
            verb.add_options(child)
    return root
