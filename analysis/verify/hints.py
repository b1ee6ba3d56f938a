"""Likely causes of a slow step: each a small function that reads the records and says what it rests on, or nothing.

What differs from the published campaign counts only where something is slower than published; what slows any machine
down is said always.
"""

import math
from collections.abc import Callable, Iterator

from analysis import units
from analysis.compare.baseline import CaseTimes, cells
from analysis.groups import collected
from analysis.load.campaigns import Campaign
from analysis.stats import interval
from analysis.verify.bands import HOSTS, Verification
from bench import machine, registry
from bench.cases import EPOCHS, Case
from bench.results import peaks
from bench.results.lines import Epochs
from bench.results.void_rules import OTHERS_SHARE, SWAP_GROWTH_BYTES

SLOWED_CLOCK = 0.85  # of the processor's clock in the best run of a case: what turbo gives moves by less
FEWER_CORES = 0.8  # of those that a published run kept busy; two campaigns of one machine differed by a tenth
WAITS_FOR_DATA = 1.25  # an epoch over the time of its steps alone
SLOW_GOVERNORS = ("powersave", "conservative")
NONE_FOUND = "None"  # a version, as a framework writes it that looked for a library and found none


def where(found: Verification) -> Iterator[str]:
    """Is it the machine, or one installation?"""
    ratios = collected((each.cell.title, each.place.ratio.value) for each in found.cases if each.place)
    means = {title: interval.geometric_mean(values) for title, values in ratios.items()}
    slower = sorted({cell.title for cell, _ in found.slower_cases})
    others = sorted(set(means) - set(slower))
    if not slower or len(means) < 2:
        return
    least, most = min(means.values()), max(means.values())
    if least > max(HOSTS, math.sqrt(most)):  # most of it is common to all
        span = " to ".join(units.away(value) for value in (least, most))
        yield f"All {len(means)} environments take longer than published, by {span}: look at the machine first."
    elif others:
        yield f"{units.listing(slower)} alone, and not {units.listing(others)}: look at that installation first."


def other_processes(found: Verification) -> Iterator[str]:
    """Did something else use the cores, or the GPU?"""
    runs = units.count(len(found.states), "run")
    taken = [share for state in found.states if state.cpu and (share := state.cpu.others_share or 0.0) > OTHERS_SHARE]
    if taken:
        limit = f"more than {100 * OTHERS_SHARE:.0f} % in {len(taken)} of {runs}"
        yield f"Other processes used up to {100 * max(taken):.0f} % of the runs' cores, and {limit}."
    shared = sum((state.gpu.processes_most or 0) > 1 for state in found.states if state.gpu)
    if shared:
        yield f"Other processes computed on the GPU, in {shared} of {runs}."


def swapping(found: Verification) -> Iterator[str]:
    """Did memory run short?"""
    growth = max((state.cpu.swap_growth_bytes or 0 for state in found.states if state.cpu), default=0)
    if growth > SWAP_GROWTH_BYTES:
        yield f"{growth / 2**20:,.0f} MiB more swap came into use during a run: memory is short."


def fewer_cores(found: Verification) -> Iterator[str]:
    """Did fewer cores work than when published?"""
    pairs = [(cell, cell.cores, near.cores) for cell, near in found.slower_cases if cell.cores and near.cores]
    fewer = [pair for pair in pairs if pair[1] < FEWER_CORES * pair[2]]
    if fewer:
        cell, here, there = min(fewer, key=lambda pair: pair[1] / pair[2])
        yield (
            f"Fewer cores worked than when published, in {units.count(len(fewer), 'case')} (most in {cell.name}: "
            f"{here:.2f} instead of {there:.2f}): too few threads, or a limit on processor time."
        )


def threads(found: Verification) -> Iterator[str]:
    """Did the runs get the whole machine, and as many threads as the published ones?"""
    here, cpus = found.yours.bench.threads, found.machine.logical_cpus
    usual = machine.usual_threads(cpus)
    if here < usual:
        yield f"Each run had {units.count(here, 'thread')} on a machine with {cpus} CPUs: --threads {usual}."
    most = max((nearest.campaign.bench.threads for _, nearest in found.slower_cases), default=0)
    if here < most:
        yield f"Each run had {units.count(here, 'thread')}; published with up to {most}."


def governor(found: Verification) -> Iterator[str]:
    """Does the system hold the processor's clock down?"""
    name = found.machine.cpu_governor
    if name in SLOW_GOVERNORS:
        yield f"The processor's frequency governor is '{name}', which may hold the clock down; 'performance' does not."


