"""One program beside the sampler of the machine's state, and without it: the sampler is stopped between its blocks."""

import functools
import signal
from typing import Any, Dict, List

from bench import processes, telemetry, turns
from bench.cases import Case
from bench.controls import Session, _switched, spread

ORDER = 7
NAME = "sampler"
TURNS = 60  # of a round: a block beside the sampler, and one without it
SAMPLED, ALONE = "sampled", "alone"
SHARE = "share"  # of one core, which the sampler took beside the start of a round's process


def expected_s(place: Session) -> float:
    """Return the seconds of all rounds."""
    return _switched.count(place) * (_switched.START_S + 2 * TURNS * _switched.BLOCK_S)


def measure(place: Session) -> None:
    """Measure the steadiest environment's program in rounds of its own, each with a sampler of its own."""
    case = spread.steadiest_case(place)
    _switched.measure(place, NAME, [case], functools.partial(_round, case))


def _round(case: Case, turn: turns.Turn, setting: turns.Setting) -> List[Dict[str, Any]]:
    alive: List[processes.Worker] = []
    made: List[str] = []
    with telemetry.Watch(setting.threads) as watch:
        try:
            watch.begin()
            own = _switched.begin(case, turn, setting, alive)
            (seen,) = watch.end([{}])
            if own:
                switch = watch.process.send_signal
                conditions = {
                    SAMPLED: functools.partial(switch, signal.SIGCONT),
                    ALONE: functools.partial(switch, signal.SIGSTOP),
                }
                made = _switched.alternate(own, conditions, TURNS, setting.seed + turn.round, setting.timeout_s)
            line = _switched.line(NAME, case, turn, made, alive[0].finish(setting.timeout_s))
        finally:
            watch.process.send_signal(signal.SIGCONT)  # what is stopped does not end when it is asked to
            for one in alive:
                one.close()
            processes.close_all()
    share = seen and seen["sampler_share"]
    if share is not None and line["series"]:
        line["series"][SHARE] = [share]
    return [line]
