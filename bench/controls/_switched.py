"""One program, and what is switched on and off between its blocks: both are of one process, and a moment apart.

What differs from process to process, and what a shared machine does within seconds, hits all conditions alike. Each
round is a fresh process, and a line of the control: {condition: seconds per step, block by block}.
"""

import signal
import time
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from bench import campaign as campaigns
from bench import controls, profiles, records, turns
from bench.cases import Case
from bench.controls import Session
from bench.processes import Worker
from bench.progress import duration

ROUNDS = 10
START_S = 4.0  # of a process, most of which imports a framework
BLOCK_S = 0.12  # with the step that wakes it up

Conditions = Dict[str, Callable[[], None]]  # what brings each of them about
Round = Callable[[turns.Turn, turns.Setting], List[Dict[str, Any]]]  # returns the control's lines of one round


def is_possible() -> bool:
    """Say whether this system can stop a process and let it go on."""
    return hasattr(signal, "SIGSTOP")


def count(place: Session) -> int:
    """Return how many rounds are asked for."""
    return place.arguments.rounds or ROUNDS


def measure(place: Session, control: str, cases: List[Case], measured: Round) -> None:
    """Measure the rounds that an interrupted campaign of the same cases lacks, and end it."""
    if not is_possible():
        place.say("%s: this system has no signal that stops a process; nothing is measured" % control)
        return
    campaign = place.begin(control, cases)
    setting = place.setting(profiles.CONTROL)
    done = {each["about"].get("round") for each in records.of_kind(campaign.lines, "control")}
    waiting = [number for number in range(1, count(place) + 1) if str(number) not in done]
    begun = time.monotonic()
    for made, number in enumerate(waiting, 1):
        for each in measured(turns.Turn(number, 0, set(cases)), setting):
            campaign.write(each)
        left_s = (len(waiting) - made) * (time.monotonic() - begun) / made
        place.say("%s, round %d of %d, about %s left" % (control, number, count(place), duration(left_s)))
    campaigns.end(campaign, count(place), "all that was planned")


def begin(case: Case, turn: turns.Turn, setting: turns.Setting, alive: List[Worker]) -> Optional[Worker]:
    """Start a process, note it in `alive`, and return it when only its turns are left; None: it does not get there."""
    worker = turns.start(case, turn, setting).worker
    alive.append(worker)
    worker.heard(setting.timeout_s)
    worker.say(b"")
    return worker if worker.heard(setting.timeout_s) else None


def alternate(worker: Worker, conditions: Conditions, turn_count: int, seed: int, timeout_s: float) -> List[str]:
    """Let a program make a block under each condition, in random order, turn by turn; return whose each block is."""
    random, names, made = np.random.RandomState(seed % 2**32), sorted(conditions), []  # type: Any, List[str], List[str]
    for _ in range(turn_count):
        for index in random.permutation(len(names)):
            conditions[names[index]]()
            worker.say(b"")
            if not worker.heard(timeout_s):
                return made
            made.append(names[index])
    return made


def line(control: str, case: Case, turn: turns.Turn, made: List[str], reply: Dict[str, Any]) -> Dict[str, Any]:
    """Return a process's line: its blocks by condition, or why it has none."""
    series = {}  # type: Dict[str, List[float]]
    if reply["status"] == "ok":
        for name, block_s in zip(made, reply["block_s"]):
            series.setdefault(name, []).append(block_s / reply["steps_per_block"])
    about = {"environment": case.environment, "mode": case.mode, "workload": case.workload, "round": str(turn.round)}
    return controls.record(control, about, series, reply, campaigns.now())