def processor_clock(found: Verification) -> Iterator[str]:
    """Did the processor's clock fall, beside the best run of the same case, here or published?"""
    own = list(_clocks(found.yours))
    compared = {id(cell.campaign): cell.campaign for each in found.cases for cell in each.references}
    known = collected([*own, *(clock for campaign in compared.values() for clock in _clocks(campaign))])
    best = {case: max(clocks) for case, clocks in known.items()}
    slowed = [(mhz / best[case], mhz) for case, mhz in own if mhz < SLOWED_CLOCK * best[case]]
    if slowed:
        share, mhz = min(slowed)
        yield (
            f"The processor's clock fell to {100 * share:.0f} % ({mhz:,.0f} MHz) of what it was in the best run of the "
            f"same case. This happened in {len(slowed)} of {units.count(len(own), 'run')}: heat, a limit on "
            "power, or a governor."
        )


def _clocks(campaign: Campaign) -> Iterator[tuple[Case, float]]:
    """Yield the processor's mean clock, in MHz, over each run that has a time on it."""
    for run in campaign.runs:
        sampled = run.machine_state.cpu if run.machine_state else None
        if run.status == "ok" and run.case.device == "cpu" and sampled and sampled.frequency_mean_mhz:
            yield run.case, sampled.frequency_mean_mhz


def variables(found: Verification) -> Iterator[str]:
    """Does the shell set what a framework or a library under it listens to?"""
    theirs = {here.environment: there.inherited or {} for here, there in found.environments}
    told = collected(
        (f"{name}={value}", line.title) for line in found.yours.environments.values()
        for name, value in (line.inherited or {}).items() if theirs.get(line.environment, {}).get(name) != value
    )  # fmt: skip
    for setting, titles in sorted(told.items()):
        yield f"{setting} is set in your shell, and reaches {units.listing(sorted(titles))}."


def libraries(found: Verification) -> Iterator[str]:
    """Are other numeric libraries loaded?"""
    for here, there in found.environments:
        mine, theirs = set(here.libraries), set(there.libraries)
        if mine and theirs and mine != theirs:
            gone, new = sorted(theirs - mine), sorted(mine - theirs)
            told = [f"without {units.listing(gone)}"] * bool(gone) + [f"with {units.listing(new)}"] * bool(new)
            yield f"{here.title} loads other numeric libraries than published: {', '.join(told)}."


def python(found: Verification) -> Iterator[str]:
    """Is it another Python?"""
    for here, there in found.environments:
        mine, theirs = (each.python.rsplit(".", 1)[0] for each in (here, there))
        if mine != theirs:
            yield f"{here.title} runs on Python {mine}; published with {theirs}."


def data_bound(found: Verification) -> Iterator[str]:
    """Does training over data wait for the data, in each round?"""
    own = [each.cell for each in found.cases if each.cell.step_s]
    steps = {cell.case._replace(data=""): cell.step_s for cell in own if cell.case.task == "train"}
    for cell in own:
        alone_s = steps.get(cell.case._replace(task="train", data=""), {})
        shared = sorted(set(cell.step_s) & set(alone_s)) if cell.case.task in EPOCHS else []
        count = _steps_per_epoch(cell) if shared else None
        ratios = [cell.step_s[number] / (count * alone_s[number]) for number in shared if count]
        if ratios and min(ratios) > WAITS_FOR_DATA:
            yield (
                f"An epoch of {cell.name} takes {units.factor(interval.geometric_mean(ratios))} times as long as its "
                f"{units.count(count or 0, 'step')} alone. The rest is the data's transfer and the loop itself."
            )


def _steps_per_epoch(cell: CaseTimes) -> int | None:
    """Return how many steps an epoch of the case has, or None where none has a time."""
    return next((run.steps_per_epoch for run in cell.campaign.runs
                 if isinstance(run, Epochs) and run.case == cell.case and run.steps_per_epoch), None)  # fmt: skip


def cpu_build(found: Verification) -> Iterator[str]:
    """Does a framework leave the GPU alone?"""
    for each in found.yours.environments.values():
        if found.machine.gpu and each.device == "cpu":
            cuda = each.loaded.get("cuda")
            built = f"it is built for CUDA {cuda}, and sees no GPU or was set not to use one"
            why = built if cuda else "it has no CUDA"
            yield f"{each.title} ran on the CPU of a machine with one {found.machine.gpu}: {why}."


