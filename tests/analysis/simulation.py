"""What so many rounds can settle, by simulation of the functions that decide it.

`PYTHONPATH=. python tests/analysis/simulation.py` prints three tables in three minutes, the same each time. They say
how often a difference is claimed, and how often an interval holds the truth, for several scatters.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from analysis import units
from analysis.estimate.pairs import best_of, estimated_pairs
from analysis.stats import interval, shared_variance
from analysis.stats.moments import Moments, Numbers, Truths, of_logs

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
APART: Mapping[str, Callable[[np.random.Generator, int], Numbers]] = {  # by what campaigns differ, (workloads,)
    "nothing": lambda _, count: np.zeros(count),
    "1 %": lambda _, count: np.full(count, 0.01),
    "0.3 to 3 %": lambda random, count: np.exp(random.uniform(np.log(0.003), np.log(0.03), count)),
}
CAMPAIGNS = (2, 3)  # of which every other workload is measured in the first alone
SEVERAL = ("competitors scatter by", "campaigns differ by", "campaigns", "intervals that hold the truth",
           "of workloads measured once", "of the workload that differs most")  # fmt: skip
CAMPAIGN_ROUNDS = 4
CLAIMED = ("spread of a ratio", "rounds", "difference", "pairs claimed", "all three behind the best", "false")


def _one_noisy(is_noisy: bool) -> list[float]:
    return [0.08 if is_noisy else STEADY, *[STEADY] * (COMPETITORS - 1)]


class Power(NamedTuple):
    """Of many questions in which three of six competitors take longer by one difference."""

    claimed: float  # share of the pairs with the difference that are claimed
    behind: float  # share of the questions whose set of the best is of the three fastest alone
    false: float  # share of the questions in which anything false is claimed


def simulated(
    random: np.random.Generator, spreads: Numbers, rounds: int, means: Numbers, apart: Numbers | float = 0.0,
    campaigns: Sequence[int] = (1,) * QUESTIONS,
) -> list[Moments]:  # fmt: skip
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


def held(known: Sequence[Moments]) -> Truths:
    """Return which 99 % intervals of pairs that are alike hold the truth: (questions, pairs)."""
    shared = shared_variance.fit(known)
    errors = ((each.centre, *shared_variance.errors(each, shared)) for each in known)
    return np.array([np.abs(centre) <= interval.reach(freedom) * error for centre, error, freedom in errors])


def _drawn(
    scatter: str, apart: str, rounds: int, campaigns: Sequence[int], machines: int, seed: int
) -> tuple[Numbers, ...]:
    """Return the spreads and what campaigns differ by of simulated machines, and which of their intervals hold."""
    random = np.random.default_rng((SEED, seed))
    found = []
    for _ in range(machines):
        spreads, own = SCATTER[scatter](random)[: len(campaigns)], APART[apart](random, len(campaigns))
        found.append((spreads, own, held(simulated(random, spreads, rounds, np.zeros(COMPETITORS), own, campaigns))))
    return tuple(map(np.array, zip(*found, strict=True)))


def coverage(name: str, rounds: int, machines: int = 10 * MACHINES) -> tuple[float, float | None]:
    """Return the share of pairs whose 99 % interval holds the truth: of all, and of those with a noisy competitor."""
    spreads, _, all_held = _drawn(name, "nothing", rounds, (1,) * QUESTIONS, machines, rounds)
    first, second = np.triu_indices(COMPETITORS, 1)
    noisy = all_held[np.maximum(spreads[..., first], spreads[..., second]) > NOISY]
    return float(all_held.mean()), float(noisy.mean()) if noisy.size else None


def coverage_of_campaigns(
    name: str, apart: str, campaigns: int, machines: int = 10 * MACHINES, workloads: int = QUESTIONS
) -> tuple[float, float, float]:
    """Return the same where campaigns differ: of all, of workloads measured once, and of that which differs most."""
    counts = [campaigns if number % 2 == 0 else 1 for number in range(workloads)]
    _, own, all_held = _drawn(name, apart, CAMPAIGN_ROUNDS, counts, machines, campaigns)
    most = all_held[np.arange(machines), own.argmax(axis=1)]
    return float(all_held.mean()), float(all_held[:, 1::2].mean()), float(most.mean())


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
            may_be = best_of([*dict.fromkeys(row for pair in pairs for row in (pair.a, pair.b))], pairs).may_be
            behind.append(not may_be & slow)
            false.append(
                not may_be - slow or any(pair.faster and (pair not in apart or pair.faster in slow) for pair in pairs)
            )
    return Power(*(float(np.mean(each)) for each in (claimed, behind, false)))


def simulations() -> str:
    """Return tables of what so many rounds can tell, by simulation; the same each time."""
    claims = [(f"{100 * spread:g} %", str(rounds), f"{100 * difference:g} %",
               *_percent(power(spread, rounds, difference), (0, 0, 1)))
              for spread, rounds, difference in itertools.product(SPREADS, ROUNDS, DIFFERENCES)]  # fmt: skip
    covered = [(name, str(rounds), *_percent(coverage(name, rounds)))
               for name, rounds in itertools.product(SCATTER, COVERED)]  # fmt: skip
    several = [(name, apart, str(count), *_percent(coverage_of_campaigns(name, apart, count)))
               for name, apart, count in itertools.product(SCATTER, APART, CAMPAIGNS)]  # fmt: skip
    tables = ([CLAIMED, *claims], 0), ([COVERAGE, *covered], 1), ([SEVERAL, *several], 2)
    return "\n\n".join("\n".join(units.aligned(rows, left)) for rows, left in tables)


def _percent(shares: Sequence[float | None], decimals: Sequence[int] = (1, 1, 1)) -> list[str]:
    both = zip(shares, decimals, strict=False)
    return [units.NONE if share is None else f"{100 * share:.{places}f} %" for share, places in both]


if __name__ == "__main__":
    print(simulations())
