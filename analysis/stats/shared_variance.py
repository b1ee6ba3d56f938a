"""What the pairs of a machine share: how far rounds scatter, and how far campaigns do. NumPy and SciPy, no pandas.

A ratio of few rounds has a variance of few degrees of freedom. Other pairs of the same machine, measured in turns with
as many threads, say what such variances usually are: an inverse chi-squared prior, whose degrees of freedom and centre
are those of G. Smyth (Linear models and empirical Bayes methods, Statist. Appl. Genet. Molec. Biol. 3, 2004: section
6.2, limma's fitFDist), made robust as by B. Phipson and others (Ann. Appl. Statist. 10, 2016), in two ways: a
competitor that scatters everywhere has a prior of its own scale, and a pair that scatters more than the prior expects
is left with what its own rounds say. docs/method.md has what was tried beside it, and the coverage.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from analysis.stats import Row
from analysis.stats.interval import MIN_ROUNDS

Numbers = np.ndarray[Any, np.dtype[np.float64]]
Truths = np.ndarray[Any, np.dtype[np.bool_]]

MODERATED = 4  # rounds: with three, nothing tells a competitor that scatters from one that was lucky
FEWEST_PAIRS = 10  # to estimate a prior from
FEWEST_QUESTIONS = 6  # that a competitor answered, to have a scale of its own
BEYOND = 0.05  # a pair that scatters more than this share of pairs would, were all alike, is left to its own rounds
SMALLEST = 1e-12  # of a variance: a millionth, as of synthetic times without noise
MANY = 1e6  # degrees of freedom: the normal distribution


class Moments(NamedTuple):
    """Of the logarithms of the ratios of one question's pairs, each over the rounds that it shares: arrays (pairs,)."""

    pairs: Sequence[tuple[Row, Row]]
    in_turns: Truths
    centre: Numbers  # the mean over rounds
    rounds: Numbers
    total: Numbers  # the variance over rounds, as of one campaign: `rounds` - 1 degrees of freedom
    within: Numbers  # the variance around each campaign's own mean
    freedom: Numbers  # of `within`
    between: Numbers  # the mean square between campaigns; 0 of one
    campaigns: Numbers
    size: Numbers  # how many rounds a campaign has, as the mean square between them weighs it
    weight: Numbers  # what a variance between campaigns counts in the mean: 1 of one campaign


class Between(NamedTuple):
    """By how much a pair's logarithm varies from campaign to campaign, beyond what its rounds explain."""

    variance: float = 0.0
    freedom: float = MANY


class Shared(NamedTuple):
    """What pairs of one machine with one number of threads have in common; nothing, as it is."""

    freedom: float = 0.0  # of the prior; 0 where there is none
    variance: float = 1.0  # its centre, of a pair of scale 1
    scales: Mapping[Row, float] = {}  # of the variance, by competitor: that of a pair is the larger one
    between: Mapping[bool, Between] = {}  # of what was measured in turns, and alone


NOTHING = Shared()


