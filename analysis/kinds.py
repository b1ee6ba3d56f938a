"""Which framework for what kind of network: slow-downs by what a network is mostly made of, on CPUs and on GPUs."""

from collections.abc import Mapping
from typing import NamedTuple

from analysis.estimate import standing
from analysis.estimate.standing import Mean, Range, Standing
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
    others: Mapping[str, Range] = {}  # of families not measured by default, over their own networks


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
    every = {machine: _shown(found, machine, device, name) for machine in found.names}
    shown = {machine: of_it for machine, of_it in every.items() if of_it}
    settled = {machine: of_it for machine, of_it in shown.items() if len(found.campaigns(machine)) > 1}
    own = settled or shown  # machines with a single campaign count only if there are no others
    means = {machine: standing.over_networks([each.answers[0] for each in of_it]) for machine, of_it in own.items()}
    leaders = {machine: _leaders(of_it) for machine, of_it in means.items()}
    others = standing.ranges({machine: standing.over_own_networks(of_it) for machine, of_it in own.items()})
    precisions = sorted({each.answers[0].question.precision for of_it in own.values() for each in of_it})
    return Row(name, DEVICES[device], standing.ranges(means), leaders, precisions, others)


def _shown(found: Found, machine: str, device: str, name: str) -> list[Standing]:
    """Return a machine's results on networks of a kind that several families answered, on one kind of device."""
    workloads = [each for each in registry.workload_names() if kind(each) == name]
    shown = [each for workload in workloads for each in standing.standings(found.defaults, [machine], workload)]
    return [each for each in shown
            if each.answers[0].question.device == device and len(each.answers[0].measured) > 1]  # fmt: skip


def _leaders(means: Mapping[str, Mean]) -> list[str]:
    least = min((mean.slow_down for mean in means.values()), default=1.0)
    return sorted(name for name, mean in means.items() if mean.slow_down <= least * ALIKE)


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
