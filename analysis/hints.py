"""Likely causes of a slow step: each a small function that reads the records and says what it rests on, or nothing.

What differs from the published campaign counts only where something is slower than published; what slows any machine
down is said always.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from analysis import interval, words
from analysis.reference import Cell, cells, hardware
from analysis.table import Campaign
from analysis.verdicts import HOSTS, WHOLE, Verdicts
from bench.cases import EPOCHS
from bench.void import OTHERS_SHARE, SWAP_GROWTH_BYTES

Record = dict[str, Any]

FEWER_CORES = 0.8  # of those that a published run kept busy; two campaigns of one machine differed by a tenth
WAITS_FOR_DATA = 1.25  # an epoch over the time of its steps alone
SLOW_GOVERNORS = ("powersave", "conservative")


class Found(NamedTuple):
    """What hints look at."""

    yours: Campaign
    verdicts: Verdicts
    published: Sequence[Campaign]

    @property
    def machine(self) -> Record:
        """The record of this machine."""
        machine: Record = self.yours.bench["machine"]
        return machine

    @property
    def slower(self) -> list[tuple[Cell, Cell]]:
        """The cases that are slower than published, each beside the nearest published one.

        Alone, or with their environment; where neither is, but the whole: all that take longer.
        """
        slow = {group.title for group in self.verdicts.groups if group.place.verdict == "slower"}
        longer = [each for each in self.verdicts.cases if each.place and each.place.ratio.value > 1]
        own = [each for each in longer if each.verdict == "slower" or each.cell.title in slow]
        shown = own or (longer if WHOLE in slow else [])
        return [(each.cell, each.references[each.place.nearest]) for each in shown if each.place]

    @property
    def environments(self) -> list[tuple[Record, Record]]:
        """The environments with a slower case, each beside the published one."""
        found = {cell.case.environment: (cell.environment, nearest.environment) for cell, nearest in self.slower}
        return [found[name] for name in sorted(found)]

    @property
    def states(self) -> list[Record]:
        """What was sampled of the machine during the runs that have a time."""
        return [run["machine_state"] for run in self.yours.runs if run["status"] == "ok" and run.get("machine_state")]


def where(found: Found) -> Iterator[str]:
    """Is it the machine, or one installation?"""
    ratios: dict[str, list[float]] = {}
    for each in found.verdicts.cases:
        if each.place:
            ratios.setdefault(each.cell.title, []).append(each.place.ratio.value)
    means = {title: interval.mean(values).value for title, values in ratios.items()}
    slower = sorted({cell.title for cell, _ in found.slower})
    others = sorted(set(means) - set(slower))
    if not slower or len(means) < 2:
        return
    least, most = min(means.values()), max(means.values())
    if least > max(HOSTS, math.sqrt(most)):  # most of it is common to all
        span = " to ".join(words.away(value) for value in (least, most))
        yield f"All {len(means)} environments take longer than published, by {span}: look at the machine first."
    elif others:
        yield f"{words.listing(slower)} alone, and not {words.listing(others)}: look at that installation first."


def cpu_build(found: Found) -> Iterator[str]:
    """Does a framework leave the GPU alone?"""
    for each in found.yours.environments.values():
        if found.machine["gpu"] and each["device"] == "cpu":
            cuda = each["loaded"].get("cuda")
            why = (
                f"it is built for CUDA {cuda}, and sees no GPU or was told not to use one" if cuda else "it has no CUDA"
            )
            yield f"{each['title']} ran on the CPU of a machine with one {found.machine['gpu']}: {why}."


def throttled(found: Found) -> Iterator[str]:
    """Was the GPU's clock held down?"""
    states = [state["gpu"] for state in found.states if state["gpu"]]
    held = [state for state in states if state["throttle_reasons"]]
    slow = [state["sm_clock_mean_mhz"] / state["sm_clock_default_mhz"] for state in states
            if state["sm_clock_mean_mhz"] and state["sm_clock_default_mhz"]]  # fmt: skip
    if held:
        reasons = words.listing(sorted({reason for state in held for reason in state["throttle_reasons"]}))
        clock = f", down to {100 * min(slow):.0f} % of its default" if slow and min(slow) < 1 else ""
        yield f"The GPU's clock was held down{clock} ({reasons}), in {len(held)} of {words.count(len(states), 'run')}."


def other_processes(found: Found) -> Iterator[str]:
    """Did something else use the cores, or the GPU?"""
    runs = words.count(len(found.states), "run")
    shares = [state["cpu"]["others_share"] or 0.0 for state in found.states if state["cpu"]]
    taken = [share for share in shares if share > OTHERS_SHARE]
    if taken:
        limit = f"more than {100 * OTHERS_SHARE:.0f} % in {len(taken)} of {runs}"
        yield f"Other processes used up to {100 * max(taken):.0f} % of the runs' cores, and {limit}."
    shared = sum((state["gpu"]["processes_most"] or 0) > 1 for state in found.states if state["gpu"])
    if shared:
        yield f"Other processes computed on the GPU, in {shared} of {runs}."


def swapping(found: Found) -> Iterator[str]:
    """Did memory run short?"""
    growth = max(((state["cpu"] or {}).get("swap_growth_bytes") or 0 for state in found.states), default=0)
    if growth > SWAP_GROWTH_BYTES:
        yield f"{growth / 2**20:,.0f} MiB more swap came into use during a run: memory is short."


def fewer_cores(found: Found) -> Iterator[str]:
    """Did fewer cores work than when published?"""
    pairs = [(cell, cell.cores, near.cores) for cell, near in found.slower if cell.cores and near.cores]
    fewer = [pair for pair in pairs if pair[1] < FEWER_CORES * pair[2]]
    if fewer:
        cell, here, there = min(fewer, key=lambda pair: pair[1] / pair[2])
        yield (
            f"Fewer cores were at work than when published, in {words.count(len(fewer), 'case')} (most in {cell.name}: "
            f"{here:.2f} instead of {there:.2f}): too few threads, or a limit on processor time."
        )


