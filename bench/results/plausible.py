"""Detect impossible runs: faster than the machine, without training progress, or with contradicting values.

bench/campaign/rounds.py checks a run before writing it, and analysis/load/campaigns.py checks it again when reading. An
impossible run keeps its numbers, gets the status `implausible` with a reason, and counts as a run without a time.
"""

import operator
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from bench import ablations, costs, proof
from bench.cases import FED, Case
from bench.measure import SHORTEST_S
from bench.registry import Environment
from bench.results import lines, peaks, rivals, schema
from bench.results.lines import Epochs, Line, Run
from bench.results.records import lower_decile, time_s, timed_s, took_turns

AnyRun = TypeVar("AnyRun", bound=Run | Epochs)

IMPLAUSIBLE = "implausible"  # the status of an impossible run
MARGIN = 2.0  # factor on the measured ceiling; libraries and a busy machine's variation explain less
# above the largest last-level caches of today: this many bytes may come from a cache
CACHE_BYTES = {"cpu": 1.25e9, "gpu": 0.3e9}
CLOCKS_AGREE = 1.01  # factor between the worker's clock and the bench's
CPU_CLOCK_AGREES = 1.1  # processor time is counted in ticks
LEAST_DECILE = 0.5  # share of the median of a run's blocks; 1 of 6,708 published runs had less
LONGEST_REASON = 3900  # characters
WITH_A_TIME = ("import_s", "build_s", "loss_first", "loss_last", "proof", "code")
NEEDS = {  # fields that a run with a time must have; an empty list counts as missing
    "run": WITH_A_TIME + ("wait_s", "steps_per_block", "block_s"),
    "epochs": WITH_A_TIME + ("steps_per_epoch", "epoch_s", "losses", "score", "test_scores"),
    "feed": WITH_A_TIME + ("steps_per_epoch", "epoch_s", "losses"),
}
NEEDED = {kind: operator.attrgetter(*names) for kind, names in NEEDS.items()}


class Ceiling(NamedTuple):
    """The highest rates that any environment reached on a device, in FLOP/s and bytes/s."""

    flops_s: float
    bytes_s: float


class Context(NamedTuple):
    """Facts about a campaign's machine and proofs against which its runs are checked."""

    gpu: str | None
    cpus: int
    ceilings: dict[tuple[str, str], Ceiling]  # (device, precision)
    proofs: dict[tuple[str, str, str], set[tuple[str, str]]]  # (environment, workload, ablation) -> (code, proof)
    loaded: dict[str, dict[str, str | None]]  # environment -> versions
    environments: Mapping[str, Environment]  # with the measured files; empty when results are read later


def context(content: Iterable[Line], environments: Mapping[str, Environment] | None = None) -> Context:
    """Return the context of a campaign from its lines; pass `environments` only while measuring, with their files."""
    rest = iter(content)
    first = next(rest, None)
    gpu, cpus = (first.machine.gpu, first.machine.logical_cpus) if isinstance(first, lines.Bench) else (None, 0)
    about = Context(gpu, cpus, {}, {}, {}, environments or {})
    if first:
        learn(about, first)
    for line in rest:
        learn(about, line)
    return about


def learn(about: Context, line: Line) -> None:
    """Add the facts of one more line of the campaign to a context."""
    if isinstance(line, lines.Environment):
        about.loaded[line.environment] = line.loaded
    elif isinstance(line, lines.Ceiling) and line.matmul_flops_s and line.copy_bytes_s:
        where = line.device, line.precision
        best = about.ceilings.get(where, Ceiling(0.0, 0.0))
        about.ceilings[where] = Ceiling(max(best.flops_s, line.matmul_flops_s), max(best.bytes_s, line.copy_bytes_s))
    elif isinstance(line, (Run, Epochs)) and line.status == "ok" and line.code and line.proof:
        about.proofs.setdefault(_subject(line), set()).add((line.code, line.proof))


def _subject(run: Run | Epochs) -> tuple[str, str, str]:
    return run.case.environment, run.case.workload, ablations.split(run.case.mode)[1]


def work(run: Run | Epochs) -> costs.Cost | None:
    """Return the cost of a step or an epoch, matching the run's time; None if no cost file covers it."""
    cost = costs.of(run.case)
    if cost is None or isinstance(run, Run):
        return cost
    steps = run.steps_per_epoch or 0
    return costs.Cost(cost.flops * steps, cost.least_flops * steps, cost.least_bytes * steps)


