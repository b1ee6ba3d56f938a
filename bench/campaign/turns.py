"""A round of one question: its competitors are alive at once and take turns, one block each in random order.

What disturbs a shared machine comes and goes within seconds. Competitors that are measured one after the other meet
different moments of it; in turns of a tenth of a second they meet the same ones, and what is left between rounds is a
fifth to a tenth of what it was (docs/method.md). The literature calls it randomized multiple interleaved trials (A.
Abedi and T. Brecht, ICPE 2017). A run is still one fresh process, and where its first step is published, it
makes that alone.
"""

import hashlib
import os
import shutil
import time
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np

from bench import ablations, machine, proof, registry
from bench.campaign import campaign as campaigns
from bench.campaign import past
from bench.cases import FED, STEPS, Case
from bench.driver import processes
from bench.driver.processes import Worker
from bench.driver.telemetry import Watch
from bench.profiles import Profile

CACHE = os.path.join(registry.STATE, "cache")
STATE_S = 1.0  # for which each goes on alone on a GPU to tell its clocks and its power, in rounds without an energy
TURNS_TO_STARTS = 2.0  # of what ten turns scatter between rounds, most is from within (docs/method.md)
MEMORY_SHARE = 0.8  # of what is free when a competitor starts: so much may it need


class Setting(NamedTuple):
    """What competitors run with."""

    profile: Profile
    timeout_s: float  # of a start, of a turn, and of an end
    seed: int
    threads: int
    frameworks: str
    data: str  # folder of prepared data sets
    pythons: Dict[str, str]  # environment -> interpreter
    environments: Dict[str, registry.Environment]
    proofs: Dict[Tuple[str, str], str]  # (environment, workload) -> proof hash
    known: past.Known  # what past runs took
    watch: Optional[Watch] = None  # of the machine's state; without one no round is void
    besides: Optional[Dict[str, Dict[str, Any]]] = None  # environment -> what a control asks of its runs besides


class Turn(NamedTuple):
    """Which round of a question, and which of its groups: those that memory holds at once."""

    round: int
    group: int
    seen: Set[Case]  # that ran before in this campaign: their compilers' caches are warm


class Competitor(NamedTuple):
    """One of those that are alive."""

    case: Case
    worker: Worker
    started: str
    order: List[int]  # the place of each of its blocks within its turn
    slowdowns: List[float]  # of its cores by neighbours, when each block began; none without a watch
    cores: List[int]  # that it was moved to for its last block


def order(cases: Sequence[Case], seed: int, round_: int) -> List[Case]:
    """Return the cases in the random order of one round; the same seed gives the same order again."""
    return [cases[i] for i in np.random.RandomState((seed + round_) % 2**32).permutation(len(cases))]


def measure(cases: Sequence[Case], turn: Turn, setting: Setting) -> List[Dict[str, Any]]:
    """Measure the first of `cases`, as many as memory holds at once, and return a record of each.

    They start in this order, which should be random: they import on cores of their own, and each builds, makes its
    first steps and is warm before the next one does. In rounds whose first steps are not published (`start_of`) they
    do all of it on cores of their own. All that get as far take turns for twice as long as the starts took, within the
    profile's bounds; then they end, on cores of their own again, for nothing is timed any more. A run that was never
    seen takes some late steps besides (bench/worker/late.py), with compiler caches that were empty.
    """
    alive, ready = [], []  # type: List[Competitor], List[Competitor]
    if setting.watch:
        setting.watch.begin()
    try:
        begin = time.monotonic()
        if _may_start_together(cases, turn, setting):
            ready, held = _start_all(cases, turn, setting, alive, True), alive
            if setting.watch:
                setting.watch.begin(_running(ready))  # what ran on other cores is over
        else:
            _start_all(cases, turn, setting, alive, False)
            held = [each for place, each in enumerate(alive) if _build(each, place > 0, cases, setting, ready)]
        _take_turns(ready, turn.round, time.monotonic() - begin, setting)
        if setting.watch:
            setting.watch.over(_running(ready))
        replies = _end_all(held, setting)
    finally:
        for each in alive:
            each.worker.close()
        processes.close_all()  # an interrupt may come before one that has started is among them
    if setting.watch:
        for reply, state in zip(replies, setting.watch.end(replies)):
            reply["machine_state"] = state
            if "waiting_s" in reply:
                reply["utilization"] = setting.watch.trace(reply["metered"])
    return [_record(position, *each, turn, setting) for position, each in enumerate(zip(held, replies))]