def throttled(found: Verification) -> Iterator[str]:
    """Was the GPU's clock held down, or is that unknown?"""
    states = [state.gpu for state in found.states if state.gpu]
    if not states and any(each.cell.case.device == "gpu" and each.cell.mean_s for each in found.cases):
        yield f"Whether the GPU's clock was held down is unknown: {found.yours.bench.telemetry or 'not sampled'}."
    held = [state for state in states if state.throttle_reasons]
    slow = [state.sm_clock_mean_mhz / state.sm_clock_default_mhz for state in states
            if state.sm_clock_mean_mhz and state.sm_clock_default_mhz]  # fmt: skip
    if held:
        reasons = units.listing(sorted({reason for state in held for reason in state.throttle_reasons}))
        clock = f", down to {100 * min(slow):.0f} % of its default" if slow and min(slow) < 1 else ""
        yield f"The GPU's clock was held down{clock} ({reasons}), in {len(held)} of {units.count(len(states), 'run')}."


def cudnn(found: Verification) -> Iterator[str]:
    """Is cuDNN missing, or unknown; or another one, where it is slower?"""
    published = {here.environment: there.loaded.get("cudnn") for here, there in found.environments}
    for each in found.yours.environments.values():
        mine, theirs = each.loaded.get("cudnn"), published.get(each.environment)
        if each.device != "gpu":
            continue
        beside = f"; published with cuDNN {theirs}" if theirs else ""
        if mine == NONE_FOUND:
            yield f"{each.title} ran on the GPU without cuDNN: it says that it found none{beside}."
        elif mine and theirs and mine != theirs:
            yield f"{each.title} loaded cuDNN {mine}{beside}."
        elif not mine and not any("cudnn" in name for name in each.libraries):
            yield (
                f"Whether {each.title} has cuDNN on the GPU is unknown: it reports no version, and none was loaded "
                f"when it was probed{beside}."
            )


def tf32(found: Verification) -> Iterator[str]:
    """Is there a faster arithmetic on this GPU that was not asked for?"""
    gains = _published_gains(found)
    for title, (ratio, workload) in sorted(gains.items()):
        if ratio > HOSTS:
            yield (
                f"{title} ran in fp32 here; in tf32, published on this GPU, {workload} is {units.factor(ratio)} times "
                "as fast: --precision tf32."
            )
    peak = peaks.of(found.machine.gpu)
    measured = collected((each.cell.title, each.cell.case.precision) for each in found.cases
                         if each.cell.mean_s and each.cell.case.device == "gpu")  # fmt: skip
    others = [title for title, precisions in sorted(measured.items())
              if {*precisions} == {"fp32"} and title not in gains and _sets_tf32(found, title)]  # fmt: skip
    if peak and others:
        yield (
            f"{units.listing(others)} ran in fp32 on a {found.machine.gpu}, whose datasheet promises "
            f"{units.factor(peak.tf32 / peak.fp32)} times as many operations in tf32: --precision tf32 measures it."
        )


def _sets_tf32(found: Verification, title: str) -> bool:
    """Say whether an environment can be asked for tf32; one that is no longer here is not known."""
    known = registry.environments()
    names = [name for name, each in found.yours.environments.items() if each.title == title]
    return any("tf32" in known[name].precisions for name in names if name in known)


def _published_gains(found: Verification) -> dict[str, tuple[float, str]]:
    """Return, by environment, how much faster tf32 is published on this GPU than fp32 was here, and where most."""
    own = {each.cell.case: each.cell.mean_s for each in found.cases if each.cell.mean_s}
    asked = {case._replace(precision="tf32"): mean_s for case, mean_s in own.items() if case.precision == "fp32"}
    there = (times for campaign in found.published if campaign.bench.machine.gpu == found.machine.gpu
             for times in cells(campaign) if times.case.device == "gpu" and times.mean_s)  # fmt: skip
    gains = collected((times.title, (asked[times.case] / (times.mean_s or math.inf), times.case.workload))
                      for times in there if times.case in asked.keys() - own.keys())  # fmt: skip
    return {title: max(own) for title, own in gains.items()}


HINTS: tuple[Callable[[Verification], Iterator[str]], ...] = (
    where, cpu_build, throttled, other_processes, swapping, fewer_cores, threads, governor, processor_clock, cudnn,
    tf32, variables, libraries, python, data_bound,
)  # fmt: skip


def hints(found: Verification) -> list[str]:
    """Return every hint that the records bear out."""
    return [sentence for hint in HINTS for sentence in hint(found)]
