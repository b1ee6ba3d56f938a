"""Measure programs in rounds of fresh processes that take turns, within a budget; look at each in a further process."""

import functools
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bench import machine
from bench.campaign.estimates import FEWEST
from bench.driver import processes
from bench.driver.neighbours import Canary
from bench.driver.processes import Command, Worker
from bench.driver.turn_taking import Limits, take_turns
from bench.replies import Request
from bench.units import step_time
from bench.versus import verdict
from bench.versus.choosing import Choice, VersusError, interpreter
from bench.versus.inside import facts
from bench.versus.verdict import Reply

INSIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inside")
BLOCK_S = 0.1
BUDGET_S, TIMEOUT_S = 180.0, 300.0
LEAST_TURNS, MOST_TURNS = 5, 20
MOST_ROUNDS = 30
MOST_OVER = 1.5  # looks may exceed the budget by this factor, because a ratio without causes helps little
LOOK_STARTS, LOOK_STEPS = 1.5, 30  # a look takes about so many starts and steps: hooks, profiles and arrays


class Subject(NamedTuple):
    """Work of a request to bench/versus/inside: the program, and how it is started."""

    path: str
    loop: str
    arguments: Sequence[str]
    settings: Mapping[str, str]
    block_s: float


class Setup(NamedTuple):
    """What all rounds share."""

    choices: Sequence[Choice]
    folder: str  # the programs' working directory
    budget_s: float
    timeout_s: float  # of a start, a turn or a look
    looks: bool
    say: Callable[[str], None]


class Measured(NamedTuple):
    """The rounds of a comparison: a reply of each program, in the order of the choices."""

    rounds: list[list[Reply]]
    looks: list[Reply]  # of each program, empty replies without a look
    twins: list[Reply]  # of each program with outputs() or weights()
    spent_s: float
    round_s: float
    note: str  # why there are too few rounds; empty otherwise


class _Competitor(NamedTuple):
    choice: Choice
    worker: Worker
    order: list[int]


def measure(setup: Setup) -> Measured:
    """Measure until all pairs are decided or the budget is spent; raises VersusError if a program fails."""
    begin = time.monotonic()
    rounds = [_round(setup, 1)]
    round_s = time.monotonic() - begin
    _check_units(setup.choices, rounds[0])
    look_s = _look_s(rounds[0]) if setup.looks else 0.0
    setup.say(f"Round 1: {_described(setup.choices, rounds[0])}. It took {round_s:.0f} s.")
    needed_s = round_s * FEWEST + look_s
    note = ""
    if needed_s > setup.budget_s:
        note = (
            f"Three rounds need about {needed_s:.0f} s, and the budget is {setup.budget_s:.0f} s: "
            f"give --budget {math.ceil(needed_s * 1.2 / 10) * 10}s."
        )
        setup.say(note)
    looks, twins = _looks(setup, rounds[0], time.monotonic() - begin + look_s)
    longest_s = round_s
    while len(rounds) < MOST_ROUNDS and time.monotonic() - begin + longest_s <= setup.budget_s:
        start = time.monotonic()
        rounds.append(_round(setup, len(rounds) + 1))
        longest_s = time.monotonic() - start
        setup.say(f"Round {len(rounds)}: {_described(setup.choices, rounds[-1])}.")
        if verdict.are_decided(rounds):
            break
    spent_s = time.monotonic() - begin
    return Measured(rounds, looks, twins, spent_s, round_s, note if len(rounds) < FEWEST else "")


def _check_units(choices: Sequence[Choice], replies: Sequence[Reply]) -> None:
    units = {str(reply["unit"]): choice for choice, reply in zip(choices, replies)}
    if len(units) > 1:
        timed = " and ".join(f"{choice.letter} by {unit}" for unit, choice in units.items())
        raise VersusError(
            f"The programs are timed differently: {timed}. Give --loop for both, or write step() in both."
        )


def _described(choices: Sequence[Choice], replies: Sequence[Reply]) -> str:
    return ", ".join(f"{choice.letter} {step_time(verdict.step_s(reply))}" for choice, reply in zip(choices, replies))


def _look_s(replies: Sequence[Reply]) -> float:
    """Return about how long the looks will take: each is a start and some steps, and a twin is one more."""
    return sum(
        LOOK_STARTS * float(reply["start_s"]) * (1 + bool(reply["has_arrays"])) + LOOK_STEPS * verdict.step_s(reply)
        for reply in replies
    )


def _looks(setup: Setup, measured: Sequence[Reply], needed_s: float) -> tuple[list[Reply], list[Reply]]:
    """Look at each program in a process that is never timed, and once more at those with outputs or weights.

    `needed_s` is when the looks would end. Without time for them, the replies say so.
    """
    looks: list[Reply] = []
    twins: list[Reply] = []
    if not setup.looks or needed_s > MOST_OVER * setup.budget_s:
        reason = (
            f"not looked at: that needs a budget of {needed_s / MOST_OVER:.0f} s" if setup.looks else "not looked at"
        )
        looks = [{"status": "skipped", "reason": reason} for _ in setup.choices]
        return looks, [{} for _ in setup.choices]
    for choice, reply in zip(setup.choices, measured):
        setup.say(f"Looking at {choice.name} in a process that is not timed.")
        looks.append(_asked("look", choice, setup))
        twins.append(_asked("twin", choice, setup) if reply["has_arrays"] else {})
    return looks, twins


