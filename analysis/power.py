"""What so many rounds can tell: how often a difference is claimed, by simulation of the functions that claim it."""

from typing import NamedTuple

import numpy as np

from analysis import best, shared_variance
from analysis.estimates import estimated_pairs
from analysis.shared_variance import Moments, Numbers
from analysis.summary import aligned

COMPETITORS, QUESTIONS, MACHINES = 6, 19, 20  # environments, workloads; how often all of them are drawn
SPREADS, ROUNDS, DIFFERENCES = (0.01, 0.015, 0.02), (4, 6, 8), (0.03, 0.05)
SEED = 1984
HEADER = ("spread of a ratio", "rounds", "difference", "pairs claimed", "all three behind the best", "false")


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
    """Return a table over spreads, rounds and differences; the same each time."""
    rows = []
    for spread in SPREADS:
        for rounds in ROUNDS:
            for difference in DIFFERENCES:
                found = power(spread, rounds, difference)
                shares = (f"{100 * found.claimed:.0f} %", f"{100 * found.behind:.0f} %", f"{100 * found.false:.1f} %")
                rows.append((f"{100 * spread:g} %", str(rounds), f"{100 * difference:g} %", *shares))
    return "\n".join(aligned([HEADER, *rows], left=0))
