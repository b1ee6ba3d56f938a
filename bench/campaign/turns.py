"""Measure one round of a question: its competitors run at once and take turns, one block each in random order.

Turns of a tenth of a second expose all competitors to the same disturbances of a shared machine. The variance between
rounds falls to a fifth to a tenth (docs/method.md). The method is known as randomized multiple interleaved trials (A.
Abedi and T. Brecht, ICPE 2017). Each run is a new process. If its first step is published, the process makes it alone.
"""

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bench import ablations, files, machine, proof, registry
from bench.campaign import estimates
from bench.campaign.campaign import Where, run_record
from bench.cases import FED, STEPS, Case
from bench.driver import processes
from bench.driver.processes import Worker
from bench.driver.telemetry import State, Watch
from bench.driver.turn_taking import Limits, take_turns
from bench.profiles import Profile
from bench.replies import Measure, Reply, Request
from bench.results.lines import Epochs, Run

CACHE = os.path.join(registry.STATE, "cache")
STATE_S = 1.0  # duration of a GPU's measurement of clocks and power, in rounds without energy
TURNS_TO_STARTS = 2.0  # of durations; after ten turns, most variance is within rounds (docs/method.md)
MEMORY_SHARE = 0.8  # of the free memory that a new competitor may need


class Setting(NamedTuple):
    """Settings that all runs of a campaign share, and its budget."""

    profile: Profile
    timeout_s: float  # per start, turn or end
    seed: int
    threads: int
    frameworks: str
    data: str  # the folder of prepared data sets
    pythons: Mapping[str, str]  # environment -> interpreter
    environments: Mapping[str, registry.Environment]
    proofs: Mapping[tuple[str, str], str]  # (environment, workload) -> proof hash
    known: estimates.Known  # durations and memory of past runs
    watch: Watch | None = None  # of the machine's state; without it no round is void
    planted: Mapping[str, tuple[str, int]] = {}  # environment -> (device or host, percent) that slows its runs
    refused: Mapping[str, tuple[str, str]] = {}  # case id -> (status, reason) of cases that are not started
    budget_s: float | None = None  # None: no limit
    begun: Callable[[Sequence[Case], int], None] = lambda *_: None  # called with the cases of a round and its number

    def seed_of(self, round_: int) -> int:
        """Return the seed of a round's runs and of its random orders."""
        return (self.seed + round_) % 2**32


class Turn(NamedTuple):
    """The round of a question and its group: the runs that fit into memory at once."""

    round: int
    group: int
    seen: set[Case]  # cases that ran earlier in this campaign, so that their compiler caches are warm

    def is_cold(self, case: Case) -> bool:
        """Return whether a case starts with an emptied compiler cache; first steps of fed runs are not published."""
        return case not in self.seen and case.task not in FED


class Competitor(NamedTuple):
    """A running competitor."""

    case: Case
    worker: Worker
    started: str
    order: list[int]  # the position of each of its blocks within a turn
    slowdowns: list[float]  # of its cores by neighbours at each block's begin; empty without a watch
    cores: list[int]  # of its last block


def order(cases: Sequence[Case], seed: int, round_: int) -> list[Case]:
    """Return the cases in the random order of a round, which `seed` determines."""
    return [cases[i] for i in np.random.RandomState((seed + round_) % 2**32).permutation(len(cases))]


def measure(cases: Sequence[Case], turn: Turn, setting: Setting) -> list[Run | Epochs]:
    """Measure the first of `cases`, as many as fit into memory at once; return the line of each.

    They start in this order, which should be random. Imports run side by side on separate cores. Then one competitor at
    a time builds, makes its first steps and warms up, unless `start_of` permits all to do so at once.

    All that get ready then take turns for twice as long as the starts took, within the profile's bounds.
    """
    alive, ready = list[Competitor](), list[Competitor]()
    if setting.watch:
        setting.watch.begin()
    try:
        begin = time.monotonic()
        if _may_start_together(cases, turn, setting):
            ready, measured = _start_all(cases, turn, setting, alive, True), alive
            if setting.watch:
                setting.watch.begin(_running(ready))  # other cores are idle now
        else:
            _start_all(cases, turn, setting, alive, False)
            measured = [other for place, other in enumerate(alive) if _build(other, place > 0, cases, setting, ready)]
        _take_turns(ready, turn.round, time.monotonic() - begin, setting)
        if setting.watch:
            setting.watch.over(_running(ready))
        replies = _end_all(measured, setting)
    finally:
        for competitor in alive:
            competitor.worker.close()
        processes.close_all()  # an interrupt may come before a started one is in the list
    devices = [ablations.devices(competitor.case.mode) for competitor in measured]
    metered = [reply.metered for reply in replies]
    states = setting.watch.end(metered, devices) if setting.watch else [None] * len(replies)
    return [_line(position, *parts, turn, setting) for position, parts in enumerate(zip(measured, replies, states))]


