"""Detect impossible runs: faster than the machine, without training progress, or with contradicting values.

bench/campaign/rounds.py checks a run before writing it, and analysis/load/campaigns.py checks it again when reading. An
impossible run keeps its numbers, gets the status `implausible` with a reason, and counts as a run without a time.
"""

import operator
import statistics
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple

from bench import ablations, costs, proof
from bench.cases import FED, Case
from bench.measure import SHORTEST_S
from bench.registry import Environment
from bench.results import peaks, rivals
from bench.results.records import is_run, lower_decile, time_s, took_turns

Record = Dict[str, Any]

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
NEEDED = {kind: operator.itemgetter(*names) for kind, names in NEEDS.items()}


class Ceiling(NamedTuple):
    """The highest rates that any environment reached on a device, in FLOP/s and bytes/s."""

    flops_s: float
    bytes_s: float


class Context(NamedTuple):
    """Facts about a campaign's machine and proofs against which its runs are checked."""

    gpu: Optional[str]
    cpus: int
    ceilings: Dict[Tuple[str, str], Ceiling]  # (device, precision)
    proofs: Dict[Tuple[str, str, str], Set[Tuple[str, str]]]  # (environment, workload, ablation) -> (code, proof)
    loaded: Dict[str, Dict[str, Optional[str]]]  # environment -> versions
    environments: Dict[str, Environment]  # with the measured files; empty when results are read later


def context(lines: Iterable[Record], environments: Optional[Dict[str, Environment]] = None) -> Context:
    """Return the context of a campaign from its `lines`; pass `environments` only while measuring, with their files."""
    rest = iter(lines)
    first = next(rest, None)
    machine = first["machine"] if first and first["kind"] == "bench" else {"gpu": None, "logical_cpus": 0}
    about = Context(machine["gpu"], machine["logical_cpus"], {}, {}, {}, environments or {})
    if first:
        learn(about, first)
    for line in rest:
        learn(about, line)
    return about


def learn(about: Context, line: Record) -> None:
    """Add the facts of one more line of the campaign to a context."""
    if line["kind"] == "environment":
        about.loaded[line["environment"]] = line["loaded"]
    elif line["kind"] == "ceiling" and line["matmul_flops_s"] and line["copy_bytes_s"]:
        where = line["device"], line["precision"]
        best = about.ceilings.get(where, Ceiling(0.0, 0.0))
        about.ceilings[where] = Ceiling(
            max(best.flops_s, line["matmul_flops_s"]), max(best.bytes_s, line["copy_bytes_s"])
        )
    elif line["kind"] in NEEDS and line["status"] == "ok" and line["code"] and line["proof"]:
        about.proofs.setdefault(_subject(line), set()).add((line["code"], line["proof"]))


def _subject(run):
    case = run["case"]
    return case["environment"], case["workload"], ablations.split(case["mode"])[1]


def work(run: Record) -> Optional[costs.Cost]:
    """Return the cost of a step or an epoch, matching the run's time; None if no cost file covers it."""
    cost = costs.of(Case(**run["case"]))
    if cost is None or run["kind"] == "run":
        return cost
    return costs.Cost(*(each * run["steps_per_epoch"] for each in cost))


def _parts(run: Record) -> Iterator[str]:
    """Yield contradictions between fields, such as a steady part without blocks."""
    for sample in run.get("utilization", ()):
        if len(sample) != 3 or None in sample[:2]:
            yield "a sample of the machine is %s: expected seconds, cores, and the share of a GPU or null" % sample
            break
    if run["kind"] == "run":
        if run["is_steady"] and run["steady_from"] not in range(len(run["block_s"])):
            yield "it is steady from block %s of %d" % (run["steady_from"], len(run["block_s"]))
        if run["is_steady"] is not None and run["drift"] is None:
            yield "is_steady has a value, but drift has none"
        is_told = run["cache"] == "cold" and run["case"]["tier"] != ablations.TIER
        if run["first_step_s"] is None and (is_told or not took_turns(run)):
            yield "its first step has no time, although it started alone"
        if took_turns(run) and len(run["block_order"]) != len(run["block_s"]):
            yield "it has %d blocks, but took %d turns" % (len(run["block_s"]), len(run["block_order"]))
        if run.get("block_slowdown") and len(run["block_slowdown"]) != len(run["block_s"]):
            yield "it has %d blocks, but a search for quiet cores before %d" % (
                len(run["block_s"]), len(run["block_slowdown"]))  # fmt: skip


