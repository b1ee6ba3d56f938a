"""Is a machine as fast as published? A verdict on each case, on each environment, and on the whole.

A band holds the mean of a new campaign on a machine like those published. It does so in 99 of 100 verifications, for
all verdicts of a verification together:

  published mean x exp(+-t s sqrt(1/n + 1/m)) x HOSTS

t is Student's quantile, two-sided, Bonferroni's for the number of verdicts. Your rounds are n, the published ones m.
The spread s is that of the logarithms of run medians from round to round. It is pooled over your campaign and the
published ones. That
is the prediction interval for the mean of n further observations (Hahn and Meeker, Statistical Intervals, 1991). The
confidence interval of the published mean would be too narrow for a new campaign. If several campaigns are published,
the band reaches from the lowest to the highest of them. From one campaign to the next, a machine differs more than its
rounds do.

An environment's time, and that of the whole, is the geometric mean over their cases within each round. What slows an
installation down slows most of its cases, and shows there first.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from analysis import units
from analysis.compare.baseline import CaseTimes, cells, find
from analysis.groups import grouped
from analysis.load.campaigns import Campaign
from analysis.stats.interval import CONFIDENCE, MIN_ROUNDS, Interval
from bench.results.lines import Environment, Machine, MachineState

HOSTS = 1.04  # hosts of one kind differ by 0.1 to 4 % (docs/verify.md): that much is not a fault of an installation
WHOLE = "all of them"  # the title of the last group
VERDICTS = ("slower", "within", "faster", "no reference", "not measured")


class Position(NamedTuple):
    """Where a time lies beside what is published."""

    verdict: str  # slower, within or faster
    band: tuple[float, float]  # seconds
    ratio: Interval  # to the nearest published campaign, without HOSTS
    nearest: int  # which campaign that is


class Nearest(NamedTuple):
    """The nearest published time that is none of the same version or model file: for information."""

    cell: CaseTimes
    differs: str  # in words
    ratio: Interval  # yours to it


class Judged(NamedTuple):
    """One case of your campaign; without a place where nothing can be compared, and `reason` says why."""

    cell: CaseTimes
    verdict: str  # one of VERDICTS
    reason: str | None
    references: Sequence[CaseTimes] = ()  # the published cells it was compared with
    place: Position | None = None
    beside: Nearest | None = None  # only without a reference


class Group(NamedTuple):
    """The compared cases of one environment, or all of them."""

    title: str
    cases: int
    mean_s: float  # over the rounds that have a time for each of them
    place: Position


class Verification(NamedTuple):
    """A campaign beside what is published, with every verdict on it."""

    yours: Campaign
    published: Sequence[Campaign]
    cases: list[Judged]
    groups: list[Group]  # each environment with several cases, and the whole; none where no round has all of them

    @property
    def machine(self) -> Machine:
        """The record of this machine."""
        return self.yours.bench.machine

    @property
    def slower(self) -> list[str]:
        """What is clearly slower than published, in words: environments and the whole first, then cases."""
        places = [(each.title, each.place) for each in self.groups]
        places += [(each.cell.name, each.place) for each in self.cases if each.place]
        return [f"{name} by {units.away(place.ratio.value)}" for name, place in places if place.verdict == "slower"]

    @property
    def slower_cases(self) -> list[tuple[CaseTimes, CaseTimes]]:
        """The cases that are slower than published, each beside the nearest published one.

        Alone, or with their environment; where neither is, but the whole: all that take longer.
        """
        slow = {group.title for group in self.groups if group.place.verdict == "slower"}
        longer = [each for each in self.cases if each.place and each.place.ratio.value > 1]
        own = [each for each in longer if each.verdict == "slower" or each.cell.title in slow]
        shown = own or (longer if WHOLE in slow else [])
        return [(each.cell, each.references[each.place.nearest]) for each in shown if each.place]

    @property
    def environments(self) -> list[tuple[Environment, Environment]]:
        """The environments with a slower case, each beside the published one."""
        pairs = {cell.case.environment: (cell.environment, nearest.environment) for cell, nearest in self.slower_cases}
        return [(here, there) for _, (here, there) in sorted(pairs.items()) if here and there]

    @property
    def states(self) -> list[MachineState]:
        """What was sampled of the machine during the runs that have a time."""
        return [run.machine_state for run in self.yours.runs if run.status == "ok" and run.machine_state]

    @property
    def exit_code(self) -> int:
        """Return 1 when something is clearly slower than published, 2 when there is no verdict for want of rounds."""
        if self.slower:
            return 1
        if any(each.place for each in self.cases):
            return 0
        lost = [each for each in self.cases if each.verdict == "not measured"]
        return 2 if len(lost) == len(self.cases) or any(each.references for each in lost) else 0


def verify(yours: Campaign, published: Sequence[Campaign]) -> Verification:
    """Judge a campaign by published ones (those that came to their end; never by itself)."""
    others = sorted(
        (each for each in published if each.is_published and each.name != yours.name), key=lambda each: each.began
    )
    known = [times for campaign in others for times in cells(campaign)]
    found = [(times, *find(times, known)) for times in cells(yours)]
    compared = [times for times, references, *_ in found if references and len(times.step_s) >= MIN_ROUNDS]
    confidence = 1 - (1 - CONFIDENCE) / (len(compared) + len({times.title for times in compared}) + 1)
    cases = [_judged(*each, confidence) for each in found]
    return Verification(yours, published, cases, _groups([each for each in cases if each.place], confidence))


def _judged(
    cell: CaseTimes, references: list[CaseTimes], why: str | None, near: tuple[CaseTimes, str] | None, confidence: float
) -> Judged:
    rounds = len(cell.step_s)
    if not rounds:
        return Judged(cell, "not measured", cell.reason)
    if references and rounds < MIN_ROUNDS:
        reason = f"a verdict needs {MIN_ROUNDS} rounds with a time, here {rounds}: give --budget"
        return Judged(cell, "not measured", reason, references)
    if references:
        found = place(cell.seconds, [times.seconds for times in references], confidence)
        return Judged(cell, found.verdict, None, references, found)
    is_shown = near and rounds >= MIN_ROUNDS
    beside = Nearest(*near, place(cell.seconds, [near[0].seconds], CONFIDENCE).ratio) if near and is_shown else None
    return Judged(cell, "no reference", why, beside=beside)


def _groups(compared: list[Judged], confidence: float) -> list[Group]:
    parts = grouped(compared, lambda each: each.cell.title)
    parts |= {WHOLE: compared} if len(parts) > 1 else {}
    return [group for title, own in parts.items() if (group := _group(title, own, confidence))]


def _group(title: str, judged: list[Judged], confidence: float) -> Group | None:
    """Judge cases together by the campaigns that have all of them."""
    if len(judged) < 2:
        return None
    named = [{cell.campaign.name: cell for cell in each.references} for each in judged]
    shared = (name for name in named[0] if all(name in each for each in named))
    published = (list(together([each[name].step_s for each in named]).values()) for name in shared)
    enough = [times for times in published if len(times) >= MIN_ROUNDS]
    yours = list(together([each.cell.step_s for each in judged]).values())
    if not enough or len(yours) < MIN_ROUNDS:
        return None
    return Group(title, len(judged), math.exp(_mean_log(yours)), place(yours, enough, confidence))


def together(times: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Return the geometric mean over cases of each round that has a time for all of them; times are by round."""
    rounds = sorted(set.intersection(*(set(step_s) for step_s in times)))
    return {number: math.exp(_mean_log([step_s[number] for step_s in times])) for number in rounds}


