"""Which framework for what kind of network: slow-downs by what a network is mostly made of, on CPUs and on GPUs."""

from collections.abc import Mapping
from typing import NamedTuple

from analysis.estimate import standing
from analysis.estimate.estimates import Estimates
from analysis.estimate.standing import Range
from analysis.found import Found, once
from analysis.groups import collected
from analysis.units import listing
from bench import costs, oracle, registry

KINDS = DENSE, CONVOLUTIONS, RECURRENCES, ATTENTION = "dense", "convolution", "recurrence", "attention"
PLURAL = {DENSE: "dense networks", CONVOLUTIONS: "convolutions", RECURRENCES: "recurrent networks",
          ATTENTION: "attention"}  # fmt: skip
DEVICES = {"cpu": "CPU", "gpu": "GPU"}
ALIKE = 1.02  # a geometric mean within this factor of the least shares its lead


class Row(NamedTuple):
    """A kind of network on CPUs or on GPUs: each family's range over machines, and who leads on each of these."""

    kind: str
    device: str
    ranges: Mapping[str, Range]
    leaders: Mapping[str, list[str]]  # by machine
    precisions: list[str]


def kind(workload: str) -> str | None:
    """Return what a network is mostly made of, as its network in NumPy tells; None where there is none."""
    if not oracle.is_known(workload):
        return None
    if costs.products(workload):
        return ATTENTION
    kernels = costs.kernels(workload)
    if any(len(kernel.shape) == len(("height", "width", "inputs", "outputs")) for kernel in kernels):
        return CONVOLUTIONS
    return RECURRENCES if any(kernel.positions > 1 for kernel in kernels) else DENSE


@once
def grid(found: Found) -> list[Row]:
    """Return the rows of the home page: kinds of networks on CPUs, then on GPUs, of those that were measured."""
    return [row for device in DEVICES for name in KINDS if (row := _row(found, device, name)).ranges]


def _row(found: Found, device: str, name: str) -> Row:
    known = {machine: answers for machine in found.names if (answers := _answers(found, machine, device, name))}
    settled = {machine: answers for machine, answers in known.items() if len(found.campaigns(machine)) > 1}
    own = settled or known  # machines with a single campaign count only if there are no others
    leaders = {machine: _leaders(standing.over_networks(answers)[0]) for machine, answers in own.items()}
    precisions = sorted({each.question.precision for answers in own.values() for each in answers})
    return Row(name, DEVICES[device], standing.ranges(own), leaders, precisions)


def _answers(found: Found, machine: str, device: str, name: str) -> list[Estimates]:
    """Return a machine's answers on networks of a kind, if it computes on that device."""
    workloads = [each for each in registry.workload_names() if kind(each) == name]
    shown = [each for workload in workloads for each in standing.standings(found.defaults, [machine], workload)]
    answers = [each.answers[0] for each in shown if each.answers[0].question.device == device]
    return [each for each in answers if len(each.measured) > 1]


def _leaders(means: Mapping[str, float]) -> list[str]:
    least = min(means.values(), default=1.0)
    return sorted(name for name, mean in means.items() if mean <= least * ALIKE)


def on_all(row: Row) -> list[str]:
    """Return the families that lead a kind of network on each machine that measured it."""
    return sorted(set.intersection(*map(set, row.leaders.values()))) if row.leaders else []


def headline(rows: list[Row], device: str) -> str:
    """Return who leads what on one kind of device, as a clause; "" where nothing was measured."""
    own = [row for row in rows if row.device == device]
    led = collected((listing(on_all(row)), PLURAL[row.kind]) for row in own)
    open_ones = led.pop("", [])
    told = [f"{who} lead{'s' * (' and ' not in who)} {listing(what)}" for who, what in led.items()]
    if open_ones:
        told.append(f"{listing(open_ones)} depend{'s' * (len(open_ones) == 1 and not open_ones[0].endswith('s'))} "
                    "on the machine")  # fmt: skip
    return "; ".join(told)