def start_of(case: Case, round_: int, setting: Setting) -> str:
    """Return how a run of a round is expected to start, in the words of the results."""
    if round_ == 1 and case.task not in FED:
        return "cold"
    return "beside" if _may_start_beside(case, round_, round_ == 1, setting) else "warm"


def _may_start_beside(case: Case, round_: int, is_first: bool, setting: Setting) -> bool:
    """Return whether a run may make its first steps while others do.

    First steps are published of the first round (cold compiler caches) and of the one after the minimum (warm caches).
    They are never published of ablations and of the runs measured with them.
    """
    is_published = (is_first or round_ == setting.profile.min_rounds + 1) and case.tier != ablations.TIER
    return not is_published and case.task in STEPS and machine.cores() >= 2 * setting.threads


def _may_start_together(cases: Sequence[Case], turn: Turn, setting: Setting) -> bool:
    """Return whether no start is published, each run has separate cores, and memory is enough for all."""
    if not all(_may_start_beside(case, turn.round, case not in turn.seen, setting) for case in cases):
        return False
    free, needs = machine.free_bytes(cases[0].device), [setting.known.memory_bytes.get(case.id) for case in cases]
    return None not in needs and (free is None or sum(filter(None, needs)) <= MEMORY_SHARE * free)


def _running(alive: Iterable[Competitor]) -> list[int]:
    """Return the IDs of running processes; waits for ended ones here, so that the watch does not count their end."""
    running = [competitor.worker for competitor in alive if not competitor.worker.has_ended()]
    return [number for worker in running for number in worker.numbers]


def _start_all(
    cases: Sequence[Case], turn: Turn, setting: Setting, alive: list[Competitor], is_beside: bool
) -> list[Competitor]:
    """Start all competitors on separate cores; return those that became ready or imported."""
    heard = []

    def begin(case: Case, place: int) -> Competitor:
        alive.append(start(case, turn, setting, place, is_beside))
        return alive[-1]

    def is_over(competitor: Competitor) -> bool:
        worker = competitor.worker
        if not worker.has_news(setting.timeout_s):
            return False
        if worker.heard(setting.timeout_s):
            heard.append(competitor)
        worker.held_s /= processes.at_a_time(setting.threads)  # it had this share of the machine
        return True

    processes.on_own_cores(begin, is_over, cases, setting.threads)
    return [competitor for competitor in alive if competitor in heard]


def _build(
    competitor: Competitor, is_further: bool, cases: Sequence[Case], setting: Setting, ready: list[Competitor]
) -> bool:
    """Let a competitor get ready if memory is enough, and return whether it is; otherwise another group measures it."""
    if is_further and not _has_room(competitor.case, ready, cases, setting.known.memory_bytes):
        competitor.worker.close()
        return False
    competitor.worker.say(b"")
    if competitor.worker.heard(setting.timeout_s):  # runs over data take no turns and have ended
        ready.append(competitor)
    return True


def _has_room(case: Case, ready: Sequence[Competitor], rivals: Sequence[Case], peaks: Mapping[str, int]) -> bool:
    """Return whether memory is enough for one more competitor beside the `ready` ones; one is awake at a time.

    Sleeping processes may take back memory that they returned. An unmeasured case is estimated by its rivals' peaks.
    """
    free = machine.free_bytes(case.device)
    taken = [other.worker.resident_bytes() for other in ready] if case.device == "cpu" else []
    needs = peaks.get(case.id) or max([peaks.get(rival.id, 0) for rival in rivals] + [most for _, most in taken])
    again = max([most - now for now, most in taken], default=0)
    return free is None or needs + again <= MEMORY_SHARE * free


def cache_folder(case: Case) -> str:
    """Return the folder of compiler caches of a case; all loaders share it, because they change no program."""
    name = case._replace(mode=ablations.unfed(case.mode)).id
    return os.path.join(CACHE, hashlib.sha256(name.encode()).hexdigest()[:16])


