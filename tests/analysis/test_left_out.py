"""A campaign left out: how often it contradicts what all others say, by machine, of ratios and of single times."""

import campaign
import numpy as np
import pytest

from analysis import __main__
from analysis.estimate import crosscheck
from analysis.load.table import read_results

CASES = [campaign.case(name) for name in ("red", "blue", "green", "gold")]
TRUTH = dict(zip(("red", "blue", "green", "gold"), (0.010, 0.011, 0.012, 0.013), strict=True))


def write(folder, days, drift, apart=0.0, rounds=4):
    """Write campaigns whose host drifts from day to day, and in which competitors differ by so much."""
    random = np.random.default_rng(1)
    for day in range(days):
        host, own = random.normal(0, drift), {name: random.normal(0, apart) for name in TRUTH}

        def times(about, _, host=host, own=own):
            name = about["environment"]
            return float(TRUTH[name] * np.exp(random.normal(host + own[name], 0.01)))

        made = campaign.lines(CASES, times, rounds=rounds, campaign=f"2026-11-{10 + day} 0900")
        campaign.write(folder, campaign.in_turns(made))
    return {each.what: each for each in crosscheck.replay(read_results(folder))}


def test_campaigns_that_differ_are_within_the_intervals_of_all_others(tmp_path):
    found = write(tmp_path, 12, drift=0.05, apart=0.01)
    assert (found["ratios"].campaigns, found["ratios"].compared, found["times"].compared) == (12, 72, 48)
    assert all(each.holds for each in found.values())


def test_intervals_that_leave_out_what_campaigns_differ_by_are_contradicted(tmp_path, monkeypatch):
    """Planted: errors of rounds alone, as the intervals of single times had before."""
    own = crosscheck.shared_variance.errors
    monkeypatch.setattr(
        crosscheck.shared_variance, "errors", lambda each, shared: own(each, shared._replace(between={}, most=1e6))
    )
    found = write(tmp_path, 12, drift=0.05, apart=0.02)
    assert found["times"].rate > 0.3
    assert not found["times"].holds
    assert not found["ratios"].holds


def test_of_two_campaigns_nothing_can_be_replayed(tmp_path, capsys):
    assert write(tmp_path, 2, drift=0.05) == {}
    assert __main__.main(["precision", "--replayed", str(tmp_path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.parametrize(("missed", "holds"), [([0, 0, 0], True), ([1, 0, 0], True), ([20, 21, 19], False)])
def test_the_miss_rate_has_an_interval_of_which_campaigns_are_the_unit(missed, holds):
    low, high = crosscheck._by_campaign(np.array(missed, float), np.array([50.0, 50.0, 50.0]))
    assert low <= sum(missed) / 150 <= high
    assert (low <= 0.01 <= high) == holds


@pytest.mark.nightly
def test_the_published_campaigns_miss_one_in_a_hundred():
    found = crosscheck.replay(read_results(__main__.RESULTS))
    assert len(found) >= 6
    assert [each for each in found if not each.holds] == []
