"""What the pairs of a machine share: how far rounds scatter, and how far campaigns do. NumPy and SciPy, no pandas.

A ratio of few rounds has a variance of few degrees of freedom. Other pairs of the same machine, measured in turns with
as many threads, say what such variances usually are. This is an inverse chi-squared prior, whose degrees of freedom and
centre are those of limma's fitFDist (G. Smyth, Statist. Appl. Genet. Molec. Biol. 3, 2004, section 6.2). It is made
robust in two ways, after B. Phipson and others (Ann. Appl. Statist. 10, 2016). A competitor that scatters everywhere
has a prior of its own scale. A pair that scatters more than the prior expects keeps the variance of its own rounds.

What campaigns differ by, beyond what rounds explain, is a variance of each workload, moderated by the same formula.
Single times have one as well, from their own logarithms. docs/method.md has what was tried, and the coverage.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy import optimize, special

from analysis.groups import collected
from analysis.stats import Row
from analysis.stats.interval import MIN_ROUNDS, reach
from analysis.stats.moments import Moments, Numbers, Truths

MODERATED = 4  # rounds: with three, nothing tells a competitor that scatters from one that was lucky
FEWEST_PAIRS = 10  # to estimate a prior from
FEWEST_QUESTIONS = 6  # that a competitor answered, to have a scale of its own
FEWEST_WORKLOADS = 3  # that several campaigns measured, to tell how much workloads differ
LEAST = 4.0  # degrees of freedom of a variance between campaigns; docs/method.md says what this floor costs
BEYOND = 0.05  # a pair that scatters more than this share of pairs would, were all alike, is left to its own rounds
SMALLEST = 1e-12  # of a variance: a millionth, as of synthetic times without noise
MANY = 1e6  # degrees of freedom: the normal distribution


class Between(NamedTuple):
    """By how much a logarithm varies from campaign to campaign, beyond what its rounds explain."""

    variance: float = 0.0
    freedom: float = MANY


class Shared(NamedTuple):
    """What pairs, or times, of one machine with one number of threads have in common; nothing, as it is."""

    freedom: float = 0.0  # of the prior; 0 where there is none
    variance: float = 1.0  # its centre, of a pair of scale 1
    scales: Mapping[Row, float] = {}  # of the variance, by competitor: that of a pair is the larger one
    between: Mapping[tuple[str, bool], Between] = {}  # by workload, "" for others; of what was measured in turns or not
    most: float = MANY  # degrees of freedom of an error

    def apart(self, workload: str, in_turns: bool) -> Between:
        """Return what campaigns differ by; nothing where no two of them measured the same."""
        return self.between.get((workload, in_turns)) or self.between.get(("", in_turns), Between())


NOTHING = Shared()


def fit(known: Sequence[Moments]) -> Shared:
    """Return what the pairs of some questions share; they are of one machine with one number of threads."""
    prior = _prior(known)
    return prior._replace(between=_between(known, prior))


def fit_alone(known: Sequence[Moments], campaigns: int) -> Shared:
    """Return what times share: a campaign's drift hits all of them alike, so that its number limits what is known."""
    between = _between(known, NOTHING)
    return Shared(between=between, most=campaigns - 1.0 if between else MANY)


def _chosen(each: Moments, own: Truths) -> list[tuple[Row, Row]]:
    return [pair for pair, fits in zip(each.pairs, own, strict=True) if fits]


def _prior(known: Sequence[Moments]) -> Shared:
    usable = [(each, each.in_turns & (each.rounds >= MIN_ROUNDS) & (each.freedom >= MIN_ROUNDS - 1)) for each in known]
    chosen = [_chosen(each, own) for each, own in usable]
    pairs = [pair for own in chosen for pair in own]
    if len(pairs) < FEWEST_PAIRS:
        return NOTHING
    freedom = np.concatenate([each.freedom[own] for each, own in usable])
    variances = np.concatenate([each.within[own] for each, own in usable])
    scales = _scales(pairs, _centred(variances, freedom), [{row for pair in own for row in pair} for own in chosen])
    own, variance = _prior_of(variances / [_scale(scales, pair) for pair in pairs], freedom)
    return Shared(own, variance, scales)


def _centred(variances: Numbers, freedom: Numbers) -> Numbers:
    """Return the logarithms of variances, without what chance adds to their mean."""
    centred: Numbers = np.log(np.maximum(variances, SMALLEST)) + np.log(freedom / 2) - special.digamma(freedom / 2)
    return centred


def _prior_of(variances: Numbers, freedom: Numbers) -> tuple[float, float]:
    """Return the degrees of freedom and the centre of the prior of some variances (Smyth 2004, section 6.2)."""
    logs = _centred(variances, freedom)
    mean, spread = float(logs.mean()), float(logs.var(ddof=1) - special.polygamma(1, freedom / 2).mean())
    if spread <= 0:
        return MANY, math.exp(mean)
    own = min(2 * _trigamma_inverse(spread), MANY)
    return own, math.exp(mean + float(special.digamma(own / 2)) - math.log(own / 2))


def _scales(pairs: Sequence[tuple[Row, Row]], logs: Numbers, questions: Sequence[set[Row]]) -> dict[Row, float]:
    """Return how much more the usual pair of a competitor scatters than the usual pair of all, where that is known."""
    own = collected((row, log) for pair, log in zip(pairs, logs.tolist(), strict=True) for row in pair)
    usual = float(np.median(logs))
    answered = {row: sum(row in each for each in questions) for row in own}
    return {row: math.exp(float(np.median(values)) - usual) for row, values in sorted(own.items())
            if answered[row] >= FEWEST_QUESTIONS}  # fmt: skip


