"""A planted slow-down is found, and its size with it

Passes when 3 % are found in at least 95 % of the replayed comparisons, and 5 % in at least 99 %. A difference is never
claimed where none was planted. Every estimate is within half a percentage point of what was planted.

Slow-downs of 1, 2, 3 and 5 % are planted in copies of one program. On the device, that share of the steps is made
twice. On the host, a block pauses for that share of its time. Every competitor bears a number. A random draw decides
what is planted in which, and it is disclosed in the results after the last run. All take turns of a block each, as
competitors do. All pairs are estimated first, and the key is read afterwards. A comparison is replayed from ten rounds
that are drawn anew; *found* means that "faster" is claimed. The program is that of the environment whose two names
differed least earlier, because half a point cannot be seen in a noisy one. Rounds that other processes disturbed are
void and repeated, as in every campaign.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis import controls
from analysis.controls import Control, evidence
from analysis.stats import interval, replay
from bench.errors import RecordError
from bench.results import records
from bench.results.lines import Control as Measured
from bench.results.lines import Line, Run

ORDER = 2
MEASURED = "planted"
REPLAYS = 200  # of each pair
LEAST_FOUND = {0: 0.0, 1: 0.0, 2: 0.0, 3: 0.95, 5: 0.99}
LEAST_PLANTED = Counter({0: 2, 3: 1, 5: 1})  # without which there is nothing to judge by
WITHIN = 0.005
Pair = tuple[str, str]  # slower, faster
Estimate = tuple[Mapping[int, float], float]  # ratios by round; share of replays that claim the second to be faster


class Planted(NamedTuple):
    """What was planted in a competitor."""

    way: str
    percent: int

    def __str__(self) -> str:
        return f"{self.percent} % on the {self.way}" if self.percent else "nothing"


PLANTED = {f"{way} {percent}": Planted(way, percent) for way in ("device", "host") for percent in LEAST_FOUND}


class Level(NamedTuple):
    """What was found of a planted share: over all pairs with a twin in which nothing was planted.

    Among those twins themselves each pair occurs in both orders, and the mean ratio is 1 of itself.
    """

    plan: Planted
    ratio: interval.Interval
    found: float

    @property
    def error(self) -> float:
        """The estimate's error as a share: 0.005 is half a percentage point."""
        return self.ratio.value - 1 - self.plan.percent / 100

    @property
    def passes(self) -> bool:
        """Whether it is found as often, and is as large, as it must be."""
        is_enough = self.found >= LEAST_FOUND[self.plan.percent] if self.plan.percent else self.found == 0
        return is_enough and abs(self.error) <= WITHIN


def judge(lines: list[Line]) -> Control:
    """Estimate every pair blindly, then read the key and judge."""
    blind = estimate(controls.runs(lines))
    plans = key(lines)
    levels = disclose(blind, plans)
    lost = sorted(set(plans.values()) - {level.plan for level in levels})
    if not set(LEAST_PLANTED) <= {level.plan.percent for level in levels}:
        return Control(None, f"Too few rounds to replay comparisons of {replay.ROUNDS}.")
    largest = max(levels, key=lambda level: abs(level.error))
    at = {share: min(level.found for level in levels if level.plan.percent == share) for share in (3, 5)}
    never = max(level.found for level in levels if level.plan.percent == 0)
    finding = (
        f"3 % are found in {controls.percent(at[3])} of the replayed comparisons and 5 % in {controls.percent(at[5])}. "
        f"Where nothing was planted, a difference is claimed in {controls.percent(never)}. The largest error of an "
        f"estimate is {100 * largest.error:+.2f} points, of {largest.plan}."
    )
    if lost:
        finding += f" Too many runs failed to say so of {', '.join(map(str, lost))}."
    return Control(controls.all_of((level.passes for level in levels), lost), finding, _table(levels))


def key(lines: list[Line]) -> dict[str, Planted]:
    """Return what was planted in each competitor, as disclosed after the last run.

    Raises:
        RecordError: with the number of the line that is not a key, or lacks a competitor.
    """
    keys = {number: line.about for number, line in enumerate(lines, 1)
            if isinstance(line, Measured) and "environment" not in line.about}  # fmt: skip
    number, about = max(keys.items(), default=(len(lines), {}))
    if len(keys) != 1:
        raise RecordError(f"line {number}: expected one line with the key, got {len(keys)}")
    competitors = {run.case.environment for run in records.of_class(lines, Run)}
    wrong = [name for name in {*about, *competitors} if about.get(name) not in PLANTED]
    if wrong:
        raise RecordError(f"line {number}: about: expected what was planted in {min(wrong)}, one of {list(PLANTED)}")
    plans = {name: PLANTED[text] for name, text in about.items()}
    if plans and not Counter(plan.percent for plan in plans.values()) >= LEAST_PLANTED:
        raise RecordError(f"line {number}: about: expected two twins, and slow-downs of 3 and 5 %, got fewer")
    return plans


def estimate(runs: list[Run]) -> dict[Pair, Estimate]:
    """Estimate each ordered pair of competitors from the runs alone; not those that share too few rounds to replay."""
    times = controls.times(controls.timed(runs))
    rounds, estimates = replay.prepare(times), dict[Pair, Estimate]()
    for slower, faster in permutations(rounds.names, 2):
        if len(rounds.shared(slower, faster)) >= replay.ROUNDS:
            replayed = replay.between(rounds, slower, faster, REPLAYS)
            ratios = {number: times[slower][number] / times[faster][number]
                      for number in times[slower].keys() & times[faster].keys()}  # fmt: skip
            estimates[slower, faster] = ratios, float((replayed.claims & (replayed.mean > 0)).mean())
    return estimates


def disclose(blind: Mapping[Pair, Estimate], plans: Mapping[str, Planted]) -> list[Level]:
    """Return what was found of each planted share, beside the twins in which nothing was planted.

    A round's ratio is the mean over the pairs that have a time in it. A share without a pair is left out.
    """
    twins = [name for name, plan in plans.items() if plan.percent == 0]
    levels = []
    for plan in sorted(set(plans.values()), key=lambda plan: (plan.percent, plan.way)):
        wanted = [(name, twin) for name, planted in plans.items() if planted == plan for twin in twins]
        pairs = [blind[pair] for pair in wanted if pair in blind]
        rounds = sorted({number for ratios, _ in pairs for number in ratios})
        means = [interval.geometric_mean([ratios[n] for ratios, _ in pairs if n in ratios]) for n in rounds]
        if pairs:
            levels.append(Level(plan, interval.mean(means), float(np.mean([share for _, share in pairs]))))
    return levels


def _table(levels: list[Level]) -> pd.DataFrame:
    rows = []
    for level in levels:
        # Twins have no estimate and no error: each is beside each other, and what they show is A/A.
        size = (controls.change(level.ratio), f"{100 * level.error:+.2f}") if level.plan.percent else ("", "")
        least = LEAST_FOUND[level.plan.percent]
        required = f"at least {controls.percent(least)}" if least else "any" if level.plan.percent else "never"
        rows.append((str(level.plan), *size, controls.percent(level.found), required, controls.VERDICTS[level.passes]))
    return evidence(rows, "planted", "found (99 % interval)", "error in points", "claimed in", "required", "verdict")
