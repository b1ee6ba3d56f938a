"""The stopping rule's view of a running campaign."""

import campaign
import pytest

from analysis.precision import half_widths, widest

CASES = [campaign.case(name, mode) for name in ("red", "blue") for mode in ("eager", "compiled")]


def test_every_pair_of_a_question_counts():
    records = campaign.lines(CASES, campaign.noisy({"red": 0.01, "blue": 0.02}), rounds=5)
    assert len(half_widths(records)) == 6


def test_cases_of_different_questions_are_no_pair():
    cases = [campaign.case("red"), campaign.case("blue", batch_size=64)]
    assert half_widths(campaign.lines(cases, campaign.always(0.01))) == {}


def test_before_three_rounds_nothing_is_known():
    records = campaign.lines(CASES, campaign.noisy({"red": 0.01, "blue": 0.02}), rounds=2)
    assert widest(records) is None


def test_more_rounds_make_it_narrower():
    few, many = (
        campaign.lines(CASES, campaign.noisy({"red": 0.01, "blue": 0.02}), rounds=rounds) for rounds in (4, 40)
    )
    assert widest(many) < widest(few)
    assert widest(many) < 0.01


def test_a_failed_round_does_not_count_and_a_repeated_one_counts_once():
    case = [campaign.case("red"), campaign.case("blue")]
    records = campaign.lines(case, campaign.always(0.01), rounds=3)
    assert widest(records) == pytest.approx(0.0, abs=0.1)
    assert widest([*records, campaign.run(case[0], 3, "failed")]) is None


def test_a_void_round_does_not_count_until_it_is_repeated():
    case = [campaign.case("red"), campaign.case("blue")]
    records = [*campaign.lines(case, campaign.always(0.01), rounds=3), campaign.void(case[0], 3)]
    assert widest(records) is None
    assert widest([*records, *(campaign.run(each, 3, 0.01) for each in case)]) == pytest.approx(0.0, abs=0.1)