def _durations(run: Record, _: Context, step_s: float) -> Iterator[str]:
    """Yield durations of 0 s or less, steps too short to time, and waits longer than their block."""
    nothing = [name for name in ("block_s", "epoch_s", "warm_up_s") if run.get(name) and min(run[name]) <= 0]
    for name in nothing:
        yield "%s holds %s s" % (name, min(run[name]))
    if run["first_step_s"] is not None and run["first_step_s"] <= 0:
        yield "the first step took %s s" % run["first_step_s"]
    if step_s < SHORTEST_S and not nothing:  # rounding to whole steps may leave nothing of such a time
        yield "a step of %.1e s is too short for a clock to measure" % step_s
    if run["kind"] == "run" and run["wait_s"] > min(run["block_s"]):
        yield "a wait of %.3g s is longer than its block of %.3g s" % (
            run["wait_s"], min(run["block_s"]))  # fmt: skip


def _units(run: Record, about: Context, _: float) -> Iterator[str]:
    """Yield sums that exceed their total: a process's duration, or the processor time of all cores.

    Environments import side by side, up to one per core, so an import counts as 1 / cores of its duration.
    """
    one, other = ("block_s", "warm_up_s") if run["kind"] == "run" else ("epoch_s", "evaluation_s")
    total = sum(run[one])
    # otherwise the first step shared its process's time with other starts
    if run["kind"] == "epochs" or run["first_step_s"] is not None:
        total += run["import_s"] / max(about.cpus, 1) + run["build_s"] + sum(run[other])
    if run["kind"] == "run":  # an epoch's first step is in the first epoch
        total += run["first_step_s"] or 0.0
    if total > CLOCKS_AGREE * run["duration_s"]:
        yield "its times add up to %.3g s, but its process took %.3g s: is a unit wrong?" % (total, run["duration_s"])
    wall, cpu = sum(run.get("block_s", ())), sum(run.get("block_cpu_s", ()))
    if about.cpus and cpu > CPU_CLOCK_AGREES * about.cpus * wall:
        yield "its blocks took %.3g s of processor time in %.3g s on %d cores: is a unit wrong?" % (
            cpu, wall, about.cpus)  # fmt: skip


def _losses(run: Record, _: Context, __: float) -> Iterator[str]:
    """Yield a fault if training did not change the loss."""
    first, last = run["loss_first"], run["loss_last"]
    if run["case"]["task"] != "infer" and first == last and len(run.get("losses", (first, last))) > 1:
        yield "training left the loss at exactly %s: was the step computed, and did the clock wait for it?" % first


def _variance(run: Record, _: Context, __: float) -> Iterator[str]:
    """Yield a fault if three or more times are equal: on a real machine they differ by nanoseconds."""
    times = run["block_s"] if run["kind"] == "run" else run["epoch_s"]
    if len(times) > 2 and len(set(times)) == 1:
        yield "all %d times are exactly %s s" % (len(times), times[0])


def _decile(run: Record, _: Context, __: float) -> Iterator[str]:
    """Yield a fault if the lower decile, which represents the run, is far below the median of its blocks."""
    if run["kind"] != "run":
        return
    decile, median = lower_decile(run["block_s"]), statistics.median(run["block_s"])
    if decile < LEAST_DECILE * median and min(run["block_s"]) > 0:
        told = "a tenth of its blocks took %.3g s or less, and half %.3g s or more" % (decile, median)
        yield told + ": did some waits return too early? If the machine was disturbed instead, measure again"


def bounds(case: Record, about: Context) -> Optional[Ceiling]:
    """Return the upper bounds of a case: MARGIN times the measured ceiling, or the datasheet's peak if larger."""
    measured = about.ceilings.get((case["device"], case["precision"]), Ceiling(0.0, 0.0))
    peak = peaks.of(about.gpu) if case["device"] == "gpu" else None
    if peak is None and not measured.flops_s:
        return None
    return Ceiling(
        max(MARGIN * measured.flops_s, getattr(peak, case["precision"], 0.0)),
        max(MARGIN * measured.bytes_s, getattr(peak, "bytes_s", 0.0)),
    )