def place(yours: Sequence[float], published: Sequence[Sequence[float]], confidence: float) -> Position:
    """Say where your times of some rounds lie among those of published campaigns."""
    widths, centres = half_widths(yours, published, confidence), [_mean_log(times) for times in published]
    mine = _mean_log(yours)
    low = min(centre - width for centre, width in zip(centres, widths, strict=True)) - math.log(HOSTS)
    high = max(centre + width for centre, width in zip(centres, widths, strict=True)) + math.log(HOSTS)
    nearest = min(range(len(centres)), key=lambda index: abs(mine - centres[index]))
    away, width = mine - centres[nearest], widths[nearest]
    ratio = Interval(math.exp(away), math.exp(away - width), math.exp(away + width), len(yours))
    verdict = "slower" if mine > high else "faster" if mine < low else "within"
    return Position(verdict, (math.exp(low), math.exp(high)), ratio, nearest)


def half_widths(yours: Sequence[float], published: Sequence[Sequence[float]], confidence: float) -> list[float]:
    """Return the half-width, in logarithms, of the band around each published campaign's mean."""
    logs = [np.log(np.asarray(times, float)) for times in (yours, *published)]
    freedom = sum(len(values) - 1 for values in logs)
    spread = math.sqrt(sum(float(((values - values.mean()) ** 2).sum()) for values in logs) / freedom)
    quantile = float(special.stdtrit(freedom, 0.5 + confidence / 2))
    return [quantile * spread * math.sqrt(1 / len(logs[0]) + 1 / len(values)) for values in logs[1:]]


def _mean_log(times: Sequence[float]) -> float:
    return float(np.log(np.asarray(times, float)).mean())