def _parts(run: Run | Epochs) -> Iterator[str]:
    """Yield contradictions between fields, such as a steady part without blocks."""
    if isinstance(run, Epochs):
        for sample in run.utilization or ():
            if len(sample) != 3 or None in sample[:2]:
                yield f"a sample of the machine is {sample}: expected seconds, cores, and the share of a GPU or null"
                break
        return
    blocks = len(run.block_s)
    if run.is_steady and run.steady_from not in range(blocks):
        yield f"it is steady from block {run.steady_from} of {blocks}"
    if run.is_steady is not None and run.drift is None:
        yield "is_steady has a value, but drift has none"
    is_told = run.cache == "cold" and run.case.tier != ablations.TIER
    if run.first_step_s is None and (is_told or not took_turns(run)):
        yield "its first step has no time, although it started alone"
    if run.block_order and len(run.block_order) != blocks:
        yield f"it has {blocks} blocks, but took {len(run.block_order)} turns"
    if run.block_slowdown and len(run.block_slowdown) != blocks:
        yield f"it has {blocks} blocks, but a search for quiet cores before {len(run.block_slowdown)}"


def _durations(run: Run | Epochs, _: Context, step_s: float) -> Iterator[str]:
    """Yield durations of 0 s or less, steps too short to time, and waits longer than their block."""
    timed = {"block_s": run.block_s, "warm_up_s": run.warm_up_s} if isinstance(run, Run) else {"epoch_s": run.epoch_s}
    nothing = {name: min(seconds) for name, seconds in timed.items() if seconds and min(seconds) <= 0}
    for name, shortest_s in nothing.items():
        yield f"{name} holds {shortest_s} s"
    if run.first_step_s is not None and run.first_step_s <= 0:
        yield f"the first step took {run.first_step_s} s"
    if step_s < SHORTEST_S and not nothing:  # rounding to whole steps may leave nothing of such a time
        yield f"a step of {step_s:.1e} s is too short for a clock to measure"
    if isinstance(run, Run) and run.wait_s is not None and run.wait_s > min(run.block_s):
        yield f"a wait of {run.wait_s:.3g} s is longer than its block of {min(run.block_s):.3g} s"


def _units(run: Run | Epochs, about: Context, _: float) -> Iterator[str]:
    """Yield sums that exceed their total: a process's duration, or the processor time of all cores.

    Environments import side by side, up to one per core, so an import counts as 1 / cores of its duration.
    """
    wall = total = sum(timed_s(run))
    # otherwise the first step shared its process's time with other starts
    if isinstance(run, Epochs) or run.first_step_s is not None:
        untimed = run.evaluation_s if isinstance(run, Epochs) else run.warm_up_s
        total += (run.import_s or 0.0) / max(about.cpus, 1) + (run.build_s or 0.0) + sum(untimed)
    if isinstance(run, Run):  # an epoch's first step is in the first epoch
        total += run.first_step_s or 0.0
    if total > CLOCKS_AGREE * run.duration_s:
        yield f"its times add up to {total:.3g} s, but its process took {run.duration_s:.3g} s: is a unit wrong?"
    cpu = sum(run.block_cpu_s) if isinstance(run, Run) else 0.0
    if about.cpus and cpu > CPU_CLOCK_AGREES * about.cpus * wall:
        yield (f"its blocks took {cpu:.3g} s of processor time in {wall:.3g} s on {about.cpus} cores: is a unit wrong?")


def _losses(run: Run | Epochs, _: Context, __: float) -> Iterator[str]:
    """Yield a fault if training did not change the loss."""
    steps = 2 if isinstance(run, Run) else len(run.losses)
    if run.case.task != "infer" and run.loss_first == run.loss_last and steps > 1:
        yield (
            f"training left the loss at exactly {run.loss_first}: was the step computed, and did the clock wait for it?"
        )


def _variance(run: Run | Epochs, _: Context, __: float) -> Iterator[str]:
    """Yield a fault if three or more times are equal: on a real machine they differ by nanoseconds."""
    times = timed_s(run)
    if len(times) > 2 and len(set(times)) == 1:
        yield f"all {len(times)} times are exactly {times[0]} s"


def _decile(run: Run | Epochs, _: Context, __: float) -> Iterator[str]:
    """Yield a fault if the lower decile, which represents the run, is far below the median of its blocks."""
    if not isinstance(run, Run):
        return
    decile, median = lower_decile(run.block_s), statistics.median(run.block_s)
    if decile < LEAST_DECILE * median and min(run.block_s) > 0:
        yield (
            f"a tenth of its blocks took {decile:.3g} s or less, and half {median:.3g} s or more: did some waits "
            "return too early? If the machine was disturbed instead, measure again"
        )


def bounds(case: Case, about: Context) -> Ceiling | None:
    """Return the upper bounds of a case: MARGIN times the measured ceiling, or the datasheet's peak if larger.

    Each of its devices adds as much.
    """
    measured = about.ceilings.get((case.device, case.precision), Ceiling(0.0, 0.0))
    peak = peaks.of(about.gpu) if case.device == "gpu" else None
    if peak is None and not measured.flops_s:
        return None
    devices = ablations.devices(case.mode)
    return Ceiling(
        devices * max(MARGIN * measured.flops_s, getattr(peak, case.precision, 0.0)),
        devices * max(MARGIN * measured.bytes_s, getattr(peak, "bytes_s", 0.0)),
    )


