"""Intervals, pairing and adjustment, against numbers that are known."""

import numpy as np
import pytest
from scipy import stats

from analysis.stats import interval


def test_the_interval_is_students_t_on_logarithms():
    values = [1.0, 1.1, 1.21, 1.05]
    low, high = stats.t.interval(0.99, 3, np.mean(np.log(values)), stats.sem(np.log(values)))
    found = interval.mean(values)
    assert found.value == pytest.approx(stats.gmean(values))
    assert (found.low, found.high) == pytest.approx((np.exp(low), np.exp(high)))


@pytest.mark.parametrize(("rounds", "reason"), [(1, "1 round: no interval"), (2, "2 rounds: no interval")])
def test_one_round_or_two_give_no_interval_and_say_so(rounds, reason):
    found = interval.mean([2.0] * rounds)
    assert (found.value, found.low, found.high, found.reason) == (pytest.approx(2.0), None, None, reason)


def test_ratios_are_paired_within_rounds_only():
    assert interval.paired({1: 2.0, 2: 4.0, 3: 9.0}, {2: 2.0, 3: 3.0, 4: 5.0}) == [2.0, 3.0]


def test_holm_adjusts_as_in_the_textbook():
    assert interval.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_a_99_percent_interval_covers_the_truth_in_about_99_percent():
    random = np.random.default_rng(7)
    found = [interval.mean(np.exp(random.normal(0.05, 0.02, 5)).tolist()) for _ in range(2000)]
    assert 0.98 <= sum(each.low <= np.exp(0.05) <= each.high for each in found) / 2000 <= 0.998


def test_the_inverse_of_an_interval_swaps_its_bounds():
    found = interval.mean([1.9, 2.0, 2.1]).inverse()
    assert found.low < found.value < found.high < 1


def test_a_claim_needs_the_adjusted_p_value_as_well():
    ratio = interval.Interval(1.1, 1.05, 1.15, 5)
    assert (interval.claim(ratio, 0.001), interval.claim(ratio, 0.02)) == ("faster", "unresolved")


def test_equal_within_two_percent_is_equivalent():
    assert interval.claim(interval.Interval(1.0, 0.985, 1.015, 5), 1.0) == "equivalent"


def test_without_noise_the_p_value_is_decided_by_the_excess_alone():
    assert (interval.p_of(0.1, 0.0, 2), interval.p_of(-0.01, 0.0, 2), interval.p_of(0.1, None, 0)) == (0.0, 1.0, 1.0)


def coverage_with_stopping(first, spread=0.012, campaigns=4000, most=40):
    """Return how often intervals hold the truth that are looked at after each round from `first` on, until ±1 %."""
    logs = np.random.default_rng(8).normal(0, spread, (campaigns, most))
    rounds = np.arange(1, most + 1)
    means = logs.cumsum(axis=1) / rounds
    variances = np.maximum((logs**2).cumsum(axis=1) / rounds - means**2, 0) * rounds / np.maximum(rounds - 1, 1)
    half = stats.t.ppf(0.995, np.maximum(rounds - 1, 1)) * np.sqrt(variances / rounds)
    may_stop = (half <= np.log(1.01)) & (rounds >= first)
    stop = np.where(may_stop.any(axis=1), may_stop.argmax(axis=1), most - 1)
    each = np.arange(campaigns)
    return np.mean(np.abs(means[each, stop]) <= half[each, stop])


def test_looking_after_each_round_costs_little_from_the_tenth_on_and_more_from_the_third():
    assert coverage_with_stopping(10) > 0.98
    assert coverage_with_stopping(3) < coverage_with_stopping(10)


def test_means_and_spreads_are_those_of_numpy():
    random = np.random.default_rng(0)
    for size in (2, 3, 5, 8, 9, 12, 100):
        times = random.lognormal(-5, 0.1, size)
        logs = np.log(times)
        assert interval.mean(times.tolist()).value == pytest.approx(np.exp(logs.mean()), rel=1e-14)
        assert interval.standard_error(logs.tolist()) == pytest.approx(logs.std(ddof=1) / np.sqrt(size), rel=1e-13)