def start_of(case: Case, round_: int, setting: Setting) -> str:
    """Return how a run of that round of its question is expected to start, as results tell it."""
    if round_ == 1 and case.task not in FED:
        return "cold"
    return "beside" if _may_start_beside(case, round_, round_ == 1, setting) else "warm"


def _may_start_beside(case, round_, is_first, setting):
    """Say whether a run may make its first steps while others do.

    Two first steps are published: that of the first round, with the compilers' caches empty, and that of the one after
    the fewest rounds, with them full; it is dear, and a ranking needs the fewest rounds first. What ablations change is
    the steady step: of them, and of what is measured beside them, no first step is told.
    """
    is_published = (is_first or _is_after_fewest(round_, setting.profile)) and case.tier != ablations.TIER
    return not is_published and case.task in STEPS and machine.cores() >= 2 * setting.threads


def _is_after_fewest(round_: int, profile: Profile) -> bool:
    """Say whether a round is the one that is dear: first steps with full caches, and a GPU's energy, come but once."""
    return round_ == profile.min_rounds + 1


def _may_start_together(cases, turn, setting):
    """Say whether nothing of the starts is published, each has cores of its own, and memory holds all of them."""
    if not all(_may_start_beside(case, turn.round, case not in turn.seen, setting) for case in cases):
        return False
    free, known = machine.free_bytes(cases[0].device), setting.known.memory_bytes
    return all(case.id in known for case in cases) and (
        free is None or sum(known[case.id] for case in cases) <= MEMORY_SHARE * free
    )


def _running(alive):
    """Return the processes that have not ended. Who has is waited for here, or the watch would, and its end be lost."""
    return [each.worker.number for each in alive if not each.worker.has_ended()]


def _start_all(cases, turn, setting, alive, is_beside):
    """Start all on cores of their own; return who said a word: when imported, or when ready."""
    heard = []

    def begin(case, place):
        alive.append(start(case, turn, setting, place, is_beside))
        return alive[-1]

    def is_over(one):
        if not one.worker.has_news(setting.timeout_s):
            return False
        if one.worker.heard(setting.timeout_s):
            heard.append(one)
        one.worker.held_s /= processes.at_a_time(setting.threads)  # it had its share of the machine
        return True

    processes.on_own_cores(begin, is_over, cases, setting.threads)
    return [one for one in alive if one in heard]


def _build(one, is_further, cases, setting, ready):
    """Let one get ready, if memory holds it; say whether it did: what it does not hold is left to another group."""
    if is_further and not _has_room(one.case, ready, cases, setting.known.memory_bytes):
        one.worker.close()
        return False
    one.worker.say(b"")
    if one.worker.heard(setting.timeout_s):  # what trains over data takes no turns, and has ended
        ready.append(one)
    return True


def _has_room(case: Case, ready: Sequence[Competitor], rivals: Sequence[Case], known: Dict[str, int]) -> bool:
    """Say whether memory holds one more beside those that are ready, whoever's turn it is: one is awake at a time.

    Asleep they may have given back what their turns take again. Of a case that was never measured, its rivals tell
    what it needs: what they took before, or up to now.
    """
    free = machine.free_bytes(case.device)
    taken = [machine.resident_bytes(each.worker.number) for each in ready] if case.device == "cpu" else []
    needs = known.get(case.id) or max([known.get(each.id, 0) for each in rivals] + [most for _, most in taken])
    again = max([most - now for now, most in taken], default=0)
    return free is None or needs + again <= MEMORY_SHARE * free


def cache_folder(case: Case) -> str:
    """Return where compilers keep what they made for a case: in one place for all loaders, which change no program."""
    case = case._replace(mode=ablations.unfed(case.mode))
    return os.path.join(CACHE, hashlib.sha256(case.id.encode()).hexdigest()[:16])


def _is_cold(case, turn):
    """Say whether a case begins with a compiler cache that was emptied: of what is fed no first step is told."""
    return case not in turn.seen and case.task not in FED


