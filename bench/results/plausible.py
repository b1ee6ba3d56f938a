"""Refuse what cannot be: a run that is faster than its machine, that learned nothing, or that contradicts itself.

The same function is asked before a line is written (bench/campaign/rounds.py) and when it is read
(analysis/load/campaigns.py): a run with a problem keeps its numbers, has the status `implausible` with its reason, and
counts as one without a time.
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

IMPLAUSIBLE = "implausible"  # the status of a run that cannot be
MARGIN = 2.0  # libraries and moments of a busy machine differ by less: a run this much faster than the ceiling is none
CACHE_BYTES = {"cpu": 1.25e9, "gpu": 0.3e9}  # the largest last-level caches of today: so much need not be read anew
CLOCKS_AGREE = 1.01  # the process's clock and that of the bench around it
CPU_CLOCK_AGREES = 1.1  # processor time is counted in ticks
LEAST_DECILE = 0.5  # of the median of a run's blocks: of 6,708 published runs one had less
LONGEST_REASON = 3900  # characters
WITH_A_TIME = ("import_s", "build_s", "loss_first", "loss_last", "proof", "code")
NEEDS = {  # what a run with a time has; an empty list is as good as none
    "run": WITH_A_TIME + ("wait_s", "steps_per_block", "block_s"),
    "epochs": WITH_A_TIME + ("steps_per_epoch", "epoch_s", "losses", "score", "test_scores"),
    "feed": WITH_A_TIME + ("steps_per_epoch", "epoch_s", "losses"),
}
NEEDED = {kind: operator.itemgetter(*names) for kind, names in NEEDS.items()}


class Ceiling(NamedTuple):
    """The most that any environment got out of a device, in FLOP/s and bytes/s."""

    flops_s: float
    bytes_s: float


class Context(NamedTuple):
    """What a campaign's lines say about its machine and its proofs: what its runs are held against."""

    gpu: Optional[str]
    cpus: int
    ceilings: Dict[Tuple[str, str], Ceiling]  # (device, precision)
    proofs: Dict[Tuple[str, str, str], Set[Tuple[str, str]]]  # (environment, workload, ablation) -> (code, proof)
    loaded: Dict[str, Dict[str, Optional[str]]]  # environment -> versions
    environments: Dict[str, Environment]  # whose files are the measured ones; empty when results are read later


def context(lines: Iterable[Record], environments: Optional[Dict[str, Environment]] = None) -> Context:
    """Gather what a campaign's lines say, one by one; `environments` are given while it is measured, with its files."""
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
    """Add to a context what one more line of its campaign says."""
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
    """Return the cost of what a time is the time of, a step or an epoch; None where no file says what it costs."""
    cost = costs.of(Case(**run["case"]))
    if cost is None or run["kind"] == "run":
        return cost
    return costs.Cost(*(each * run["steps_per_epoch"] for each in cost))


def _parts(run: Record) -> Iterator[str]:
    """What belongs together is there together: a steady part has blocks, and the test of it a drift."""
    for sample in run.get("utilization", ()):
        if len(sample) != 3 or None in sample[:2]:
            yield "a sample of the machine is %s: expected seconds, cores, and the share of a GPU or null" % sample
            break
    if run["kind"] == "run":
        if run["is_steady"] and run["steady_from"] not in range(len(run["block_s"])):
            yield "it is steady from block %s of %d" % (run["steady_from"], len(run["block_s"]))
        if run["is_steady"] is not None and run["drift"] is None:
            yield "whether it is steady is told, and its drift is not"
        is_told = run["cache"] == "cold" and run["case"]["tier"] != ablations.TIER
        if run["first_step_s"] is None and (is_told or not took_turns(run)):
            yield "its first step has no time, though it started alone"
        if took_turns(run) and len(run["block_order"]) != len(run["block_s"]):
            yield "it has %d blocks, and took %d turns" % (len(run["block_s"]), len(run["block_order"]))
        if run.get("block_slowdown") and len(run["block_slowdown"]) != len(run["block_s"]):
            yield "it has %d blocks, and sought quiet cores for %d" % (
                len(run["block_s"]), len(run["block_slowdown"]))  # fmt: skip


