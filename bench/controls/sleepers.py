"""One program beside others that are asleep, and beside nobody: does who waits for his turn disturb?

All competitors of a question are alive at once, and threads that spin or a compiler that works in the background would
take time from whose turn it is. A sleeper that is stopped by a signal runs no thread at all: that is "beside nobody".
What it holds of the memory, it holds in both.
"""

import functools
from typing import Any, Dict, List

from bench import controls, processes, turns
from bench.cases import Case
from bench.controls import LIGHT, Session, _switched, spread
from bench.processes import Worker

ORDER = 2
NAME = "sleepers"
TURNS = 40  # of a round, in each of which the program makes a block under each condition
NOBODY, ALL = "nobody", "all of them"


def _sleepers(place: Session) -> Dict[str, Case]:
    """Return what sleeps: each environment that answers LIGHT, that of the measured program as well."""
    return {name: controls.first_case(place, LIGHT, name) for name in controls.answering(place, LIGHT)}


def expected_s(place: Session) -> float:
    """Return the seconds of all rounds."""
    sleepers = len(_sleepers(place))
    each_s = (sleepers + 1) * _switched.START_S + TURNS * (sleepers + 2) * _switched.BLOCK_S
    return _switched.count(place) * each_s if sleepers else 0.0


def measure(place: Session) -> None:
    """Measure the steadiest environment's program beside each one asleep, beside all of them, and beside nobody."""
    sleepers = _sleepers(place)
    if not sleepers:
        place.say("%s: no environment at hand answers %s; nothing is measured" % (NAME, LIGHT))
        return
    case = spread.steadiest_case(place)
    others = [each for each in sleepers.values() if each != case]
    _switched.measure(place, NAME, [case] + others, functools.partial(_round, case, list(sleepers.values())))


def _round(case: Case, sleepers: List[Case], turn: turns.Turn, setting: turns.Setting) -> List[Dict[str, Any]]:
    """Return the line of a program's blocks, and one for each sleeper that ended instead of sleeping."""
    alive, asleep, made = [], {}, []  # type: List[Worker], Dict[str, Worker], List[str]
    waiting, timeout_s = turns.order(sleepers, setting.seed, turn.round), setting.timeout_s
    try:
        own = _switched.begin(case, turn, setting, alive)
        for each in waiting:
            worker = _switched.begin(each, turn, setting, alive)
            if worker:
                asleep[each.environment] = worker
        if own:
            made = _switched.alternate(own, conditions(asleep), TURNS, setting.seed + turn.round, timeout_s)
        lines = [_switched.line(NAME, case, turn, made, alive[0].finish(timeout_s))]
        for each, worker in zip(waiting, alive[1:]):
            if worker.has_ended():
                lines.append(_switched.line(NAME, each, turn, [], worker.finish(timeout_s)))
    finally:
        for one in alive:
            one.close()
        processes.close_all()  # an interrupt may come before one that has started is among them
    return lines


def conditions(asleep: Dict[str, Worker]) -> _switched.Conditions:
    """Return what brings about each condition: who sleeps beside the program, while all others are stopped."""
    beside = {NOBODY: [], ALL: sorted(asleep)}  # type: Dict[str, List[str]]
    beside.update({name: [name] for name in asleep})
    return {name: functools.partial(_let, asleep, awake) for name, awake in beside.items()}


def _let(workers: Dict[str, Worker], asleep: List[str]) -> None:
    for name, worker in workers.items():
        if name in asleep:
            worker.resume()
        else:
            worker.stop()
