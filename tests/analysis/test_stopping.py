"""What another round of a question is worth, while a campaign runs."""

import math

import campaign
import pytest
from scipy import special

from analysis.stats import interval
from bench.campaign import estimates
from bench.campaign.estimates import narrowing
from bench.cases import Case

CASES = [campaign.case(name) for name in ("red", "blue")]
NEAR = {"red": 0.01, "blue": 0.01015}


def worth(times, rounds=4, half_width=0.01, cases=CASES):
    lines = campaign.lines(cases, times, rounds=rounds)
    return narrowing(campaign.typed([line for line in lines if line["kind"] == "run"]), half_width)


def test_what_decides_where_time_goes_has_the_margins_and_quantiles_of_what_concludes():
    margins = [math.log(interval.FASTER), math.log(interval.EQUIVALENT)]
    assert [*margins, interval.MIN_ROUNDS] == [estimates.DIFFERENT, estimates.SAME, estimates.FEWEST]
    expected = [special.stdtrit(number, 0.5 + interval.CONFIDENCE / 2) for number in range(1, len(estimates.QUANTILES))]
    assert list(estimates.QUANTILES[:-1]) == pytest.approx(expected, rel=1e-3)


def test_a_pair_that_is_told_apart_or_equivalent_is_worth_no_further_round():
    assert set(worth(campaign.noisy({"red": 0.01, "blue": 0.05}), rounds=8).values()) == {0}
    assert set(worth(campaign.always(0.01)).values()) == {0}


def test_an_open_pair_is_worth_less_the_more_rounds_it_has():
    (few,), (many,) = (worth(campaign.noisy(NEAR), rounds, 1e-6).values() for rounds in (3, 8))
    assert few > many > 0


def test_a_pair_that_is_known_as_well_as_asked_is_worth_nothing():
    assert set(worth(campaign.noisy(NEAR), half_width=10.0).values()) == {0}


def test_before_three_rounds_anything_may_come_out():
    assert min(worth(campaign.noisy({"red": 0.01, "blue": 0.05}), rounds=2).values()) > 0


def test_of_competitors_that_were_never_alive_at_once_nothing_is_known():
    lines = [line for line in campaign.lines(CASES, campaign.always(0.01), rounds=4) if line["kind"] == "run"]
    apart = [{**line, "group": CASES.index(line["case"])} for line in lines]
    assert set(narrowing(campaign.typed(lines), 0.01).values()) == {0}
    assert min(narrowing(campaign.typed(apart), 0.01).values()) > 0


def test_each_question_has_its_own_worth():
    other = [campaign.case(name, batch_size=32) for name in ("red", "blue")]
    found = worth(campaign.noisy({"red": 0.01, "blue": 0.05}), rounds=2, cases=[*CASES, *other])
    assert set(found) == {Case(**CASES[0]).question, Case(**other[0]).question}
