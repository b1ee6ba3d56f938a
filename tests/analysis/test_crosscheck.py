"""The check beside a pair's interval: silent where both agree, a flag where claims or bounds differ."""

import campaign
import numpy as np
import pytest

from analysis.estimate import crosscheck
from analysis.estimate.estimates import estimate_all
from analysis.estimate.pairs import Pair
from analysis.load.table import by_row, read_results
from analysis.stats import interval
from analysis.stats.interval import Interval


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    return measured(tmp_path_factory.mktemp("results"), campaign.noisy({"red": 0.010, "blue": 0.011}), 16)


def measured(folder, times, rounds):
    """Return the runs of a question that two answered, and their pair."""
    cases = [campaign.case(name) for name in ("red", "blue")]
    results = read_results(campaign.write(folder, campaign.lines(cases, times, rounds=rounds)))
    (answer,) = estimate_all(results)
    return results, answer


def check(results, answer, **changes):
    """Check the answer's pair, of which something may be changed."""
    (found,) = crosscheck.checks(results, [answer], [answer.pairs[0]._replace(**changes)])
    return found


def test_a_clear_claim_is_confirmed(compared):
    found, (pair,) = check(*compared), compared[1].pairs
    assert (pair.claim, found.disagreement) == ("faster", None)
    assert np.log(found.resampled.low / pair.ratio.low) == pytest.approx(0, abs=0.01)


def test_a_claim_that_resampling_does_not_confirm_is_flagged(compared):
    assert check(*compared, claim="equivalent").disagreement == "by resampling: faster"


def test_bounds_that_are_too_narrow_are_flagged(compared):
    value = compared[1].pairs[0].ratio.value
    narrow = Interval(value, value / 1.0001, value * 1.0001, 16)
    assert check(*compared, ratio=narrow).disagreement == "by resampling: bounds elsewhere"


def test_a_round_that_one_of_the_two_lost_is_not_drawn(tmp_path):
    lost = lambda about, number: "failed" if (about["environment"], number) == ("red", 2) else 0.01  # noqa: E731
    results, answer = measured(tmp_path, lost, 8)
    assert len(crosscheck.log_ratios([by_row(results.runs, results.runs["step_s"])], answer.pairs[0])) == 7


def test_with_few_rounds_there_is_nothing_to_disagree_with(tmp_path):
    found = check(*measured(tmp_path, campaign.always(0.01), 5))
    assert (found.resampled.low, found.disagreement) == (None, None)


def test_noise_that_behaves_is_seldom_flagged():
    random, row = np.random.default_rng(23), [("red", ""), ("blue", "")]
    flagged = 0
    for _ in range(60):
        logs = random.normal(0, 0.01, (crosscheck.MIN_ROUNDS, 2)) @ (1, -1)
        ratio = interval.mean(np.exp(logs).tolist())
        pair = Pair(*row, ratio, 1.0, 1.0, interval.claim(ratio, 1.0))
        flagged += crosscheck._disagreement(pair, crosscheck.bootstrap_t(logs, 1000)) is not None
    assert flagged <= 6
