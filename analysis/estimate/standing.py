"""The environments that pages show: one of each family, as "Keras on PyTorch", in default settings, by machine.

Families that are measured by default are ranked among each other. Further ones of today are shown beside them.
"""

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from analysis.estimate import lineage
from analysis.estimate.cells import Cell, mean_s
from analysis.estimate.estimates import Estimates, among, of_workload, usual_threads
from analysis.estimate.pairs import Pair, between
from analysis.groups import collected, grouped
from bench import registry

PRECISIONS = ("fp32", "tf32", "bf16")  # in the order of a page
NOT_ASKED = "not in a campaign yet"
MOST = 8  # families in a table or a figure
REASONS = {"over_budget": "time limit", "unproven": "its answer differs too much from the proven one"}


class Other(NamedTuple):
    """A family that is not measured by default; `pair` is its time over that of the fastest which is."""

    family: str
    cell: Cell
    pair: Pair | None


class Mean(NamedTuple):
    """A family's geometric mean slow-down on one machine, and over which networks."""

    slow_down: float
    networks: Sequence[str]


class Range(NamedTuple):
    """A family's slow-downs against the fastest: the least and the largest of some machines, and of which networks."""

    low: float
    high: float
    networks: Sequence[str]
    machines: Sequence[str]


def family(title: str) -> str:
    """Return what an environment is whatever its versions: "JAX", "Keras on PyTorch"."""
    return lineage.software(title).split(",")[0].strip()


def families() -> list[str]:
    """Return the families of the environments that are measured by default."""
    return [family(each.title) for each in registry.environments().values() if each.is_default]


def place(name: str) -> tuple[int, str]:
    """Return where a family comes in tables and legends: those measured by default first, in the registry's order."""
    known = families()
    return known.index(name) if name in known else len(known), name


def one_of_each(answer: Estimates) -> Estimates:
    """Keep one competitor of each family that is measured by default, as if no others were compared.

    Of a family, it is the newest one with a time. If no such family was measured, one of each other family is kept.
    """
    of_each, usual = _best(answer), families()
    ranked = [cell for name, cell in of_each.items() if name in usual] or [*of_each.values()]
    return among(answer, ranked[:MOST])


def others(answer: Estimates, ranked: Estimates) -> list[Other]:
    """Return each family with a time that is not among the `ranked` ones of an answer, the fastest first."""
    fastest = next((cell for cell in ranked.cells if cell.is_fastest), None)
    shown = {cell.row for cell in ranked.cells}
    left = [(name, cell) for name, cell in _best(answer).items() if cell.time and cell.row not in shown]
    return [Other(name, cell, between(answer.pairs, fastest.row, cell.row) if fastest else None) for name, cell in left]


def _best(answer: Estimates) -> dict[str, Cell]:
    """Return one competitor of each family, the fastest first."""
    known = registry.environments()

    def merit(cell: Cell) -> tuple[bool, str, bool]:
        own = known.get(cell.row[0])
        return cell.time is not None, own.released if own else "", bool(own and own.is_default)

    best = (max(cells, key=merit) for cells in grouped(answer.cells, lambda cell: family(cell.title)).values())
    return {family(cell.title): cell for cell in sorted(best, key=mean_s)}


def of_workload_on(defaults: Sequence[Estimates], name: str) -> list[Estimates]:
    """Return a workload's first question in each precision that has a time, float32 first, with all families.

    `defaults` are the answers of one machine. With the number of threads that is usual there, else with another.
    """
    own, threads = [each for each in of_workload(defaults, name) if each.measured], usual_threads(defaults)
    usual = [each for each in own if each.question.threads == threads] or own
    ordered = sorted(usual, key=lambda each: (each.question.task != "train", each.question.place))
    first = grouped(ordered, lambda each: each.question.precision)
    names = [*(name for name in PRECISIONS if name in first), *sorted(first.keys() - {*PRECISIONS})]
    return [first[name][0] for name in names]


class Standing(NamedTuple):
    """A workload on one machine: its answers by precision, and the families that lack a time with the reason."""

    machine: str
    answers: Sequence[Estimates]
    others: Sequence[Sequence[Other]]  # of each answer, the families beside those it ranks
    untried: Mapping[str, str]