def start(case: Case, turn: Turn, setting: Setting, place: int = 0, is_beside: bool = False) -> Competitor:
    """Start a competitor's process, with the compilers' cache that its round asks for.

    It starts on cores by its `place`; with `is_beside`, it goes on to its turns without a word from us.
    """
    folder, is_first = cache_folder(case), case not in turn.seen
    if _is_cold(case, turn):
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, exist_ok=True)
    request = {
        "request": "measure", "case": dict(case._asdict()), "profile": setting.profile.name, "is_first": is_first,
        "seed": _seed(turn, setting), "threads": setting.threads, "frameworks": setting.frameworks,
        "data": setting.data, "place": place, "is_beside": is_beside,
    }  # fmt: skip
    request.update((setting.besides or {}).get(case.environment, {}))
    started, row = campaigns.now(), setting.environments[case.environment]
    return Competitor(case, Worker(setting.pythons[case.environment], row, request, folder), started, [], [], [])


def _seed(turn, setting):
    return (setting.seed + turn.round) % 2**32


def _take_turns(alive, round_, starts_s, setting):
    """Let all take turns: where starts are dear, more of them pay. Who has measured so long may wait as long."""
    random, begin, made = np.random.RandomState((setting.seed + round_) % 2**32), time.monotonic(), 0
    profile, patience_s = setting.profile, 0.0
    most_s = TURNS_TO_STARTS * starts_s
    while alive and made < profile.most_turns and (made < profile.least_turns or time.monotonic() - begin < most_s):
        made, going_on = made + 1, []
        for place, index in enumerate(random.permutation(len(alive))):
            one = alive[index]
            goes_on, waited_s, took_s = _take_turn(one, patience_s, setting)
            begin += waited_s
            patience_s += (took_s if profile.is_patient else 0.0) - waited_s
            if goes_on:
                one.order.append(place)
                going_on.append(one)
        alive = [each for each in alive if each in going_on]
    metered_s = profile.metered_s if _is_after_fewest(round_, profile) else min(profile.metered_s, STATE_S)
    for one in alive:
        if one.case.device == "gpu":
            one.worker.say(b"%g" % metered_s)
            one.worker.heard(setting.timeout_s + metered_s)


def _take_turn(one, patience_s, setting):
    """Let one make its block, on quiet cores if patience finds any.

    Returns (whether it did, seconds waited, seconds that the block took).
    """
    waited_s = 0.0
    if setting.watch:
        cores, slowdown, waited_s = setting.watch.canary.quiet(one.cores, patience_s)
        if cores != one.cores:
            one.worker.move(cores)
            one.cores[:] = cores
        one.slowdowns.append(round(slowdown, 3))
        one.worker.held_s += waited_s
    begin = time.monotonic()
    one.worker.say(b"")
    goes_on = one.worker.heard(setting.timeout_s)
    return goes_on, waited_s, time.monotonic() - begin


def _end_all(alive, setting):
    """Let all come to their ends, on cores of their own; return their replies."""
    replies = {}

    def begin(number, place):
        worker = alive[number].worker
        if not worker.has_ended():
            worker.move(machine.first_cores(setting.threads, place))
            worker.let_end()
        return number

    def is_over(number):
        worker = alive[number].worker
        if not worker.has_news(setting.timeout_s):
            return False
        before_s = worker.held_s  # its end is added by `finish`
        reply = replies[number] = worker.finish(setting.timeout_s)
        reply["duration_s"] = before_s + (reply["duration_s"] - before_s) / processes.at_a_time(setting.threads)
        return True

    processes.on_own_cores(begin, is_over, range(len(alive)), setting.threads)
    return [replies[number] for number in range(len(alive))]


def _record(position, one, reply, turn, setting):
    case, reply = one.case, dict(reply, block_order=one.order, block_slowdown=one.slowdowns)
    cache = "cold" if _is_cold(case, turn) else "warm"
    plain = setting.proofs.get((case.environment, case.workload))
    own = plain and proof.of_mode(plain, setting.environments[case.environment], case.mode)
    where = campaigns.Where(turn.round, turn.group, position)
    return campaigns.run_record(case, reply, where, one.started, cache, _seed(turn, setting), own)
