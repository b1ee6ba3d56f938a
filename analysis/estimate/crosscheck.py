"""Check intervals in two ways: resample the rounds of each pair, and leave each campaign out in turn.

The first is the bootstrap-t. A replicate draws rounds with replacement and studentises the mean of their logarithms.
The quantiles of that replace Student's (Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 12.5).
Blocks within a round are not drawn: their noise is in the round's number already, and would count twice. See Davison
and Hinkley 1997, Bootstrap Methods and their Application, section 3.8.

The second counts how often a campaign contradicts the intervals that all other campaigns give. A 99 % interval should
be missed in 1 of 100 comparisons. A campaign and the others are two measurements of one ratio, or of one time. The
error of each comes from its own rounds and from the variance that other campaigns of its machine show.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from analysis import cache, units
from analysis.estimate.estimates import Estimates, Question
from analysis.estimate.pairs import Pair
from analysis.groups import collected
from analysis.load.campaigns import READER
from analysis.load.table import Results, Times, answering, by_row
from analysis.stats import Row, interval, moments, shared_variance
from analysis.stats.interval import CONFIDENCE, Interval, exp
from analysis.stats.moments import Moments, Numbers, Truths

SOURCES = ("analysis/estimate/crosscheck.py", *READER)
REPLICATES = 10_000
SEED = 20170501  # always the same draws: the same files give the same interval
MIN_ROUNDS = 16  # see docs/method.md: below, too many draws hold next to one round only, and the quantiles mean little
NO_ERROR = 1e-12  # of a mean of logarithms: what rounding leaves of rounds that are all alike
APART = 1.0  # of the paired interval's half-width: what two bounds may lie apart
WITHIN = 0.95  # of the miss rate's own interval: narrower than 99 %, and so the harder test
HEADER = ("machine", "of", "campaigns", "compared", "missed", "95 % interval by campaign", "holds 1 %", "most missed")


class Check(NamedTuple):
    """A pair's ratio by resampling, and where it contradicts the paired interval."""

    resampled: Interval
    disagreement: str | None


def checks(results: Results, answers: Sequence[Estimates], pairs: Sequence[Pair]) -> list[Check]:
    """Check pairs on the runs of one answer, or of those that a geometric mean is over."""
    asked = [each.question.key for each in answers]
    inputs = [*results.came_from(asked), *(name for pair in pairs for row in (pair.a, pair.b) for name in row)]

    def resampled() -> list[Interval]:
        times = [by_row(runs, runs["step_s"]) for runs in (answering(results.runs, *key) for key in asked)]
        return [bootstrap_t(log_ratios(times, pair)) for pair in pairs]

    found = (Interval(*each) for each in cache.recall("resampled", inputs, resampled, SOURCES))
    return [Check(own, _disagreement(pair, own)) for pair, own in zip(pairs, found, strict=True)]


def log_ratios(questions: Sequence[Times], pair: Pair) -> list[float]:
    """Return the logarithm of b's time over a's, a mean over questions, of each round in which both have all times."""
    own = [(each[pair.b], each[pair.a]) for each in questions]
    common = set.intersection(*(set(each) for both in own for each in both))
    return [fmean(math.log(b[number] / a[number]) for b, a in own) for number in sorted(common)]


def _disagreement(pair: Pair, resampled: Interval) -> str | None:
    if resampled.low is None or pair.ratio.low is None:
        return None
    claim = interval.claim(resampled, pair.p)
    if claim != pair.claim:
        return f"by resampling: {claim}"
    half = math.log(pair.ratio.bounds[1] / pair.ratio.value)
    apart = max(abs(math.log(one / other)) for one, other in zip(resampled.bounds, pair.ratio.bounds, strict=True))
    return "by resampling: bounds elsewhere" if apart > APART * half else None


def bootstrap_t(logs: Sequence[float], replicates: int = REPLICATES) -> Interval:
    """Return the geometric mean of ratios, given the logarithm of each round's, with its 99 % bootstrap-t interval.

    Below MIN_ROUNDS there are no bounds.
    """
    rounds = np.asarray(logs, float)
    count, centre = len(rounds), float(rounds.mean())
    if count < MIN_ROUNDS:
        return Interval(exp(centre), None, None, count)
    drawn = rounds[_draws(replicates, count)]
    off, errors = drawn.mean(axis=1) - centre, drawn.std(axis=1, ddof=1) / math.sqrt(count)
    studentised = np.divide(off, errors, out=np.zeros_like(off), where=errors > NO_ERROR)
    tail, error = (1 - CONFIDENCE) / 2, float(rounds.std(ddof=1)) / math.sqrt(count)
    low, high = np.quantile(studentised, (tail, 1 - tail)).tolist()
    return Interval(exp(centre), exp(centre - high * error), exp(centre - low * error), count)


@lru_cache(maxsize=16)
def _draws(replicates: int, count: int) -> np.ndarray[Any, np.dtype[np.int16]]:
    """Return which rounds each replicate draws (replicates, count): the same for all pairs of as many rounds."""
    return np.random.default_rng(SEED).integers(count, size=(replicates, count), dtype=np.int16)


class Asked(NamedTuple):
    """What a question's rounds hold."""

    workload: str
    times: Times
    campaign_of: Mapping[int, str]
    in_turns: Mapping[Row, bool]

    def only(self, which: Callable[[str], bool]) -> Times:
        """Return the times of some campaigns."""
        return {row: {number: time_s for number, time_s in own.items() if which(self.campaign_of[number])}
                for row, own in self.times.items()}  # fmt: skip