def moments(
    times: Mapping[Row, Mapping[int, float]], campaign_of: Mapping[int, Any], in_turns: Mapping[Row, bool]
) -> Moments:
    """Return the moments of each competitor beside each after it that it shares a round with: later over earlier.

    `times` are seconds by competitor and round, `campaign_of` tells each round's campaign.
    """
    rows, numbers = list(times), sorted({number for own in times.values() for number in own})
    first, second = np.triu_indices(len(rows), 1)
    logs = np.full((len(rows), len(numbers)), np.nan)
    places = {number: place for place, number in enumerate(numbers)}
    for at, row in enumerate(rows):
        if own := times[row]:
            logs[at, [places[number] for number in own]] = np.log(list(own.values()))
    apart = logs[second] - logs[first]  # (pairs, rounds)
    has = ~np.isnan(apart)
    kept = has.any(axis=1) if numbers else np.zeros(len(first), bool)
    first, second, apart, has = first[kept], second[kept], np.where(has, apart, 0.0)[kept], has[kept]
    pairs = [(rows[a], rows[b]) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    turns = np.array([in_turns.get(a, False) and in_turns.get(b, False) for a, b in pairs], bool)
    if not pairs:
        return Moments(pairs, turns, *(np.zeros(0) for _ in range(9)))
    starts, group = _campaigns([campaign_of.get(number) for number in numbers])
    counts = np.add.reduceat(has, starts, axis=1, dtype=float)  # (pairs, campaigns)
    rounds = counts.sum(axis=1)
    centre = apart.sum(axis=1) / rounds
    means = np.add.reduceat(apart, starts, axis=1) / np.maximum(counts, 1)
    campaigns = (counts > 0).sum(axis=1)
    within = (np.where(has, apart - means[:, group], 0.0) ** 2).sum(axis=1)
    total = (np.where(has, apart - centre[:, None], 0.0) ** 2).sum(axis=1)
    among = (counts * (means - centre[:, None]) ** 2).sum(axis=1)
    others, weight = np.maximum(campaigns - 1, 1), (counts**2).sum(axis=1) / rounds**2
    return Moments(
        pairs, turns, centre, rounds, total / np.maximum(rounds - 1, 1),
        within / np.maximum(rounds - campaigns, 1), (rounds - campaigns).astype(float),
        np.where(campaigns > 1, among / others, 0.0), campaigns, rounds * (1 - weight) / others, weight,
    )  # fmt: skip


def _campaigns(names: Sequence[Any]) -> tuple[list[int], list[int]]:
    """Return where each campaign's rounds begin, which stand together, and which campaign each round is of, from 0."""
    is_first = [place == 0 or name != names[place - 1] for place, name in enumerate(names)]
    return [place for place, first in enumerate(is_first) if first], (np.cumsum(is_first) - 1).tolist()


def fit(known: Sequence[Moments]) -> Shared:
    """Return what the pairs of some questions share; they are of one machine with one number of threads."""
    if not known:
        return NOTHING
    prior = _prior(known)
    return prior._replace(between={turns: _between(known, prior, turns) for turns in (True, False)})


def _usable(each: Moments) -> Truths:
    return np.asarray(each.in_turns & (each.rounds >= MIN_ROUNDS) & (each.freedom >= MIN_ROUNDS - 1))


def _chosen(each: Moments, own: Truths) -> list[tuple[Row, Row]]:
    return [pair for pair, fits in zip(each.pairs, own, strict=True) if fits]


def _prior(known: Sequence[Moments]) -> Shared:
    usable = [(each, _usable(each)) for each in known]
    chosen = [_chosen(each, own) for each, own in usable]
    pairs = [pair for own in chosen for pair in own]
    if len(pairs) < FEWEST_PAIRS:
        return NOTHING
    freedom = np.concatenate([each.freedom[own] for each, own in usable])
    logs = np.log(np.maximum(np.concatenate([each.within[own] for each, own in usable]), SMALLEST))
    logs += np.log(freedom / 2) - special.digamma(freedom / 2)
    scales = _scales(pairs, logs, [{row for pair in own for row in pair} for own in chosen])
    logs -= np.log([_scale(scales, pair) for pair in pairs])
    mean, spread = float(logs.mean()), float(logs.var(ddof=1) - special.polygamma(1, freedom / 2).mean())
    if spread <= 0:
        return Shared(MANY, math.exp(mean), scales)
    own = min(2 * _trigamma_inverse(spread), MANY)
    return Shared(own, math.exp(mean + float(special.digamma(own / 2)) - math.log(own / 2)), scales)


def _scales(pairs: Sequence[tuple[Row, Row]], logs: Numbers, questions: Sequence[set[Row]]) -> dict[Row, float]:
    """Return how much more the usual pair of a competitor scatters than the usual pair of all, where that is known."""
    own: dict[Row, list[float]] = {}
    for pair, log in zip(pairs, logs.tolist(), strict=True):
        for row in pair:
            own.setdefault(row, []).append(log)
    usual = float(np.median(logs))
    answered = {row: sum(row in each for each in questions) for row in own}
    return {row: math.exp(float(np.median(values)) - usual) for row, values in sorted(own.items())
            if answered[row] >= FEWEST_QUESTIONS}  # fmt: skip


def _scale(scales: Mapping[Row, float], pair: tuple[Row, Row]) -> float:
    return max(scales.get(row, 1.0) for row in pair)


def _trigamma_inverse(value: float) -> float:
    """Return x with trigamma(x) = `value`, by Newton's iteration on its reciprocal (Smyth 2004, appendix)."""
    x = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(special.polygamma(1, x))
        step = trigamma * (1 - trigamma / value) / float(special.polygamma(2, x))
        x += step
        if -step / x < 1e-8:
            break
    return x


def moderated(each: Moments, shared: Shared) -> tuple[Numbers, Numbers]:
    """Return the variance within campaigns of each pair of a question, and its degrees of freedom."""
    if not shared.freedom:
        return each.within, each.freedom
    scale = shared.variance * np.array([_scale(shared.scales, pair) for pair in each.pairs])
    known = each.in_turns & (each.rounds >= MODERATED) & (each.freedom >= MIN_ROUNDS - 1)
    known &= each.within <= scale * _most(each.freedom)
    freedom = shared.freedom + each.freedom
    variance = (shared.freedom * scale + each.freedom * each.within) / freedom
    return np.where(known, variance, each.within), np.where(known, freedom, each.freedom)


def _most(freedom: Numbers) -> Numbers:
    """Return by what factor a variance of pairs that are all alike exceeds the usual one in a share BEYOND of them.

    The prior's own degrees of freedom are left out of this: the more spreads differ, the more pairs are left alone.
    """
    several, back = np.unique(np.maximum(freedom, 1), return_inverse=True)
    found: Numbers = (special.chdtri(several, BEYOND) / several)[back]
    return found


def _between(known: Sequence[Moments], prior: Shared, in_turns: bool) -> Between:
    """Return the variance between campaigns by the method of moments (DerSimonian, Laird: Contr. Clin. Trials 7, 1986).

    What they take as known, variances within, is estimated here: a ratio of two mean squares has F's mean. Pairs of one
    question are not independent: those of k competitors count as k - 1.
    """
    excess = slope = 0.0
    parts: list[tuple[Numbers, Numbers, float]] = []
    for each in known:
        variance, freedom = moderated(each, prior)
        own = (each.campaigns > 1) & (each.in_turns == in_turns) & (freedom > 2) & (each.freedom >= MIN_ROUNDS - 1)
        if not own.any():
            continue
        others, ratio = each.campaigns[own] - 1, 1 / np.maximum(variance[own], SMALLEST)
        usual = freedom[own] / (freedom[own] - 2)
        excess += float((others * (each.between[own] * ratio - usual)).sum())
        slope += float((others * each.size[own] * ratio * usual).sum())
        competitors = len({row for pair in _chosen(each, own) for row in pair})
        parts.append((others, each.size[own] * ratio, float(own.sum()) / max(competitors - 1, 1)))
    if excess <= 0 or slope <= 0:
        return Between()
    seen = excess / slope
    noise = sum(repeated * float((2 * others * (1 + size * seen) ** 2).sum()) for others, size, repeated in parts)
    return Between(seen, 2 * (seen * slope) ** 2 / noise)


def errors(each: Moments, shared: Shared) -> tuple[Numbers, Numbers]:
    """Return the standard error of each pair's mean logarithm, NaN below MIN_ROUNDS, and its degrees of freedom.

    It is made of what rounds and what campaigns scatter, with the degrees of freedom of F. Satterthwaite (Biometrics
    Bulletin 2, 1946). Where campaigns hold so few rounds that these tell nothing, all rounds
    are as of one.
    """
    variance, freedom = moderated(each, shared)
    is_told = each.freedom >= MIN_ROUNDS - 1
    rounds = np.maximum(each.rounds, 1)
    own = np.where(is_told, variance, each.total) / rounds
    freedom = np.where(is_told, freedom, np.maximum(each.rounds - 1, 1))
    apart = {turns: shared.between.get(turns, Between()) for turns in (True, False)}
    among = np.where(each.in_turns, apart[True].variance, apart[False].variance) * each.weight * is_told
    its_freedom = np.where(each.in_turns, apart[True].freedom, apart[False].freedom)
    total = own + among
    with np.errstate(invalid="ignore", divide="ignore"):
        both = np.where(among > 0, total**2 / (own**2 / freedom + among**2 / its_freedom), freedom)
    return np.where(each.rounds >= MIN_ROUNDS, np.sqrt(total), np.nan), both
