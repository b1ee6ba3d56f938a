"""Moments of logarithms over rounds and campaigns: of the ratios of one question's pairs, and of single times."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from analysis.stats import Row

Numbers = np.ndarray[Any, np.dtype[np.float64]]
Truths = np.ndarray[Any, np.dtype[np.bool_]]
Places = np.ndarray[Any, np.dtype[np.int64]]
Times = Mapping[Row, Mapping[int, float]]

NOBODY: Row = ("", "")  # a single time is a pair with it


class Moments(NamedTuple):
    """Of the logarithms of one question's ratios, or times, each over the rounds that it has: arrays (pairs,)."""

    pairs: Sequence[tuple[Row, Row]]  # a single time is a pair with NOBODY
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
    workload: str = ""

    @property
    def is_of_times(self) -> bool:
        """Say whether these are of single times."""
        return any(first == NOBODY for first, _ in self.pairs[:1])


def of_pairs(times: Times, campaign_of: Mapping[int, Any], in_turns: Mapping[Row, bool], workload: str = "") -> Moments:
    """Return the moments of each competitor beside each after it that it shares a round with: later over earlier.

    `times` are seconds by competitor and round, `campaign_of` tells each round's campaign.
    """
    rows, logs, campaigns = _logs(times, campaign_of)
    first, second = np.triu_indices(len(rows), 1)
    pairs = [(rows[a], rows[b]) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    turns = [in_turns.get(a, False) and in_turns.get(b, False) for a, b in pairs]
    return of_logs(pairs, turns, logs[second] - logs[first], campaigns, workload)


def of_times(times: Times, campaign_of: Mapping[int, Any], in_turns: Mapping[Row, bool], workload: str = "") -> Moments:
    """Return the moments of each competitor's own times."""
    rows, logs, campaigns = _logs(times, campaign_of)
    turns = [in_turns.get(row, False) for row in rows]
    return of_logs([(NOBODY, row) for row in rows], turns, logs, campaigns, workload)


def _logs(times: Times, campaign_of: Mapping[int, Any]) -> tuple[list[Row], Numbers, list[Any]]:
    """Return competitors, the logarithms of their times (competitors, rounds), and each round's campaign."""
    logs, numbers = logarithms(times)
    return list(times), logs, [campaign_of.get(number) for number in numbers]


def logarithms(times: Mapping[Any, Mapping[int, float]]) -> tuple[Numbers, list[int]]:
    """Return the logarithms of times (competitors, rounds), NaN without a time, and the rounds in order."""
    numbers = sorted(set().union(*times.values()))
    places = {number: place for place, number in enumerate(numbers)}
    logs = np.full((len(times), len(numbers)), np.nan)
    for row, by_round in zip(logs, times.values(), strict=True):
        if by_round:
            row[[places[number] for number in by_round]] = np.log(list(by_round.values()))
    return logs, numbers


def of_logs(
    pairs: Sequence[tuple[Row, Row]], turns: Sequence[bool], logs: Numbers, campaign: Sequence[Any], workload: str = ""
) -> Moments:
    """Return the moments of logarithms (pairs, rounds), NaN without a time; rounds of a campaign are adjacent."""
    has = ~np.isnan(logs)
    kept = has.any(axis=1)
    own, has = np.where(has, logs, 0.0)[kept], has[kept]
    chosen, in_turns = [pairs[place] for place in np.flatnonzero(kept).tolist()], np.asarray(turns, bool)[kept]
    starts, group = _campaigns(campaign)
    counts = np.add.reduceat(has, starts, axis=1, dtype=float)  # (pairs, campaigns)
    rounds = counts.sum(axis=1)
    centre = own.sum(axis=1) / rounds
    means = np.add.reduceat(own, starts, axis=1) / np.maximum(counts, 1)
    campaigns = (counts > 0).sum(axis=1)
    within = (np.where(has, own - means[:, group], 0.0) ** 2).sum(axis=1)
    total = (np.where(has, own - centre[:, None], 0.0) ** 2).sum(axis=1)
    among = (counts * (means - centre[:, None]) ** 2).sum(axis=1)
    others, weight = np.maximum(campaigns - 1, 1), (counts**2).sum(axis=1) / rounds**2
    return Moments(
        chosen, in_turns, centre, rounds, total / np.maximum(rounds - 1, 1),
        within / np.maximum(rounds - campaigns, 1), (rounds - campaigns).astype(float),
        np.where(campaigns > 1, among / others, 0.0), campaigns, rounds * (1 - weight) / others, weight, workload,
    )  # fmt: skip


def _campaigns(names: Sequence[Any]) -> tuple[Places, Places]:
    """Return where the rounds of each campaign begin, which are adjacent, and the campaign of each round, from 0."""
    is_first = np.array([place == 0 or name != names[place - 1] for place, name in enumerate(names)], bool)
    return np.flatnonzero(is_first), np.cumsum(is_first) - 1