def _durations(run: Record, _: Context, step_s: float) -> Iterator[str]:
    """Every time is above zero, no step shorter than a clock can tell, no wait longer than a block that has one."""
    nothing = [name for name in ("block_s", "epoch_s", "warm_up_s") if run.get(name) and min(run[name]) <= 0]
    for name in nothing:
        yield "%s holds %s s" % (name, min(run[name]))
    if run["first_step_s"] is not None and run["first_step_s"] <= 0:
        yield "the first step took %s s" % run["first_step_s"]
    if step_s < SHORTEST_S and not nothing:  # of a time without size, divided by its steps, nothing may be left
        yield "a step of %.1e s is shorter than a clock can tell" % step_s
    if run["kind"] == "run" and run["wait_s"] > min(run["block_s"]):
        yield "a wait of %.3g s is longer than a block of %.3g s that ends with one" % (
            run["wait_s"], min(run["block_s"]))  # fmt: skip


def _units(run: Record, about: Context, _: float) -> Iterator[str]:
    """The parts fit into the whole: times into the process's own, processor time into what all cores could give.

    Imports are made side by side, by as many as have cores: their share in a process's time is this much at least.
    """
    one, other = ("block_s", "warm_up_s") if run["kind"] == "run" else ("epoch_s", "evaluation_s")
    total = sum(run[one])
    if run["kind"] == "epochs" or run["first_step_s"] is not None:  # else it shared the time of all its start
        total += run["import_s"] / max(about.cpus, 1) + run["build_s"] + sum(run[other])
    if run["kind"] == "run":  # an epoch's first step is in the first epoch
        total += run["first_step_s"] or 0.0
    if total > CLOCKS_AGREE * run["duration_s"]:
        yield "its times add up to %.3g s, and its process took %.3g s: is a unit wrong?" % (total, run["duration_s"])
    wall, cpu = sum(run.get("block_s", ())), sum(run.get("block_cpu_s", ()))
    if about.cpus and cpu > CPU_CLOCK_AGREES * about.cpus * wall:
        yield "its blocks took %.3g s of processor time in %.3g s on %d cores: is a unit wrong?" % (
            cpu, wall, about.cpus)  # fmt: skip


def _losses(run: Record, _: Context, __: float) -> Iterator[str]:
    """Training changed the loss."""
    first, last = run["loss_first"], run["loss_last"]
    if run["case"]["task"] != "infer" and first == last and len(run.get("losses", (first, last))) > 1:
        yield "training left the loss at exactly %s: was anything computed, or waited for?" % first


def _variance(run: Record, _: Context, __: float) -> Iterator[str]:
    """Times differ: no two blocks on a real machine take the same number of nanoseconds, let alone three."""
    times = run["block_s"] if run["kind"] == "run" else run["epoch_s"]
    if len(times) > 2 and len(set(times)) == 1:
        yield "all %d times are exactly %s s" % (len(times), times[0])


def _decile(run: Record, _: Context, __: float) -> Iterator[str]:
    """What a run is told by is no exception among its blocks: disturbances lengthen some, and nothing shortens them."""
    if run["kind"] != "run":
        return
    decile, median = lower_decile(run["block_s"]), statistics.median(run["block_s"])
    if decile < LEAST_DECILE * median and min(run["block_s"]) > 0:
        told = "a tenth of its blocks took %.3g s or less, and half %.3g s or more" % (decile, median)
        yield told + ": did some waits not wait? If the machine was disturbed instead, measure again"


def bounds(case: Record, about: Context) -> Optional[Ceiling]:
    """Return what no run of a case can exceed: MARGIN times the measured ceiling, or the datasheet's where larger."""
    measured = about.ceilings.get((case["device"], case["precision"]), Ceiling(0.0, 0.0))
    peak = peaks.of(about.gpu) if case["device"] == "gpu" else None
    if peak is None and not measured.flops_s:
        return None
    return Ceiling(
        max(MARGIN * measured.flops_s, getattr(peak, case["precision"], 0.0)),
        max(MARGIN * measured.bytes_s, getattr(peak, "bytes_s", 0.0)),
    )


