"""Twins measured one after the other and in turns, while another process loads the machine in waves."""

import os
import subprocess
import sys
from typing import Any, List, Tuple

from bench import controls, profiles, registry, rounds
from bench.cases import Case
from bench.controls import LIGHT, Place

ORDER = 3
NAME = "order"
ROUNDS = 10
RUN_S = 5.0
ARMS = ("sequential", "interleaved")
TWINS = ("a", "b")


def expected_s(place: Place) -> float:
    """Return the seconds of both arms."""
    return len(ARMS) * len(TWINS) * RUN_S * (place.arguments.rounds or ROUNDS)


def schedule(case: Case, count: int, seed: int) -> List[Tuple[Case, int]]:
    """Return (case, round) of every run: all of one twin, then all of the other; then both, in rounds."""
    sequential, interleaved = (
        [case._replace(environment="%s-%s" % (arm, twin)) for twin in TWINS] for arm in ARMS
    )  # fmt: skip
    one_after_the_other = [(twin, round_) for twin in sequential for round_ in range(1, count + 1)]
    in_turns = [
        (twin, round_) for round_ in range(1, count + 1) for twin in rounds.order(interleaved, seed, round_)
    ]  # fmt: skip
    return one_after_the_other + in_turns


def measure(place: Place) -> None:
    """Measure both arms under the load; a wave is busy for about as long as one twin takes in sequence."""
    case = controls.first_case(place, LIGHT)
    count = place.arguments.rounds or ROUNDS
    planned = schedule(case, count, place.arguments.seed)
    names = sorted({each.environment for each, _ in planned})
    campaign = place.begin(NAME, [case._replace(environment=name) for name in names])
    setting = place.twins(profiles.CONTROL, case, names)
    with Waves(count * RUN_S):
        controls.measure_planned(campaign, planned, RUN_S, lambda *words: rounds.measure(*words, setting))


class Waves:
    """A process that loads one core for `seconds`, rests as long, and so on; it ends with this block, or its parent."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> "Waves":
        command = [sys.executable, "-m", "bench.controls._load", str(self.seconds), str(os.getpid())]
        self.process = subprocess.Popen(command, cwd=registry.ROOT, stdin=subprocess.DEVNULL)
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.wait()