def _roofline(run: Record, about: Context, seconds: float) -> Iterator[str]:
    """Yield faults of steps faster than the compute or memory bound (roofline, Williams et al. 2009)."""
    limit = bounds(run["case"], about)
    cost = work(run) if limit else None
    if limit is None or cost is None or not seconds:
        return
    needed = "%s needs at least %.3g %s, but this machine does %.3g per second: expected >= %.3g s, got %.3g s"
    what = "an epoch" if run["kind"] == "epochs" else "a step"
    moved = max(0.0, cost.least_bytes - CACHE_BYTES[run["case"]["device"]])
    for amount, rate, unit in ((cost.least_flops, limit.flops_s, "FLOP"), (moved, limit.bytes_s, "bytes")):
        if amount > rate * seconds:
            yield needed % (what, amount, unit, rate, amount / rate, seconds)


def _proofs(run: Record, about: Context, _: float) -> Iterator[str]:
    """Yield faults of a run's parity proof: it must belong to exactly one code, and to the present files if given."""
    own = about.proofs.get(_subject(run), ())
    if len(own) > 1 and len({code for code, its_proof in own if its_proof == run["proof"]}) > 1:
        yield "its parity proof %s also belongs to other code" % run["proof"]
    if len(own) > 1 and len({its_proof for code, its_proof in own if code == run["code"]}) > 1:
        yield "its code %s also has other parity proofs" % run["code"]
    name, row = run["case"]["environment"], about.environments.get(run["case"]["environment"])
    if row and name in about.loaded:
        now = proof.proof_hash(run["case"]["workload"], row, about.loaded[name])
        now = proof.of_mode(now, row, run["case"]["mode"])
        if not proof.same(run["proof"], now):
            yield "its parity proof %s differs from that of the present files (%s): were they edited since?" % (
                run["proof"], now)  # fmt: skip


def _feeding(run: Record, about: Context, _: float) -> Iterator[str]:
    """Yield waits for batches longer than their pass, and more busy cores or GPU share than exist."""
    for waited_s, pass_s in zip(run.get("waiting_s", ()), run["epoch_s"] if run.get("waiting_s") else ()):
        if waited_s > pass_s:
            yield "a pass of %.3g s waited %.3g s for its batches: is a unit wrong?" % (pass_s, waited_s)
    samples = run.get("utilization", ())
    most_cores, most_share = (max([each[place] or 0.0 for each in samples], default=0.0) for place in (1, 2))
    if about.cpus and most_cores > CPU_CLOCK_AGREES * about.cpus:
        yield "%.3g cores were busy, but the machine has %d" % (most_cores, about.cpus)
    if most_share > 1:
        yield "a GPU utilisation of %.3g: expected a share from 0 to 1" % most_share


CHECKS = (_durations, _units, _losses, _variance, _decile, _roofline, _feeding, _proofs)


def problems(run: Record, about: Context) -> List[str]:
    """Return one sentence for each reason why a run is impossible; empty if it is possible or has no time."""
    if run["status"] != "ok":
        return []
    kind = run["case"]["task"] if run["case"]["task"] in FED else run["kind"]
    needed = NEEDED[kind](run)
    if None in needed or [] in needed:
        lacks = [name for name, value in zip(NEEDS[kind], needed) if value is None or value == []]
        return ["it has a time, but lacks %s" % ", ".join(lacks)]
    contradictions = list(_parts(run))
    if contradictions:
        return contradictions
    seconds = time_s(run)
    return [sentence for check in CHECKS for sentence in check(run, about, seconds)]


def judged(run: Record, about: Context) -> Record:
    """Return the run unchanged, or as `implausible` with the reason and all its numbers."""
    found = problems(run, about)
    return refused(run, "; ".join(found)[:LONGEST_REASON]) if found else run


def refused(run: Record, reason: str) -> Record:
    """Return the run with status `implausible`, the reason and all its numbers."""
    return dict(run, status=IMPLAUSIBLE, reason=reason)


def judge_all(lines: List[Record]) -> List[Record]:
    """Return a campaign's lines with each run judged by itself and against its rivals; used when a file is read."""
    about = context(lines)
    found = [judged(line, about) if is_run(line) else line for line in lines]
    places = [place for place, line in enumerate(found) if is_run(line)]
    for place, reason in rivals.odd([found[place] for place in places]).items():
        found[places[place]] = refused(found[places[place]], reason)
    return found
