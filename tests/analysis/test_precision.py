"""The stopping rule's view of a running campaign."""

import campaign
import pytest

from analysis.precision import half_widths, widest
from bench import registry

CASES = [campaign.case(name, mode) for name in ("red", "blue") for mode in ("eager", "compiled")]


def test_only_default_modes_count():
    records = campaign.lines(CASES, campaign.noisy({"red": 0.01, "blue": 0.02}), rounds=5)
    ((a, b),) = half_widths(records)
    assert "/eager/" in a
    assert "/eager/" in b


def test_before_three_rounds_nothing_is_known():
    records = campaign.lines(CASES, campaign.noisy({"red": 0.01, "blue": 0.02}), rounds=2)
    assert widest(records) is None


def test_more_rounds_make_it_narrower():
    few, many = (
        campaign.lines(CASES, campaign.noisy({"red": 0.01, "blue": 0.02}), rounds=rounds) for rounds in (4, 40)
    )
    assert widest(many) < widest(few)
    assert widest(many) < 0.01


def test_without_environment_lines_the_registry_names_default_modes():
    two = list(registry.environments().values())[:2]
    cases = [campaign.case(each.name, mode.name) for each in two for mode in each.modes]
    runs = [campaign.run(case, number, 0.01, seed=number) for case in cases for number in (1, 2, 3)]
    ((a, b),) = half_widths(runs)
    assert {case.split("/")[3] for case in (a, b)} == {each.modes[0].name for each in two}


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
