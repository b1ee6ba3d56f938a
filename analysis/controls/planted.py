"""A planted slow-down is found, and its size with it

Passes when 3 % are found in at least 95 % of the replayed comparisons, and 5 % in at least 99 %. A difference is never
claimed where none was planted. Every estimate is within half a percentage point of what was planted.

Slow-downs of 1, 2, 3 and 5 % are planted in copies of one program: on the device, where so many of every hundred steps
are made once more, and on the host, which pauses for that share of a block. Every competitor bears a number; what was
planted in which is drawn by chance, and disclosed in the results after the last run. All take turns of a block each, as
competitors do. All pairs are estimated first and the key is read then. A comparison is replayed from ten rounds that
are drawn anew; *found* means that "faster" is claimed. The program is that of the environment whose two names differed
least before: half a point cannot be seen in a noisy one. Rounds that others disturbed are void and repeated, as in
every campaign.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis import controls
from analysis.controls import Control, Line, evidence
from analysis.stats import interval, replay
from analysis.stats.interval import Interval
from analysis.stats.replay import Rounds
from bench.errors import RecordError
from bench.results import records

ORDER = 2
MEASURED = "planted"
REPLAYS = 200  # of each pair
LEAST_FOUND = {0: 0.0, 1: 0.0, 2: 0.0, 3: 0.95, 5: 0.99}
LEAST_PLANTED = Counter({0: 2, 3: 1, 5: 1})  # without which there is nothing to judge by
WITHIN = 0.005
Pair = tuple[str, str]  # slower, faster


class Planted(NamedTuple):
    """What was planted in a competitor."""

    way: str
    percent: int


PLANTED = {f"{way} {percent}": Planted(way, percent) for way in ("device", "host") for percent in LEAST_FOUND}


class Estimate(NamedTuple):
    """What was found between two competitors, before anyone knew what they are."""

    ratios: Mapping[int, float]  # by round
    found: float  # share of replays in which the second is claimed to be faster


class Level(NamedTuple):
    """What was found of a planted share: over all pairs with a twin in which nothing was planted.

    Among those twins themselves each pair stands both ways round, and the mean ratio is 1 of itself.
    """

    plan: Planted
    ratio: Interval
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
    lost = sorted(set(plans.values()) - {each.plan for each in levels})
    if not set(LEAST_PLANTED) <= {each.plan.percent for each in levels}:
        return Control(None, f"Too few rounds to replay comparisons of {replay.ROUNDS}.")
    largest = max(levels, key=lambda each: abs(each.error))
    at = {share: min(each.found for each in levels if each.plan.percent == share) for share in (3, 5)}
    never = max(each.found for each in levels if each.plan.percent == 0)
    finding = (
        f"3 % are found in {controls.percent(at[3])} of the replayed comparisons and 5 % in {controls.percent(at[5])}. "
        f"Where nothing was planted, a difference is claimed in {controls.percent(never)}. The largest error of an "
        f"estimate is {100 * largest.error:+.2f} points, of {_name(largest.plan)}."
    )
    if lost:
        finding += f" Too many runs failed to say so of {', '.join(map(_name, lost))}."
    return Control(controls.all_of((each.passes for each in levels), lost), finding, _table(levels))


def key(lines: list[Line]) -> dict[str, Planted]:
    """Return what was planted in each competitor, as disclosed after the last run.

    Raises:
        RecordError: with the number of the line that is no key, or lacks a competitor.
    """
    said = [(number, line) for number, line in enumerate(lines, 1) if line["kind"] == "control"]
    keys = [number for number, line in said if "environment" not in line["about"]]
    if len(keys) != 1:
        raise RecordError(f"line {keys[-1] if keys else len(lines)}: expected one line with the key, got {len(keys)}")
    about = lines[keys[0] - 1]["about"]
    competitors = {line["case"].environment for line in records.of_kind(lines, "run")}
    wrong = [name for name in {*about, *competitors} if about.get(name) not in PLANTED]
    if wrong:
        raise RecordError(f"line {keys[0]}: about: expected what was planted in {min(wrong)}, one of {list(PLANTED)}")
    plans = {name: PLANTED[text] for name, text in about.items()}
    if plans and not Counter(plan.percent for plan in plans.values()) >= LEAST_PLANTED:
        raise RecordError(f"line {keys[0]}: about: expected two twins, and slow-downs of 3 and 5 %, got fewer")
    return plans


def estimate(runs: list[Line]) -> dict[Pair, Estimate]:
    """Estimate each ordered pair of competitors from the runs alone; not those that share too few rounds to replay."""
    times = controls.times(controls.timed(runs))
    rounds = replay.prepare(times)
    pairs = [pair for pair in permutations(rounds.names, 2) if len(rounds.shared(*pair)) >= replay.ROUNDS]
    return {(slower, faster): _estimate(times, rounds, slower, faster) for slower, faster in pairs}


def _estimate(times: Mapping[str, dict[int, float]], rounds: Rounds, slower: str, faster: str) -> Estimate:
    shared = sorted(set(times[slower]) & set(times[faster]))
    replayed = replay.between(rounds, slower, faster, REPLAYS)
    found = float((replayed.claims & (replayed.mean > 0)).mean())
    return Estimate({number: times[slower][number] / times[faster][number] for number in shared}, found)


def disclose(blind: Mapping[Pair, Estimate], plans: Mapping[str, Planted]) -> list[Level]:
    """Return what was found of each planted share, beside the twins in which nothing was planted.

    A round's ratio is the mean over the pairs that have a time in it; a share of which no pair is left is left out.
    """
    twins = [name for name, plan in plans.items() if plan.percent == 0]
    levels = []
    for plan in sorted(set(plans.values()), key=lambda plan: (plan.percent, plan.way)):
        wanted = [(name, twin) for name, own in plans.items() if own == plan for twin in twins]
        pairs = [blind[pair] for pair in wanted if pair in blind]
        rounds = sorted({number for each in pairs for number in each.ratios})
        means = [interval.geometric_mean([each.ratios[n] for each in pairs if n in each.ratios]) for n in rounds]
        if pairs:
            levels.append(Level(plan, interval.mean(means), float(np.mean([each.found for each in pairs]))))
    return levels


def _name(plan: Planted) -> str:
    return f"{plan.percent} % on the {plan.way}" if plan.percent else "nothing"


def _table(levels: list[Level]) -> pd.DataFrame:
    rows = [
        (_name(each.plan), *_size(each), controls.percent(each.found), _required(each.plan.percent),
         controls.VERDICTS[each.passes])
        for each in levels
    ]  # fmt: skip
    return evidence(rows, "planted", "found (99 % interval)", "error in points", "claimed in", "required", "verdict")


def _size(level: Level) -> tuple[str, str]:
    """Return the estimate and its error; twins, each beside each other, have none (what they show is A/A)."""
    return (controls.change(level.ratio), f"{100 * level.error:+.2f}") if level.plan.percent else ("", "")


def _required(percent: int) -> str:
    least = LEAST_FOUND[percent]
    return "never" if percent == 0 else f"at least {controls.percent(least)}" if least else "any"