def threads(found: Found) -> Iterator[str]:
    """Did the runs get the whole machine, and as many threads as the published ones?"""
    here, cpus = found.yours.bench["threads"], found.machine["logical_cpus"]
    if here < cpus:
        yield f"Each run had {words.count(here, 'thread')} on a machine with {cpus} CPUs: --threads {cpus}."
    most = max((nearest.campaign.bench["threads"] for _, nearest in found.slower), default=0)
    if here < most:
        yield f"Each run had {words.count(here, 'thread')}; published with up to {most}."


def governor(found: Found) -> Iterator[str]:
    """Does the system hold the processor's clock down?"""
    name = found.machine.get("cpu_governor")
    if name in SLOW_GOVERNORS:
        yield f"The processor's frequency governor is '{name}', which may hold the clock down; 'performance' does not."


def cudnn(found: Found) -> Iterator[str]:
    """Is cuDNN missing, or another one?"""
    for here, there in found.environments:
        mine, theirs = (each["loaded"].get("cudnn") for each in (here, there))
        if here["device"] == "gpu" and theirs and mine != theirs:
            yield f"{here['title']} loaded {f'cuDNN {mine}' if mine else 'no cuDNN'}; published with cuDNN {theirs}."


def tf32(found: Found) -> Iterator[str]:
    """Is a faster arithmetic published on this GPU that was not asked for here?"""
    own = {each.cell.case: each.cell.mean_s for each in found.verdicts.cases if each.cell.mean_s}
    asked = {case._replace(precision="tf32"): mean_s for case, mean_s in own.items() if case.precision == "fp32"}
    gains: dict[str, tuple[float, str]] = {}
    for campaign in found.published:
        if found.machine["gpu"] and hardware(campaign.bench["machine"], "gpu") == found.machine["gpu"]:
            for case, cell in cells(campaign).items():
                if case.device == "gpu" and case in asked and case not in own and cell.mean_s:
                    gain = (asked[case] / cell.mean_s, case.workload)
                    gains[cell.title] = max(gain, gains.get(cell.title, gain))
    for title, (ratio, workload) in sorted(gains.items()):
        if ratio > HOSTS:
            yield (
                f"{title} ran in fp32 here; in tf32, published on this GPU, {workload} is {words.factor(ratio)} times "
                "as fast: --precision tf32."
            )


def variables(found: Found) -> Iterator[str]:
    """Does the shell set what a framework or a library under it listens to?"""
    theirs = {here["environment"]: there.get("inherited", {}) for here, there in found.environments}
    told: dict[str, list[str]] = {}
    for each in found.yours.environments.values():
        for name, value in each.get("inherited", {}).items():
            if theirs.get(each["environment"], {}).get(name) != value:
                told.setdefault(f"{name}={value}", []).append(each["title"])
    for setting, titles in sorted(told.items()):
        yield f"{setting} is set in your shell, and reaches {words.listing(sorted(titles))}."


def libraries(found: Found) -> Iterator[str]:
    """Are other numeric libraries loaded?"""
    for here, there in found.environments:
        mine, theirs = set(here["libraries"]), set(there["libraries"])
        if mine and theirs and mine != theirs:
            gone, new = sorted(theirs - mine), sorted(mine - theirs)
            told = [f"without {words.listing(gone)}"] * bool(gone) + [f"with {words.listing(new)}"] * bool(new)
            yield f"{here['title']} loads other numeric libraries than published: {', '.join(told)}."


def python(found: Found) -> Iterator[str]:
    """Is it another Python?"""
    for here, there in found.environments:
        mine, theirs = (each["python"].rsplit(".", 1)[0] for each in (here, there))
        if mine != theirs:
            yield f"{here['title']} runs on Python {mine}; published with {theirs}."


def data_bound(found: Found) -> Iterator[str]:
    """Does training over data wait for the data?"""
    own = [each.cell for each in found.verdicts.cases if each.cell.mean_s]
    steps = {cell.case._replace(data=""): cell.mean_s for cell in own if cell.case.task == "train"}
    for cell in own:
        alone_s = steps.get(cell.case._replace(task="train", data=""))
        count = _steps_per_epoch(cell)
        if cell.case.task in EPOCHS and cell.mean_s and alone_s and count:
            ratio = cell.mean_s / (count * alone_s)
            if ratio > WAITS_FOR_DATA:
                yield (
                    f"An epoch of {cell.name} takes {words.factor(ratio)} times as long as its "
                    f"{words.count(count, 'step')} alone: the rest is data on its way, and the loop around the steps."
                )


def _steps_per_epoch(cell: Cell) -> int | None:
    """Return how many steps an epoch of the case has, or None where none has a time."""
    runs = (run for run in cell.campaign.runs if run["kind"] == "epochs" and run["case"] == cell.case._asdict())
    return next((run["steps_per_epoch"] for run in runs if run["steps_per_epoch"]), None)


HINTS: tuple[Callable[[Found], Iterator[str]], ...] = (
    where, cpu_build, throttled, other_processes, swapping, fewer_cores, threads, governor, cudnn, tf32, variables,
    libraries, python, data_bound,
)  # fmt: skip


def hints(yours: Campaign, verdicts: Verdicts, published: Sequence[Campaign]) -> list[str]:
    """Return every hint that the records bear out."""
    found = Found(yours, verdicts, published)
    return [sentence for hint in HINTS for sentence in hint(found)]
