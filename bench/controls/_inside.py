"""What a control's worker needs inside an environment: blocks of a program, and turns between what is compared."""

import time
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from bench import measure as loop
from bench import own_controls, registry


def own(environment: registry.Environment, function: str) -> Optional[Callable[..., Any]]:
    """Return a function of its framework's controls.py, or None where there is none."""
    if function not in own_controls.names(environment):
        return None
    return getattr(own_controls.load(environment), function)


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