class Replayed(NamedTuple):
    """How often one campaign's ratios, or times, contradict those of the others."""

    machine: str
    threads: int
    what: str  # "ratios" or "times"
    campaigns: int
    compared: int
    missed: int
    low: float
    high: float
    by_workload: Mapping[str, int]  # how many are missed

    @property
    def rate(self) -> float:
        """The share of comparisons that are missed."""
        return self.missed / self.compared

    @property
    def holds(self) -> bool:
        """Say whether what 99 % intervals should miss is within the rate's interval."""
        return self.low <= 1 - CONFIDENCE <= self.high


def replay(results: Results) -> list[Replayed]:
    """Return both for each machine and number of threads of which three campaigns or more can be compared."""
    asked = collected(_asked(results)).items()
    found = (_replayed(*key, what, own) for key, own in asked for what in ("ratios", "times"))
    return [each for each in found if each]


def _asked(results: Results) -> Iterator[tuple[tuple[str, int], Asked]]:
    """Yield what each question's rounds hold, with its machine and number of threads."""
    for key, runs in results.runs[results.runs["step_s"].notna()].groupby([*Question._fields], sort=True):
        question = Question(*key)
        rounds = dict(zip(runs["round"].astype(int).tolist(), runs["campaign"].tolist(), strict=True))
        rows = zip(runs["environment"].tolist(), runs["mode"].tolist(), runs["in_turns"].tolist(), strict=True)
        in_turns = {(environment, mode): turns for environment, mode, turns in rows}
        asked = Asked(question.workload, by_row(runs, runs["step_s"]), rounds, in_turns)
        yield (question.machine, int(question.threads)), asked


def _replayed(machine: str, threads: int, what: str, asked: Sequence[Asked]) -> Replayed | None:
    names = sorted({name for each in asked for name in each.campaign_of.values()})
    outcomes = [_left_out(name, what, asked, len(names) - 1) for name in names]
    known = [each for each in outcomes if each]
    if len(known) < 2:
        return None
    missed = np.array([sum(hit for _, hit in each) for each in known], float)
    compared = np.array([len(each) for each in known], float)
    workloads = Counter(workload for each in known for workload, hit in each if hit)
    low, high = _by_campaign(missed, compared)
    return Replayed(
        machine, threads, what, len(known), int(compared.sum()), int(missed.sum()), low, high, dict(workloads)
    )


def _left_out(name: str, what: str, asked: Sequence[Asked], others: int) -> list[tuple[str, bool]]:
    """Return the workload of each comparison of one campaign with the others, and whether it misses."""
    of = moments.of_pairs if what == "ratios" else moments.of_times
    parts = [tuple(of(each.only(which), each.campaign_of, each.in_turns, each.workload)
                   for which in (name.__ne__, name.__eq__)) for each in asked]  # fmt: skip
    rest = [before for before, _ in parts]
    shared = shared_variance.fit(rest) if what == "ratios" else shared_variance.fit_alone(rest, others)
    if not shared.between:  # no two of the others measured the same: nothing is known of campaigns
        return []
    return [(before.workload, bool(hit)) for before, after in parts for hit in _contradicts(before, after, shared)]


def _contradicts(before: Moments, after: Moments, shared: shared_variance.Shared) -> Truths:
    """Say of which pairs two sets of rounds contradict each other: those that both have an interval of."""
    places = {pair: place for place, pair in enumerate(before.pairs)}
    both = [(places[pair], place) for place, pair in enumerate(after.pairs) if pair in places]
    first, second = np.array(both, int).reshape(-1, 2).T
    (error, freedom), (other_error, other_freedom) = (shared_variance.errors(each, shared) for each in (before, after))
    parts = (error[first] ** 2, freedom[first]), (other_error[second] ** 2, other_freedom[second])
    variance: Numbers = sum((part for part, _ in parts), np.zeros(len(both)))
    known = variance > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Any = sum(part**2 / its_freedom for part, its_freedom in parts)
        half = interval.reach(variance**2 / shares) * np.sqrt(variance)
    return np.asarray(np.abs(before.centre[first] - after.centre[second]) > half)[known]


def _by_campaign(missed: Numbers, compared: Numbers) -> tuple[float, float]:
    """Return an interval of the miss rate, of which campaigns are the unit: comparisons of one share its hour.

    It is the t interval of a ratio of means; without a miss, the exact binomial one of as many campaigns.
    """
    count, rate = len(missed), float(missed.sum() / compared.sum())
    if not missed.any():
        return 0.0, 1 - ((1 - WITHIN) / 2) ** (1 / count)
    squares = float(((missed - rate * compared) ** 2).sum())
    off = float(special.stdtrit(count - 1, 0.5 + WITHIN / 2)) * math.sqrt(count / (count - 1) * squares)
    return max(rate - off / float(compared.sum()), 0.0), rate + off / float(compared.sum())


def text(found: Sequence[Replayed]) -> str:
    """Return it as a table."""
    return "\n".join(units.aligned([HEADER, *map(_line, found)], left=2))


def _line(each: Replayed) -> Sequence[str]:
    most = Counter(each.by_workload).most_common(2)
    return (
        f"{each.machine}, {units.count(each.threads, 'thread')}", each.what, str(each.campaigns), str(each.compared),
        f"{each.missed} ({100 * each.rate:.2f} %)", f"{100 * each.low:.2f} to {100 * each.high:.2f} %",
        "yes" if each.holds else "no", ", ".join(f"{name} {number}" for name, number in most) or units.NONE,
    )  # fmt: skip