def start(case: Case, turn: Turn, setting: Setting, place: int = 0, is_beside: bool = False) -> Competitor:
    """Start a competitor's process on the cores of a `place`, with an empty or a warm compiler cache."""
    folder, started, environment = cache_folder(case), files.now(), setting.environments[case.environment]
    if turn.is_cold(case):
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, exist_ok=True)
    work = Measure(
        case, setting.profile.name, setting.seed_of(turn.round), case not in turn.seen, setting.data, place, is_beside,
        setting.planted.get(case.environment),
    )  # fmt: skip
    request = Request(
        "measure", environment.name, setting.frameworks, setting.threads, case.device, case.precision, case.mode, work
    )
    return Competitor(
        case, Worker(setting.pythons[case.environment], environment, request, folder), started, [], [], []
    )


def _take_turns(alive: list[Competitor], round_: int, starts_s: float, setting: Setting) -> None:
    """Let all competitors take turns, for longer if starts were expensive; waits are limited to the time measured."""
    profile, random = setting.profile, np.random.RandomState(setting.seed_of(round_))
    limits = Limits(profile.least_turns, profile.most_turns, TURNS_TO_STARTS * starts_s, profile.is_patient)
    alive = take_turns(alive, random, limits, lambda who, patience_s: _take_turn(who, patience_s, setting))
    is_energy_round = round_ == profile.min_rounds + 1
    metered_s = profile.metered_s if is_energy_round else min(profile.metered_s, STATE_S)
    for competitor in alive:
        if competitor.case.device == "gpu":
            competitor.worker.say(b"%g" % metered_s)
            competitor.worker.heard(setting.timeout_s + metered_s)


def _take_turn(competitor: Competitor, patience_s: float, setting: Setting) -> tuple[bool, float, float]:
    """Let a competitor measure a block, on quiet cores if they are found within `patience_s`.

    Returns (whether it continues, seconds waited, seconds that the block took).
    """
    waited_s, worker = 0.0, competitor.worker
    if setting.watch:
        places = machine.places(ablations.cores(competitor.case.mode, competitor.case.device, setting.threads))
        cores, slowdown, waited_s = setting.watch.canary.quiet(competitor.cores, patience_s, places)
        if cores != competitor.cores:
            worker.move(cores)
            competitor.cores[:] = cores
        competitor.slowdowns.append(round(slowdown, 3))
        worker.held_s += waited_s
    begin = time.monotonic()
    worker.say(b"")
    return worker.heard(setting.timeout_s), waited_s, time.monotonic() - begin


def _end_all(alive: Sequence[Competitor], setting: Setting) -> list[Reply]:
    """Let all processes end, on separate cores; return their replies."""
    replies: dict[int, Reply] = {}

    def begin(number: int, place: int) -> int:
        worker = alive[number].worker
        if not worker.has_ended():
            worker.move(machine.first_cores(setting.threads, place))
            worker.let_end()
        return number

    def is_over(number: int) -> bool:
        worker = alive[number].worker
        if not worker.has_news(setting.timeout_s):
            return False
        before_s = worker.held_s  # `finish` adds the duration of the end
        reply = worker.finish(setting.timeout_s)
        duration_s = before_s + (reply.duration_s - before_s) / processes.at_a_time(setting.threads)
        replies[number] = reply._replace(duration_s=duration_s)
        return True

    processes.on_own_cores(begin, is_over, range(len(alive)), setting.threads)
    return [replies[number] for number in range(len(alive))]


def _line(
    position: int, competitor: Competitor, reply: Reply, state: State | None, turn: Turn, setting: Setting
) -> Run | Epochs:
    case, where = competitor.case, Where(turn.round, turn.group, position)
    plain = setting.proofs.get((case.environment, case.workload))
    own_proof = plain and proof.of_mode(plain, setting.environments[case.environment], case.mode)
    fields = {**reply.measured, **reply._asdict(), "block_order": competitor.order}
    fields["block_slowdown"] = competitor.slowdowns
    if setting.watch:
        fields["machine_state"] = state
        if case.task in FED and reply.metered:
            fields["utilization"] = setting.watch.trace(reply.metered)
    cache, seed = "cold" if turn.is_cold(case) else "warm", setting.seed_of(turn.round)
    return run_record(case, fields, where, competitor.started, cache, seed, own_proof)
