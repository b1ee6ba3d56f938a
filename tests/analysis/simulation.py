"""Simulated rounds and campaigns: how often a difference is claimed, and how often an interval holds the truth."""

from typing import NamedTuple

import numpy as np

from analysis.estimate.pairs import best_of, estimated_pairs
from analysis.stats import interval, shared_variance
from analysis.stats.moments import of_logs

COMPETITORS, QUESTIONS, MACHINES = 6, 19, 20  # environments, workloads; how often all of them are drawn
SEED = 1984
NOISY = 0.03  # a competitor that scatters by more from round to round
STEADY = 0.01
SCATTER = {  # (questions, competitors)
    "all 1 %": lambda _: np.full((QUESTIONS, COMPETITORS), STEADY),
    "0.5 to 8 %": lambda random: np.exp(random.uniform(np.log(0.005), np.log(0.08), (QUESTIONS, COMPETITORS))),
    "one 8 %": lambda _: np.array([_one_noisy(True)] * QUESTIONS),
    "one 8 % in some": lambda _: np.array([_one_noisy(number % 4 == 0) for number in range(QUESTIONS)]),
}
COVERED = (3, 4, 6, 10)  # rounds
APART = {  # by what campaigns differ, (workloads,)
    "nothing": lambda _, count: np.zeros(count),
    "1 %": lambda _, count: np.full(count, 0.01),
    "0.3 to 3 %": lambda random, count: np.exp(random.uniform(np.log(0.003), np.log(0.03), count)),
}
CAMPAIGNS = (2, 3)  # of which every other workload is measured in the first alone
CAMPAIGN_ROUNDS = 4


def _one_noisy(is_noisy):
    return [0.08 if is_noisy else STEADY, *[STEADY] * (COMPETITORS - 1)]


class Power(NamedTuple):
    """Of many questions in which three of six competitors take longer by one difference."""

    claimed: float  # share of the pairs with the difference that are claimed
    behind: float  # share of the questions whose set of the best is of the three fastest alone
    false: float  # share of the questions in which anything false is claimed


def simulated(
    random, spreads, rounds, means, apart = 0.0,
    campaigns = (1,) * QUESTIONS,
):  # fmt: skip
    """Return the moments of questions measured in turns, each of a workload of its own.

    `spreads` are standard deviations of logarithms over rounds, (questions, competitors), and `means` their truth.
    `campaigns` says how many campaigns of `rounds` rounds measure each question. A pair's logarithm varies by `apart`
    between campaigns.
    """
    competitors = spreads.shape[1]
    first, second = np.triu_indices(competitors, 1)
    pairs = [((str(a), ""), (str(b), "")) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    between = np.broadcast_to(apart, len(spreads)) / np.sqrt(2)
    found = []
    for number, (spread, own, count) in enumerate(zip(spreads, between, campaigns, strict=True)):
        shifts = np.repeat(random.normal(0, own, (competitors, count)), rounds, axis=1)
        logs = random.normal(size=(competitors, count * rounds)) * spread[:, None] + np.asarray(means)[:, None] + shifts
        of_round = np.repeat(np.arange(count), rounds).tolist()
        found.append(of_logs(pairs, [True] * len(pairs), logs[second] - logs[first], of_round, str(number)))
    return found


def held(known):
    """Return which 99 % intervals of pairs that are alike hold the truth: (questions, pairs)."""
    shared = shared_variance.fit(known)
    errors = ((each.centre, *shared_variance.errors(each, shared)) for each in known)
    return np.array([np.abs(centre) <= interval.reach(freedom) * error for centre, error, freedom in errors])


def _drawn(scatter, apart, rounds, campaigns, machines, seed):
    """Return the spreads and what campaigns differ by of simulated machines, and which of their intervals hold."""
    random = np.random.default_rng((SEED, seed))
    found = []
    for _ in range(machines):
        spreads, own = SCATTER[scatter](random)[: len(campaigns)], APART[apart](random, len(campaigns))
        found.append((spreads, own, held(simulated(random, spreads, rounds, np.zeros(COMPETITORS), own, campaigns))))
    return tuple(map(np.array, zip(*found, strict=True)))


def coverage(name, rounds, machines=10 * MACHINES):
    """Return the share of pairs whose 99 % interval holds the truth: of all, and of those with a noisy competitor."""
    spreads, _, all_held = _drawn(name, "nothing", rounds, (1,) * QUESTIONS, machines, rounds)
    first, second = np.triu_indices(COMPETITORS, 1)
    noisy = all_held[np.maximum(spreads[..., first], spreads[..., second]) > NOISY]
    return float(all_held.mean()), float(noisy.mean()) if noisy.size else None


def coverage_of_campaigns(name, apart, campaigns, machines=10 * MACHINES, workloads=QUESTIONS):
    """Return the same where campaigns differ: of all, of workloads measured once, and of that which differs most."""
    counts = [campaigns if number % 2 == 0 else 1 for number in range(workloads)]
    _, own, all_held = _drawn(name, apart, CAMPAIGN_ROUNDS, counts, machines, campaigns)
    most = all_held[np.arange(machines), own.argmax(axis=1)]
    return float(all_held.mean()), float(all_held[:, 1::2].mean()), float(most.mean())


def power(spread, rounds, difference, machines=MACHINES):
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
            may_be = best_of([*dict.fromkeys(row for pair in pairs for row in (pair.a, pair.b))], pairs).may_be
            behind.append(not may_be & slow)
            false.append(
                not may_be - slow or any(pair.faster and (pair not in apart or pair.faster in slow) for pair in pairs)
            )
    return Power(*(float(np.mean(each)) for each in (claimed, behind, false)))
