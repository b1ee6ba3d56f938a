"""What so many rounds can tell, by simulation of the functions that tell it.

How often a difference is claimed, and how often an interval holds the truth, whoever scatters.
"""

import itertools
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from scipy import special

from analysis.estimate import best
from analysis.estimate.pairs import estimated_pairs
from analysis.stats import shared_variance
from analysis.stats.interval import CONFIDENCE
from analysis.stats.shared_variance import Moments, Numbers
from analysis.units import NONE, aligned

COMPETITORS, QUESTIONS, MACHINES = 6, 19, 20  # environments, workloads; how often all of them are drawn
SPREADS, ROUNDS, DIFFERENCES = (0.01, 0.015, 0.02), (4, 6, 8), (0.03, 0.05)
SEED = 1984
NOISY = 0.03  # a competitor that scatters by more from round to round
STEADY = 0.01
SCATTER: Mapping[str, Callable[[np.random.Generator], Numbers]] = {  # (questions, competitors)
    "all 1 %": lambda _: np.full((QUESTIONS, COMPETITORS), STEADY),
    "0.5 to 8 %": lambda random: np.exp(random.uniform(np.log(0.005), np.log(0.08), (QUESTIONS, COMPETITORS))),
    "one 8 %": lambda _: np.array([_one_noisy(True)] * QUESTIONS),
    "one 8 % in some": lambda _: np.array([_one_noisy(number % 4 == 0) for number in range(QUESTIONS)]),
}
COVERED = (3, 4, 6, 10)  # rounds
COVERAGE = ("competitors scatter by", "rounds", "intervals that hold the truth", "of noisy competitors")
HEADER = ("spread of a ratio", "rounds", "difference", "pairs claimed", "all three behind the best", "false")


def _one_noisy(is_noisy: bool) -> list[float]:
    return [0.08 if is_noisy else STEADY, *[STEADY] * (COMPETITORS - 1)]


class Power(NamedTuple):
    """Of many questions in which three of six competitors take longer by one difference."""

    claimed: float  # share of the pairs with the difference that are claimed
    behind: float  # share of the questions whose set of the best is of the three fastest alone
    false: float  # share of the questions in which anything false is claimed


def simulated(random: np.random.Generator, spreads: Numbers, rounds: int, means: Numbers) -> list[Moments]:
    """Return the moments of questions measured in turns in one campaign, drawn at once.

    `spreads` are standard deviations of logarithms over rounds, (questions, competitors), `means` their truth.
    """
    competitors = spreads.shape[1]
    first, second = np.triu_indices(competitors, 1)
    rows = [(str(number), "") for number in range(competitors)]
    pairs = [(rows[a], rows[b]) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    logs = random.normal(size=(*spreads.shape, rounds)) * spreads[:, :, None] + np.asarray(means)[..., None]
    one = np.ones(len(pairs))
    return [
        Moments(pairs, one > 0, own.mean(1), rounds * one, own.var(1, ddof=1), own.var(1, ddof=1), (rounds - 1) * one,
                0 * one, one, 0 * one, one)
        for own in logs[:, second] - logs[:, first]
    ]  # fmt: skip


def coverage(name: str, rounds: int, machines: int = 10 * MACHINES) -> tuple[float, float | None]:
    """Return the share of pairs whose 99 % interval holds the truth: of all, and of those with a noisy competitor."""
    random = np.random.default_rng((SEED, rounds))
    first, second = np.triu_indices(COMPETITORS, 1)
    held, noisy = [], []
    for _ in range(machines):
        spreads = SCATTER[name](random)
        known = simulated(random, spreads, rounds, np.zeros(COMPETITORS))
        shared = shared_variance.fit(known)
        for each in known:
            errors, freedom = shared_variance.errors(each, shared)
            held.append(np.abs(each.centre) <= special.stdtrit(freedom, 0.5 + CONFIDENCE / 2) * errors)
        noisy.append(np.maximum(spreads[:, first], spreads[:, second]) > NOISY)
    all_held, all_noisy = np.concatenate(held), np.concatenate(noisy).ravel()
    return float(all_held.mean()), float(all_held[all_noisy].mean()) if all_noisy.any() else None


def power(spread: float, rounds: int, difference: float, machines: int = MACHINES) -> Power:
    """Return what rounds tell where the logarithm of each pair's ratio scatters by `spread` from round to round."""
    random = np.random.default_rng((SEED, rounds, round(1e4 * spread), round(1e4 * difference)))
    means = np.log1p(difference) * (np.arange(COMPETITORS) >= COMPETITORS // 2)
    slow = {(str(number), "") for number in range(COMPETITORS) if means[number]}
    claimed, behind, false = [], [], []
    for _ in range(machines):
        known = simulated(random, np.full((QUESTIONS, COMPETITORS), spread / np.sqrt(2)), rounds, means)
        shared = shared_variance.fit(known)
        for each in known:
            pairs = estimated_pairs(each, shared)
            apart = [pair for pair in pairs if (pair.a in slow) != (pair.b in slow)]
            claimed += [pair.claim == "faster" and pair.faster not in slow for pair in apart]
            may_be = best.of([*dict.fromkeys(row for pair in pairs for row in (pair.a, pair.b))], pairs).may_be
            behind.append(not may_be & slow)
            false.append(
                not may_be - slow or any(pair.faster and (pair not in apart or pair.faster in slow) for pair in pairs)
            )
    return Power(*(float(np.mean(each)) for each in (claimed, behind, false)))


def text() -> str:
    """Return tables of both; the same each time."""
    claims = [HEADER, *(_claims(*each) for each in itertools.product(SPREADS, ROUNDS, DIFFERENCES))]
    covered = [COVERAGE, *(_covered(*each) for each in itertools.product(SCATTER, COVERED))]
    return "\n".join([*aligned(claims, left=0), "", *aligned(covered, left=1)])


def _claims(spread: float, rounds: int, difference: float) -> tuple[str, ...]:
    found = power(spread, rounds, difference)
    shares = (f"{100 * found.claimed:.0f} %", f"{100 * found.behind:.0f} %", f"{100 * found.false:.1f} %")
    return f"{100 * spread:g} %", str(rounds), f"{100 * difference:g} %", *shares


def _covered(name: str, rounds: int) -> tuple[str, ...]:
    held, noisy = coverage(name, rounds)
    return name, str(rounds), f"{100 * held:.1f} %", NONE if noisy is None else f"{100 * noisy:.1f} %"
