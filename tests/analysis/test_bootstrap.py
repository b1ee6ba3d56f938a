"""Intervals on simulated benches: rounds that drift, processes that differ, blocks with spikes, and a known truth."""

import numpy as np
import pytest
from scipy import stats

from analysis.estimate.crosscheck import MIN_ROUNDS, bootstrap_t
from analysis.stats import interval

REPLICATES = 1000  # a tenth of what the pages use, so that hundreds of simulations take seconds


def simulated(random, rounds, ratio=1.0, workloads=1, blocks=12, spikes=0.02):
    """Return rounds of pairs of runs: a drift per round, 1 % from process to process, 2 % from block to block."""
    return [
        [tuple(_run(random, drift * truth, blocks, spikes) for truth in (ratio, 1.0)) for _ in range(workloads)]
        for drift in np.exp(random.normal(0, 0.03, rounds))
    ]


def _run(random, truth, blocks, spikes):
    slow = np.where(random.random(blocks) < spikes, 2.0, 1.0)
    return truth * np.exp(random.normal(0, 0.01)) * np.exp(random.normal(0, 0.02, blocks)) * slow


def paired_t(rounds):
    return interval.mean([np.median(slower) / np.median(faster) for [(slower, faster)] in rounds])


def resampled(rounds, replicates=10_000):
    """Return the bootstrap-t interval of the mean over workloads of the ratios of runs' medians."""
    logs = [[np.log(np.median(slower) / np.median(faster)) for slower, faster in each] for each in rounds]
    return bootstrap_t(np.mean(logs, axis=1), replicates)


def naive_p(rounds):
    """Return Welch's p-value on all blocks, as if blocks were repetitions."""
    slower, faster = (np.log(np.concatenate([each[0][side] for each in rounds])) for side in (0, 1))
    return stats.ttest_ind(slower, faster, equal_var=False).pvalue


def test_both_intervals_cover_the_truth_where_a_test_on_blocks_does_not():
    random, truth = np.random.default_rng(11), 1.03
    benches = [simulated(random, MIN_ROUNDS, truth) for _ in range(300)]
    by_t = np.mean([each.low <= truth <= each.high for each in map(paired_t, benches)])
    by_resampling = [resampled(each, REPLICATES) for each in benches]
    assert by_t > 0.975
    assert np.mean([each.low <= truth <= each.high for each in by_resampling]) > 0.96
    one_run_each = [simulated(random, 1, blocks=100, spikes=0.0) for _ in range(100)]
    assert np.mean([naive_p(each) < 0.01 for each in one_run_each]) > 0.3  # where it promises 0.01


def test_both_intervals_are_about_as_wide():
    random = np.random.default_rng(12)
    benches = [simulated(random, MIN_ROUNDS) for _ in range(25)]
    widths = [np.log(each.high / each.low) for bench in benches for each in (paired_t(bench), resampled(bench))]
    assert np.median(np.divide(widths[1::2], widths[::2])) == pytest.approx(1.0, abs=0.15)


def test_rounds_are_drawn_with_all_their_workloads():
    bench = simulated(np.random.default_rng(13), MIN_ROUNDS)
    twice = [each * 2 for each in bench]  # two workloads that share all their noise tell no more than one
    once, both = (resampled(each) for each in (bench, twice))
    assert both.value == pytest.approx(once.value)
    assert np.log(both.high / both.low) == pytest.approx(np.log(once.high / once.low), rel=0.1)


def test_workloads_with_noise_of_their_own_narrow_the_mean():
    one, many = (resampled(simulated(np.random.default_rng(14), MIN_ROUNDS, workloads=count)) for count in (1, 9))
    assert many.half_width < one.half_width / 1.5


def test_the_same_rounds_give_the_same_interval():
    bench = simulated(np.random.default_rng(15), MIN_ROUNDS)
    assert resampled(bench) == resampled(bench)


def test_fewer_rounds_than_the_fewest_give_no_bounds():
    found = resampled(simulated(np.random.default_rng(16), MIN_ROUNDS - 1))
    assert (found.low, found.reason) == (None, f"{MIN_ROUNDS - 1} rounds: no interval")


def test_rounds_without_any_noise_give_their_ratio():
    assert bootstrap_t([np.log(2)] * MIN_ROUNDS)[:3] == pytest.approx((2.0, 2.0, 2.0))


def test_a_pair_and_its_inverse_have_inverse_intervals():
    bench = simulated(np.random.default_rng(18), MIN_ROUNDS, 1.03)
    one, other = resampled(bench), resampled([[both[::-1] for both in each] for each in bench])
    assert np.log([one.low, one.high]) == pytest.approx(-np.log([other.high, other.low]), abs=0.003)
