"""The timing loop beside a bare one: the same steps with two clock readings and one wait, in one process.

What decides is the ratio of the two blocks of a turn. Which of them comes first is chance, so that its logarithm lies
symmetrically around what the loop costs, and the mean of the middle of all turns estimates just that; it leaves out the
turns in which somebody took a core from one of the two, which are most of the noise: of eleven recorded series of light
steps, nine have narrower intervals so than by the mean of all turns, by 8 to 42 %. Turns go on until that interval is
narrow, and at most for MOST_S: a light step needs seconds for it, a step of a second minutes. Only its width ends it,
never where it lies.
"""

import math
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

import numpy as np

from bench import controls, registry
from bench import measure as loop
from bench.controls import HEAVY, LIGHT, Session
from bench.errors import Unsupported
from bench.worker import programs

ORDER = 4
NAME = "overhead"
BLOCK_S = 0.02  # short blocks: what is done once a block weighs more in them than in the 0.1 s of a run's
AT_LEAST_S, MOST_S = 15.0, 240.0
FEWEST = 10  # turns, where a step takes seconds
NARROW = 0.018  # half-width of the ratio's 99 % interval, at which no turn is made any more
TRIMMED = 0.2  # of all turns, at either end
QUANTILE = 2.7  # about Student's for 99 % and some fifty turns: the judge takes the exact one
LIGHT_S, HEAVY_S = 20.0, 70.0  # of an environment, on average: those with a training loop of their own are not asked
TIMEOUT_S = 1200.0


def extremes(place: Session, environment: str) -> List[str]:
    """Return LIGHT and HEAVY; where one of them is not answered, the first or the last up to HEAVY that is."""
    known = registry.workload_names()
    answered = [name for name in known[: known.index(HEAVY) + 1] if (environment, name) in place.prepared.proofs]
    ends = [name if name in answered else other for name, other in zip((LIGHT, HEAVY), answered[:1] + answered[-1:])]
    return ends[: len(set(ends))]


def _asked(place: Session) -> List[controls.Question]:
    return [
        controls.question(place, name, workload) for name in place.environments for workload in extremes(place, name)
    ]


def expected_s(place: Session) -> float:
    """Return the seconds of all environments."""
    return sum(LIGHT_S if question["workload"] == LIGHT else HEAVY_S for question in _asked(place))


def measure(place: Session) -> None:
    """Ask every environment, on the smallest and the largest practical workload that it answers."""
    controls.ask_each(place, NAME, _asked(place), TIMEOUT_S)


class Middle(NamedTuple):
    """The mean of the middle of some numbers, and how far it may be off."""

    centre: float
    error: float
    freedom: int


def middle(values: Sequence[float]) -> Middle:
    """Return the mean of what is left of numbers when TRIMMED of them are cut at either end.

    Its standard error is that of Tukey and McLaughlin (Sankhya A 25, 1963): from all of them, those cut drawn in.
    """
    ordered = np.sort(np.asarray(values))
    cut = int(TRIMMED * len(ordered))
    kept = ordered[cut : len(ordered) - cut]
    drawn_in = np.clip(ordered, kept[0], kept[-1])
    error = np.std(drawn_in, ddof=1) * math.sqrt(len(ordered)) / len(kept)
    return Middle(float(np.mean(kept)), float(error), len(kept) - 1)


def logs(ours_s: Sequence[float], bare_s: Sequence[float]) -> List[float]:
    """Return the logarithm of the ratio of both loops' blocks, turn by turn."""
    return [float(each) for each in np.log(np.asarray(ours_s) / np.asarray(bare_s))]


def is_open(series: Dict[str, List[float]], so_far_s: float) -> bool:
    """Say whether the ratio's interval is still wide, and more turns may be made."""
    return so_far_s < MOST_S and QUANTILE * middle(logs(series["ours_s"], series["bare_s"])).error > NARROW


class Clocked:
    """A program that reads the clock before the first step of a block and after its wait, and nothing else."""

    def __init__(self, program: Any) -> None:
        self.program = program
        self.begun: Optional[float] = None
        self.block_s = 0.0

    def step(self, batch: Any) -> Any:
        """Make one step."""
        if self.begun is None:
            self.begun = time.perf_counter()
        return self.program.step(batch)

    def wait(self, handle: Any) -> Any:
        """Wait, and keep the seconds since the first step."""
        number = self.program.wait(handle)
        self.block_s, self.begun = time.perf_counter() - (self.begun or 0.0), None
        return number


def bare(program: Any, batch: Any, steps: int) -> float:
    """Return the seconds of the plainest loop there is."""
    begun = time.perf_counter()
    for _ in range(steps):
        handle = program.step(batch)
    program.wait(handle)
    return time.perf_counter() - begun


def steps_per_block(program: Any, batch: Any, block_s: float) -> int:
    """Make a program's first steps, and return how many make a block of at least `block_s`."""
    warm = [loop.block(program, batch, 1)[0] for _ in range(1 + loop.WARM_UP_STEPS)]
    return loop.steps_per_block(max(min(warm), loop.SHORTEST_S), 0.0, block_s)


def alternate(
    seed: int,
    timed: Dict[str, Callable[[], float]],
    fewest: int,
    at_least_s: float,
    is_open: Callable[[Dict[str, List[float]], float], bool] = lambda *_: False,
) -> Dict[str, List[float]]:
    """Call each of `timed` once a turn, in random order; return their seconds.

    It ends after `at_least_s` and `fewest` turns, when `is_open(series, seconds so far)` is so no longer.
    """
    random = np.random.RandomState(seed)
    series: Dict[str, List[float]] = {name: [] for name in timed}
    begun, order = time.perf_counter(), sorted(timed)

    def goes_on() -> bool:
        so_far_s = time.perf_counter() - begun
        return len(series[order[0]]) < fewest or so_far_s < at_least_s or is_open(series, so_far_s)

    while goes_on():
        for index in random.permutation(len(order)):
            series[order[index]].append(timed[order[index]]())
    return series


def inside(request: Dict[str, Any], environment: registry.Environment, adapter: Any) -> Dict[str, Any]:
    """Alternate blocks of our loop and of a bare one; `within_s` is our blocks by a clock inside them."""
    program, batch = programs.in_training(request, environment, adapter)
    if hasattr(program, "loop"):
        raise Unsupported("its steps are made by the framework's own training loop: there is none of ours around them")
    steps = steps_per_block(program, batch, BLOCK_S)
    clocked, within = Clocked(program), []

    def ours() -> float:
        wall_s = loop.block(clocked, batch, steps)[0]
        within.append(clocked.block_s)
        return float(wall_s)

    timed = {"ours_s": ours, "bare_s": lambda: bare(clocked, batch, steps)}
    series = alternate(request["seed"], timed, FEWEST, AT_LEAST_S, is_open)
    return {"about": {}, "series": dict(series, within_s=within, steps=[steps])}