def _roofline(run: Record, about: Context, seconds: float) -> Iterator[str]:
    """No step is faster than the machine multiplies, or reads memory that no cache holds (Williams et al. 2009)."""
    limit = bounds(run["case"], about)
    cost = work(run) if limit else None
    if limit is None or cost is None or not seconds:
        return
    needed = "%s takes at least %.3g %s, and this machine does at most %.3g a second: at least %.3g s, not %.3g s"
    what = "an epoch" if run["kind"] == "epochs" else "a step"
    moved = max(0.0, cost.least_bytes - CACHE_BYTES[run["case"]["device"]])
    for amount, rate, unit in ((cost.least_flops, limit.flops_s, "FLOP"), (moved, limit.bytes_s, "bytes")):
        if amount > rate * seconds:
            yield needed % (what, amount, unit, rate, amount / rate, seconds)


def _proofs(run: Record, about: Context, _: float) -> Iterator[str]:
    """A run names the proof of its code: one proof for one code, and that of the files where they are at hand."""
    own = about.proofs.get(_subject(run), ())
    if len(own) > 1 and len({code for code, its_proof in own if its_proof == run["proof"]}) > 1:
        yield "its parity proof %s is claimed for other code as well" % run["proof"]
    if len(own) > 1 and len({its_proof for code, its_proof in own if code == run["code"]}) > 1:
        yield "its code %s has other parity proofs as well" % run["code"]
    name, row = run["case"]["environment"], about.environments.get(run["case"]["environment"])
    if row and name in about.loaded:
        now = proof.proof_hash(run["case"]["workload"], row, about.loaded[name])
        now = proof.of_mode(now, row, run["case"]["mode"])
        if not proof.same(run["proof"], now):
            yield "its parity proof %s is not that of the files as they are now (%s): they were edited meanwhile" % (
                run["proof"], now)  # fmt: skip


def _feeding(run: Record, about: Context, _: float) -> Iterator[str]:
    """No pass waits longer for its batches than it lasts; no more cores, and no more of a GPU, work than there are."""
    for waited_s, pass_s in zip(run.get("waiting_s", ()), run["epoch_s"] if run.get("waiting_s") else ()):
        if waited_s > pass_s:
            yield "a pass of %.3g s waited %.3g s for its batches: is a unit wrong?" % (pass_s, waited_s)
    samples = run.get("utilization", ())
    most_cores, most_share = (max([each[place] or 0.0 for each in samples], default=0.0) for place in (1, 2))
    if about.cpus and most_cores > CPU_CLOCK_AGREES * about.cpus:
        yield "%.3g cores were at work, and the machine has %d" % (most_cores, about.cpus)
    if most_share > 1:
        yield "%.3g of a GPU was at work: expected a share, from 0 to 1" % most_share


CHECKS = (_durations, _units, _losses, _variance, _decile, _roofline, _feeding, _proofs)


def problems(run: Record, about: Context) -> List[str]:
    """Return what makes a run impossible, a sentence each; nothing for one that is possible, or has no time anyway."""
    if run["status"] != "ok":
        return []
    kind = run["case"]["task"] if run["case"]["task"] in FED else run["kind"]
    needed = NEEDED[kind](run)
    if None in needed or [] in needed:
        lacks = [name for name, value in zip(NEEDS[kind], needed) if value is None or value == []]
        return ["it has a time, and lacks %s" % ", ".join(lacks)]
    contradictions = list(_parts(run))
    if contradictions:
        return contradictions
    seconds = time_s(run)
    return [sentence for check in CHECKS for sentence in check(run, about, seconds)]


def judged(run: Record, about: Context) -> Record:
    """Return a run as it is, or `implausible` with the reason and all its numbers."""
    found = problems(run, about)
    return refused(run, "; ".join(found)[:LONGEST_REASON]) if found else run


def refused(run: Record, reason: str) -> Record:
    """Return a run with all its numbers as one that is impossible."""
    return dict(run, status=IMPLAUSIBLE, reason=reason)


def judge_all(lines: List[Record]) -> List[Record]:
    """Return a campaign's lines with each run judged, by itself and beside its rivals: how a file is read."""
    about = context(lines)
    found = [judged(line, about) if is_run(line) else line for line in lines]
    places = [place for place, line in enumerate(found) if is_run(line)]
    for place, reason in rivals.odd([found[place] for place in places]).items():
        found[places[place]] = refused(found[places[place]], reason)
    return found