def _roofline(run: Run | Epochs, about: Context, seconds: float) -> Iterator[str]:
    """Yield faults of steps faster than the compute or memory bound (roofline, Williams et al. 2009)."""
    limit = bounds(run.case, about)
    cost = work(run) if limit else None
    if limit is None or cost is None or not seconds:
        return
    what = "an epoch" if isinstance(run, Epochs) else "a step"
    moved = max(0.0, cost.least_bytes - CACHE_BYTES[run.case.device])
    for amount, rate, unit in ((cost.least_flops, limit.flops_s, "FLOP"), (moved, limit.bytes_s, "bytes")):
        if amount > rate * seconds:
            yield (
                f"{what} needs at least {amount:.3g} {unit}, but this machine does {rate:.3g} per second: expected >= "
                f"{amount / rate:.3g} s, got {seconds:.3g} s"
            )


def _proofs(run: Run | Epochs, about: Context, _: float) -> Iterator[str]:
    """Yield faults of a run's parity proof: it must belong to exactly one code, and to the present files if given."""
    pairs = about.proofs.get(_subject(run), ())
    if len(pairs) > 1 and len({code for code, its_proof in pairs if its_proof == run.proof}) > 1:
        yield f"its parity proof {run.proof} also belongs to other code"
    if len(pairs) > 1 and len({its_proof for code, its_proof in pairs if code == run.code}) > 1:
        yield f"its code {run.code} also has other parity proofs"
    name, row = run.case.environment, about.environments.get(run.case.environment)
    if row and name in about.loaded:
        present = proof.of_mode(proof.proof_hash(run.case.workload, row, about.loaded[name]), row, run.case.mode)
        if not proof.same(run.proof, present):
            yield (
                f"its parity proof {run.proof} differs from that of the present files ({present}): were they edited "
                "since?"
            )


def _feeding(run: Run | Epochs, about: Context, _: float) -> Iterator[str]:
    """Yield waits for batches longer than their pass, and more busy cores or GPU share than exist."""
    if isinstance(run, Run):
        return
    for waited_s, pass_s in zip(run.waiting_s or (), run.epoch_s, strict=False):
        if waited_s > pass_s:
            yield f"a pass of {pass_s:.3g} s waited {waited_s:.3g} s for its batches: is a unit wrong?"
    most_cores, most_share = (
        max([sample[place] or 0.0 for sample in run.utilization or ()], default=0.0) for place in (1, 2)
    )
    if about.cpus and most_cores > CPU_CLOCK_AGREES * about.cpus:
        yield f"{most_cores:.3g} cores were busy, but the machine has {about.cpus}"
    if most_share > 1:
        yield f"a GPU utilisation of {most_share:.3g}: expected a share from 0 to 1"


CHECKS = (_durations, _units, _losses, _variance, _decile, _roofline, _feeding, _proofs)


def problems(run: Run | Epochs, about: Context) -> list[str]:
    """Return one sentence for each reason why a run is impossible; empty if it is possible or has no time."""
    if run.status != "ok":
        return []
    kind = run.case.task if run.case.task in FED else run.kind
    needed = NEEDED[kind](run)
    if None in needed or [] in needed:
        lacks = [name for name, value in zip(NEEDS[kind], needed, strict=True) if value is None or value == []]
        return [f"it has a time, but lacks {', '.join(lacks)}"]
    contradictions = list(_parts(run))
    if contradictions:
        return contradictions
    seconds = time_s(run) or 0.0
    return [sentence for check in CHECKS for sentence in check(run, about, seconds)]


def judged(run: AnyRun, about: Context) -> AnyRun:
    """Return the run unchanged, or as `implausible` with the reason and all its numbers."""
    faults = problems(run, about)
    return refused(run, "; ".join(faults)[:LONGEST_REASON]) if faults else run


def refused(run: AnyRun, reason: str) -> AnyRun:
    """Return the run with status `implausible`, the reason and all its numbers."""
    return schema.changed(run, status=IMPLAUSIBLE, reason=reason)


def judge_all(content: Sequence[Line]) -> list[Line]:
    """Return a campaign's lines with each run judged by itself and against its rivals; used when a file is read."""
    about = context(content)
    verdicts = [judged(line, about) if isinstance(line, (Run, Epochs)) else line for line in content]
    runs = {place: line for place, line in enumerate(verdicts) if isinstance(line, (Run, Epochs))}
    places = list(runs)
    for index, reason in rivals.odd(list(runs.values())).items():
        verdicts[places[index]] = refused(runs[places[index]], reason)
    return verdicts