def _scale(scales: Mapping[Row, float], pair: tuple[Row, Row]) -> float:
    return max(scales.get(row, 1.0) for row in pair)


def _trigamma_inverse(value: float) -> float:
    """Return x with trigamma(x) = `value`, which lies between 1 / x and 1 / x + 1 / x**2."""
    highest = (1 + math.sqrt(1 + 4 * value)) / (2 * value)
    return float(optimize.brentq(lambda x: special.polygamma(1, x) - value, 1 / value, highest))


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


class _Several(NamedTuple):
    """Of what several campaigns measured of one workload: arrays (pairs,), but for the degrees of freedom."""

    others: Numbers  # campaigns, but one
    between: Numbers
    within: Numbers  # what rounds make of that
    size: Numbers
    freedom: float


def _between(known: Sequence[Moments], prior: Shared) -> dict[tuple[str, bool], Between]:
    """Return what campaigns differ by, of each workload that several of them measured, and under "" of all others."""
    found: dict[tuple[str, bool], Between] = {}
    for in_turns in (True, False):
        usable = ((each, (each.campaigns > 1) & (each.in_turns == in_turns) & (each.freedom >= MIN_ROUNDS - 1))
                  for each in known)  # fmt: skip
        parts = collected((each.workload, _several(each, own, prior)) for each, own in usable if own.any())
        if parts:
            squeezed = zip(["", *parts], _squeezed([_joined(own) for own in parts.values()]), strict=True)
            found |= {(workload, in_turns): apart for workload, apart in squeezed}
    return found


def _several(each: Moments, own: Truths, prior: Shared) -> _Several:
    """Return what a question adds to its workload; its k competitors' pairs count as k - 1, single times as one.

    A variance within is estimated, not known: a ratio of two mean squares has F's mean.
    """
    variance, freedom = (values[own] for values in moderated(each, prior))
    others, usual = each.campaigns[own] - 1, freedom / np.maximum(freedom - 2, 1)
    competitors = len({first for first, _ in _chosen(each, own)})
    within = np.maximum(variance * usual, SMALLEST)
    return _Several(others, each.between[own], within, each.size[own], float(others.mean()) * competitors)


def _joined(parts: Sequence[_Several]) -> _Several:
    others, between, within, size = (np.concatenate([each[place] for each in parts]) for place in range(4))
    return _Several(others, between, within, size, sum(each.freedom for each in parts))


def _apart(each: _Several) -> float:
    """Return the variance between campaigns by which mean squares are what they should be, or 0 (Paule and Mandel).

    R. Paule and J. Mandel, Consensus values and weighting factors, J. Res. NBS 87, 1982.
    """

    def excess(variance: float) -> float:
        return float(each.others @ (each.between / (each.within + each.size * variance) - 1))

    return 0.0 if excess(0.0) <= 0 else float(optimize.brentq(excess, 0.0, float((each.between / each.size).max())))


def _squeezed(workloads: Sequence[_Several]) -> list[Between]:
    """Return the variance between campaigns that workloads have in common, and then that of each.

    That of each is squeezed towards their mean, as limma's squeezeVar does (Smyth 2004): (d0 s0 + d s) / (d0 + d). It
    has d0 + d degrees of freedom. d0 follows from how far the workloads' ratios of mean squares differ. It is at most
    their number less one. Two workloads are taken as alike.
    """
    freedom, apart = np.array([each.freedom for each in workloads]), np.array([_apart(each) for each in workloads])
    own = float(freedom.sum())
    common, most = float(freedom @ apart) / own, max(own, LEAST)
    if len(workloads) >= FEWEST_WORKLOADS:
        ratios = [each.others @ each.between / (each.others @ each.within) for each in workloads]
        own = min(_prior_of(np.array(ratios), freedom)[0], len(workloads) - 1.0)
    variances = (own * common + freedom * apart) / (own + freedom)
    both = np.clip(own + freedom, LEAST, most)
    return [Between(common, max(own, LEAST)), *map(Between, variances.tolist(), both.tolist())]


def errors(each: Moments, shared: Shared) -> tuple[Numbers, Numbers]:
    """Return the standard error of each mean logarithm, NaN below MIN_ROUNDS, and its degrees of freedom.

    It is made of what rounds and what campaigns scatter, with the degrees of freedom of F. Satterthwaite (Biometrics
    Bulletin 2, 1946). Where campaigns hold so few rounds that these tell nothing, all rounds are as of one. The
    interval of a ratio that was not measured in turns is never narrower than its rounds alone give.
    """
    variance, freedom = moderated(each, shared)
    is_told = each.freedom >= MIN_ROUNDS - 1
    own = np.where(is_told, variance, each.total) / np.maximum(each.rounds, 1)
    freedom = np.where(is_told, freedom, np.maximum(each.rounds - 1, 1))
    apart = {turns: shared.apart(each.workload, turns) for turns in (True, False)}
    among = np.where(each.in_turns, apart[True].variance, apart[False].variance) * each.weight * is_told
    its_freedom = np.where(each.in_turns, apart[True].freedom, apart[False].freedom)
    total = own + among
    with np.errstate(invalid="ignore", divide="ignore"):
        both = np.where(among > 0, total**2 / (own**2 / freedom + among**2 / its_freedom), freedom)
    is_free = each.in_turns | each.is_of_times | (reach(both) ** 2 * total > reach(freedom) ** 2 * own)
    total, both = np.where(is_free, total, own), np.where(is_free, both, freedom)
    return np.where(each.rounds >= MIN_ROUNDS, np.sqrt(total), np.nan), np.minimum(both, shared.most)
