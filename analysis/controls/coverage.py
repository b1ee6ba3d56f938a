"""A 99 % interval covers the truth in 99 %

Passes when 98 to 99.5 % of the intervals contain the truth, in comparisons of ten rounds that are replayed around a
known ratio.

The data are the rounds of the five twins. Each replayed comparison draws rounds and, in each of them, two of the twins.
It multiplies one side by a known ratio. Real runs are not normally distributed, so Student's interval is not exact.
This control says how far off it is, also for fewer and for more rounds. With ten rounds it repeats the first control on
more data. In addition, it covers other numbers of rounds, and an interval may not be too wide either.
"""

import numpy as np

from analysis import controls
from analysis.controls import Control, evidence, same
from analysis.stats import replay
from bench.results.lines import Line

ORDER = 3
MEASURED = "planted"
REPLAYS = 10_000
LEAST, MOST = 0.98, 0.995
SIZES = (3, 5, 10, 20)
RATIO = 1.03


def judge(lines: list[Line]) -> Control:
    """Count how often the interval covers the known ratio, by the number of rounds."""
    twins = same.twins_of(lines)
    rounds = replay.prepare(controls.times(twins))
    if len(rounds.comparable) < replay.ROUNDS:
        return Control(None, f"Too few rounds to replay comparisons of {replay.ROUNDS}.")
    covered = coverage(rounds)
    at = covered[replay.ROUNDS]
    finding = (
        f"Of {REPLAYS:,} comparisons of {replay.ROUNDS} rounds, replayed around a ratio of {RATIO}, "
        f"{controls.percent(at)} have a 99 % interval that covers it."
    )
    rows = [(str(size), controls.percent(share)) for size, share in covered.items()]
    return Control(LEAST <= at <= MOST, finding, evidence(rows, "rounds", "covers in"))


def coverage(rounds: replay.Rounds) -> dict[int, float]:
    """Return the share of intervals that hold RATIO, by the number of rounds."""
    truth = np.log(RATIO)
    replays = ((size, replay.among(rounds, REPLAYS, size)) for size in SIZES)
    return {size: 1 - float(each._replace(mean=each.mean + truth).excludes(truth).mean()) for size, each in replays}