def standings(defaults: Sequence[Estimates], machines: Sequence[str], name: str) -> list[Standing]:
    """Return a workload's results on each machine that has a time of it."""
    by_machine = {machine: [each for each in defaults if each.question.machine == machine] for machine in machines}
    found = ((machine, own, of_workload_on(own, name)) for machine, own in by_machine.items())
    ranked = ((machine, own, answers, [*map(one_of_each, answers)]) for machine, own, answers in found if answers)
    return [Standing(machine, shown, [*map(others, answers, shown)], _untried(own, name, answers))
            for machine, own, answers, shown in ranked]  # fmt: skip


def _untried(own: Sequence[Estimates], name: str, answers: Sequence[Estimates]) -> dict[str, str]:
    """Return why families and precisions have no time: by what is missing, in words of the results."""
    timed = {(answer.question.precision, family(cell.title)) for answer in answers for cell in answer.measured}
    why: dict[str, str] = {}
    for each in own:
        for cell in one_of_each(each).cells if each.question.workload == name else ():
            key = (each.question.precision, family(cell.title))
            if cell.time is None and key not in timed and each.question.threads == answers[0].question.threads:
                why.setdefault(f"{key[1]} ({key[0]})", REASONS.get(cell.status, cell.status.replace("_", " ")))
    main, device = answers[0].question.precision, answers[0].question.device
    asked = {name.rpartition(" (")[0] for name in why} | {family for _, family in timed}
    why.update({f"{name} ({main})": NOT_ASKED for name in families() if name not in asked})
    known = {each.question.precision for each in own if each.question.workload == name}
    why.update({f"all in {name}": NOT_ASKED for name in PRECISIONS if device == "gpu" and name not in known})
    return why


def leading(answers: Iterable[Estimates]) -> dict[str, int]:
    """Return in how many answers each family leads or ties, the most frequent first."""
    often = Counter(family(cell.title) for answer in answers for cell in answer.leading)
    return dict(sorted(often.items(), key=lambda item: (-item[1], item[0])))


def slow_downs(answer: Estimates) -> dict[str, float]:
    """Return each family's time over that of the fastest: paired within rounds where they share any."""
    best = min((mean_s(cell) for cell in answer.measured), default=math.nan)
    return {family(cell.title): cell.to_fastest.ratio.value if cell.to_fastest else mean_s(cell) / best
            for cell in answer.measured}  # fmt: skip


def over_networks(answers: Sequence[Estimates]) -> dict[str, Mean]:
    """Return each family's geometric mean slow-down over the networks that all of them have.

    A family that leaves no network in common is left out, that with the fewest networks first.
    """
    known = {each.question.workload: own for each in answers if len(own := slow_downs(each)) > 1}
    names = {name for own in known.values() for name in own}
    while names:
        common = [workload for workload, own in known.items() if names <= own.keys()]
        if common:
            means = {name: statistics.geometric_mean(known[each][name] for each in common) for name in names}
            return {name: Mean(mean, common) for name, mean in means.items()}
        names.remove(min(names, key=lambda name: (sum(name in own for own in known.values()), name)))
    return {}


def over_own_networks(shown: Iterable[Standing]) -> dict[str, Mean]:
    """Return the geometric mean of each family beside the ranked ones, over the networks that it has."""
    ratios = collected((other.family, (other.pair.ratio.value, own.answers[0].question.workload))
                       for own in shown for other in own.others[0] if other.pair)  # fmt: skip
    columns = {name: tuple(zip(*values, strict=True)) for name, values in ratios.items()}
    return {name: Mean(statistics.geometric_mean(values), networks) for name, (values, networks) in columns.items()}


def ranges(by_machine: Mapping[str, Mapping[str, Mean]]) -> dict[str, Range]:
    """Return each family's range over machines, of each machine's mean."""
    found = {}
    for name, machines in collected((name, machine) for machine in by_machine for name in by_machine[machine]).items():
        means, networks = zip(*(by_machine[machine][name] for machine in machines), strict=True)
        found[name] = Range(min(means), max(means), sorted(set().union(*networks)), machines)
    return found
