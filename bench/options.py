"""What can be said to the command line, and the help that teaches it."""

import argparse
import os
import re
from typing import Any, Tuple

from bench import campaign as campaigns
from bench import cases as case_lists
from bench import controls, dataset, machine, proof, registry
from bench.profiles import PROFILES

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


DATA = """Prepare real data sets, or list them: sizes, licences, and what is here.

  nox -s data                          list them; nothing is downloaded
  nox -s data -- mnist cifar10         download and prepare these two
  nox -s data -- --folder /big/disk chestxray14
                                       45 GB: it comes only when it is named

Without Nox: python -m bench data ... in an interpreter with NumPy; dog_breeds and chestxray14 also need what
bench/datasets/requirements.txt lists. The prepared arrays are read with NumPy alone, in every environment.

An interrupted download goes on when the same command is given again. Each file is checked against its published
checksum, one that you put into FOLDER/downloads by hand as well. Nothing needs to be prepared for a stand-in: every
data set has one, generated from a seed, that needs no network.
"""


CHECK = """Check a contribution alone: a workload, an environment, or a workload in one environment.

  nox -s check -- --workload linear                     in each environment that answers it: about a minute
  nox -s check -- --workload linear --environment jax   there alone
  nox -s check -- --environment jax                     all that it answers: minutes for each large network
  nox -s check -- --workload linear --all-modes         and not only in the documented modes

It looks at what the recipes of CONTRIBUTING.md ask for:

  parameters   PARAMETERS is how many numbers the workload's weights() makes
  costs        bench/costs/<workload>.py says how often each layer is applied; a warning where it is missing
  looks        no other environment has the colour and the marker, and both can be told apart
  lint         ruff finds nothing in the files of the workload or of the framework
  contract     the program keeps every sentence of bench/contract.py
  parity       it computes what the other environments do; who has answered for this code is not asked again

and ends with a table: what was checked, and what broke and why. Exit code 1 where anything broke.
"""


CONTROLS = """Measure whether the measurement keeps what it promises: two names for one thing, slow-downs planted on
purpose, a bare loop, the frameworks' own timers, waiting removed, and order.

  nox -s controls                              all of them, in every environment: an hour and a half on two cores
  nox -s controls -- --only overhead           one
  nox -s controls -- --budget 20m              what fits, what matters most first
  nox -s controls -- --environment NAME        in one environment

  spread     10 minutes   in which environment two names for one thing differ least: planted, sleepers, order and
                          sampler measure that one
  planted    35 minutes   two names for one thing, planted slow-downs and coverage; more where rounds are disturbed
  sleepers   11 minutes   what competitors that are asleep do to whose turn it is
  order       7 minutes   runs in sequence and in turns, on a core that is loaded in waves
  overhead   11 minutes   our timing loop beside a bare one; up to four minutes for each network that is large
  agreement   9 minutes   our times beside the frameworks' own timers and networks
  waiting     4 minutes   the wait removed on purpose
  sampler     3 minutes   what watching the machine costs

Each is written to results/<machine>/controls/<control>/, a file for each time it is measured; the newest whole one
is judged: python -m analysis controls, and the site's page Controls. An interrupted control goes on when the same
command is given again. Let nothing else run meanwhile.
"""


def _seconds(text: str) -> float:
    found = re.match(r"^(\d+(?:\.\d+)?)(s|m|h|)$", text.strip())
    if not found:
        raise argparse.ArgumentTypeError("expected a time like 90s, 10m or 2h, got %r" % text)
    return float(found.group(1)) * {"": 1, "s": 1, "m": 60, "h": 3600}[found.group(2)]


def _positive(text: str) -> int:
    if not re.match(r"^[1-9]\d{0,8}$", text):
        raise argparse.ArgumentTypeError("expected a number from 1 up, got %r" % text)
    return int(text)


def _pair(text: str) -> Tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError("expected ENVIRONMENT=VALUE, got %r" % text)
    return name, value


def _interpreter(text: str) -> Tuple[str, str]:
    """Read ENVIRONMENT=PATH; a relative path is of this folder, and workers start in others."""
    name, path = _pair(text)
    return name, os.path.abspath(path) if os.path.dirname(path) else path


def _machine_name(text: str) -> str:
    if not re.match(r"^[a-z0-9][a-z0-9-]{0,60}$", text):
        raise argparse.ArgumentTypeError("expected lower-case letters, digits and hyphens, got %r" % text)
    return text


def _add_names(group: Any) -> None:
    group.add_argument("--workload", action="append", default=[], metavar="NAME")
    group.add_argument("--environment", action="append", default=[], metavar="NAME")