def _asked(request: str, choice: Choice, setup: Setup) -> Reply:
    """Return the reply to a request without turns. A failed look leaves facts unknown, with the reason."""
    reply = finish(start(request, choice, setup), setup.timeout_s)
    if reply["status"] != "ok" and "() returned a " in str(reply["reason"]):
        raise failure(choice, reply)
    return reply


def start(request: str, choice: Choice, setup: Setup) -> Worker:
    """Start a process that serves a request about a program, with the user's working directory and variables."""
    subject = Subject(choice.path, choice.loop, choice.arguments, choice.settings, BLOCK_S)
    command = Command([INSIDE], setup.folder, {**sharing(), **os.environ, **choice.settings})
    return Worker(interpreter(choice), command, Request(request, choice.environment, "", 0, work=subject))


def finish(worker: Worker, timeout_s: float) -> Reply:
    """Let a process end; return its reply."""
    reply = worker.finish(timeout_s)
    return {"status": reply.status, "reason": reply.reason, "error_tail": reply.error_tail, **reply.measured}


@functools.lru_cache(maxsize=1)
def sharing() -> dict[str, str]:
    """Return the variables that let programs share the memory of a GPU; empty without a GPU."""
    known = facts.every() if machine.gpu()[0] else []
    return {name: value for own in known for name, value in getattr(own, "SHARES", {}).items()}


def _round(setup: Setup, number: int) -> list[Reply]:
    """Start all programs one after the other in random order, let them take turns, and return their replies."""
    random = np.random.RandomState(number)
    competitors: list[_Competitor] = []
    starts_s: dict[str, float] = {}
    try:
        for index in random.permutation(len(setup.choices)):
            choice = setup.choices[index]
            worker = start("measure", choice, setup)
            competitors.append(_Competitor(choice, worker, []))
            if not worker.heard(setup.timeout_s):
                raise failure(choice, finish(worker, setup.timeout_s))
            starts_s[choice.letter] = worker.held_s
        limits = Limits(LEAST_TURNS, MOST_TURNS, sum(starts_s.values()), is_patient=True)
        take_turns(competitors, random, limits, lambda who, patience_s: _turn(who, setup, patience_s))
        replies = {}
        for competitor in competitors:
            reply = finish(competitor.worker, setup.timeout_s)
            if reply["status"] != "ok":
                raise failure(competitor.choice, reply)
            letter = competitor.choice.letter
            replies[letter] = dict(reply, start_s=starts_s[letter], block_order=competitor.order)
    finally:
        for competitor in competitors:
            competitor.worker.close()
        processes.close_all()
    return [replies[choice.letter] for choice in setup.choices]


def _turn(competitor: _Competitor, setup: Setup, patience_s: float) -> tuple[bool, float, float]:
    """Let a program measure a block, once all cores are quiet. It is not bound to cores: its threads are its own."""
    waited_s = _canary().quiet([], patience_s).waited_s
    begin = time.monotonic()
    competitor.worker.say(b"")
    return competitor.worker.heard(setup.timeout_s), waited_s, time.monotonic() - begin


@functools.lru_cache(maxsize=1)
def _canary() -> Canary:
    """Return what checks all cores: the fastest times that it learns serve all rounds."""
    return Canary(machine.cores())


def failure(choice: Choice, reply: Reply) -> VersusError:
    """Return the error of a program that failed: what happened, and what the user can do."""
    return VersusError(f"{choice.name}: {_explained(choice, reply)}{_end_of(reply)}")


def _explained(choice: Choice, reply: Reply) -> str:
    reason, missing = str(reply["reason"]), reply.get("missing")
    where = f"the environment {choice.environment}" if choice.environment else "its interpreter"
    if missing and not os.path.exists(os.path.join(os.path.dirname(choice.path), missing.partition(".")[0] + ".py")):
        package = missing.partition(".")[0]
        return (
            f"{where} has no module {missing}. Install {package} into an environment of your own (pip install "
            f"{package}), and name its interpreter: --python {choice.letter}=PATH."
        )
    if reply["status"] == "timeout":
        return f"{reason}. If it needs longer, allow it: --timeout 20m. If it never ends, look for an endless loop."
    if reply["status"] == "out_of_memory":
        return f"out of memory. {reason}. Make its batch smaller; programs of a round are in memory at the same time."
    if reply.get("has_ended"):
        return f'{reason}. If it needs arguments, give them: --arguments {choice.letter}="--epochs 1".'
    return reason


def _end_of(reply: Reply) -> str:
    """Return the last lines of the program's error output, indented."""
    if reply.get("missing") or reply["status"] == "timeout" or not reply.get("error_tail"):
        return ""
    lines = [line for line in str(reply["error_tail"]).strip().splitlines() if line.strip()]
    return "".join(f"\n    {line}" for line in lines[-4:])
