"""The timing loop beside a bare one: the same steps with two clock readings and one wait, in one process.

The ratio of the two blocks of a turn decides. Their order is random, so its logarithm lies symmetrically around the
cost of the loop. The mean of the middle of all turns estimates that cost. It leaves out turns in which another process
took a core from one of the two. Of eleven recorded series of light steps, nine have intervals that are 8 to 42 %
narrower than with the mean of all turns. Turns continue until that interval is narrow, at most for MOST_S
(bench/worker/controls.py). Only its width ends them, never its place.
"""

from typing import List

from bench import controls, registry
from bench.controls import HEAVY, LIGHT, Session

ORDER = 4
NAME = "overhead"
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