def _add_selection(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what to measure (each option may be repeated; none means all)")
    _add_names(group)
    group.add_argument(
        "--mode", action="append", default=[], metavar="NAME", help="eager, compiled, graph, xla, jit ..."
    )
    group.add_argument(
        "--task",
        action="append",
        default=[],
        choices=case_lists.TASKS,
        help="train (default), infer: steps on one batch; epochs, fit: training over a data set, step by step or by "
        "the framework's own loop",
    )
    group.add_argument(
        "--precision",
        action="append",
        default=[],
        metavar="NAME",
        help="fp32 (default), tf32, bf16: what an adapter has",
    )
    group.add_argument(
        "--tier",
        action="append",
        default=[],
        choices=case_lists.TIERS,
        help="documented (default): as each framework's guides write it; matched: images channels last and a compiler "
        "for all; tuned: the best that its community knows",
    )
    group.add_argument(
        "--batch-size",
        action="append",
        default=[],
        type=_positive,
        metavar="N",
        help="any; else those of a workload, and on a GPU those that one is bought for",
    )
    group.add_argument("--optimizer", action="append", default=[], metavar="NAME", help="one that a workload states")
    group.add_argument(
        "--data",
        choices=["stand-in", "real"],
        default="stand-in",
        help="what epochs and fit train on: an embedded stand-in, or the data set that `python -m bench data` got",
    )
    group.add_argument(
        "--examples",
        type=_positive,
        metavar="N",
        help="train epochs and fit on N examples only, and test on a fifth as many: a size of its own in every table, "
        "for networks whose epoch would take hours here",
    )
    group.add_argument(
        "--documented", action="store_true", help="only the mode that each framework's own guide tells a user to run"
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
    group.add_argument(
        "--python",
        action="append",
        default=[],
        type=_interpreter,
        metavar="ENVIRONMENT=PATH",
        help="interpreter of an environment; none means: this one, for every environment it can import",
    )
    group.add_argument(
        "--absent",
        action="append",
        default=[],
        type=_pair,
        metavar="ENVIRONMENT=REASON",
        help="an environment that could not be installed, and why: its cells will say so",
    )
    group.add_argument("--device", choices=["cpu", "gpu"], help="default: the GPU where the framework sees one")
    group.add_argument(
        "--threads",
        type=_positive,
        default=machine.usual_threads(machine.cores()),
        metavar="N",
        help="cores and threads of each run, alike for all; what was measured with other numbers is compared with none "
        "of it (default: all cores but one, here %(default)s)",
    )
    group.add_argument(
        "--frameworks",
        default=registry.FRAMEWORKS,
        metavar="FOLDER",
        help="folder of framework folders (default: this project's)",
    )
    return group


def _add_where_and_answers(parser: argparse.ArgumentParser) -> None:
    _add_where(parser).add_argument(
        "--answers",
        default=proof.FOLDER,
        metavar="FOLDER",
        help="where parity answers are kept (default: results/parity of this project)",
    )


def _add_campaign(parser: argparse.ArgumentParser, limit: str) -> None:
    parser.add_argument("--timeout", type=_seconds, metavar="TIME", help="limit of one run (default: %s)" % limit)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the order of runs and of the data")
    parser.add_argument("--results", default=campaigns.RESULTS, metavar="FOLDER")
    parser.add_argument("--machine", type=_machine_name, metavar="NAME", help="name of the machine's results folder")
    parser.add_argument("--fresh", action="store_true", help="begin anew instead of going on with an interrupted one")


def _list(verbs: Verbs) -> None:
    parser = verbs.add_parser(
        "list", help="list the cases of a selection", description="List the cases of a selection."
    )
    _add_selection(parser)
    parser.add_argument("--frameworks", default=registry.FRAMEWORKS, metavar="FOLDER")
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
        "--budget", type=_seconds, metavar="TIME", help="time for runs, as 90s, 10m or 2h (default: the profile's)"
    )
    parser.add_argument("--rounds", type=_positive, metavar="N", help="at most N rounds (default: the profile's)")
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
    parser = verbs.add_parser(
        "check",
        help="check a contribution alone, in about a minute",
        description=CHECK,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
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
    parser = verbs.add_parser(
        "controls",
        help="measure whether the measurement keeps what it promises",
        description=CONTROLS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--only", action="append", default=[], choices=controls.names(), help="this control (may be repeated)"
    )
    parser.add_argument(
        "--environment",
        action="append",
        default=[],
        metavar="NAME",
        help="ask this environment (may be repeated; none means all); controls that need only one take the first",
    )
    _add_where_and_answers(parser)
    parser.add_argument(
        "--rounds",
        type=_positive,
        metavar="N",
        help="of planted, sleepers, order, sampler (default: 20, 10, 10, 10), and at most so many of spread",
    )
    parser.add_argument(
        "--budget", type=_seconds, metavar="TIME", help="leave out what does not fit, as 90s, 20m or 1h"
    )
    _add_campaign(parser, "240s")


def _data(verbs: Verbs) -> None:
    parser = verbs.add_parser(
        "data",
        help="prepare real data sets, or list them",
        description=DATA,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
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
    found = argparse.ArgumentParser(
        prog="python -m bench", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = found.add_subparsers(dest="verb", metavar="verb")
    verbs.required = True
    for add in (_list, _run, _check, _parity, _contract, _controls, _data):
        add(verbs)
    return found
