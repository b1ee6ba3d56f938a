"""What another round of a question is worth, while a campaign runs."""

import campaign

from analysis.worth import narrowing

CASES = [campaign.case(name) for name in ("red", "blue")]


def runs(means, rounds=4, noise=None):
    lines = campaign.lines(CASES, noise or campaign.noisy(means), rounds=rounds)
    return [line for line in lines if line["kind"] == "run"]


def test_a_pair_that_is_told_apart_or_equivalent_is_worth_no_further_round():
    assert narrowing(runs({"red": 0.01, "blue": 0.05}, rounds=8), 0.01) == 0
    assert narrowing(runs({}, noise=campaign.always(0.01)), 0.01) == 0


def test_an_open_pair_is_worth_less_the_more_rounds_it_has():
    few, many = (narrowing(runs({"red": 0.01, "blue": 0.01015}, rounds=rounds), 1e-6) for rounds in (3, 8))
    assert few > many > 0


def test_a_pair_that_is_known_as_well_as_asked_is_worth_nothing():
    assert narrowing(runs({"red": 0.01, "blue": 0.01}), 10.0) == 0


def test_before_three_rounds_anything_may_come_out():
    assert narrowing(runs({"red": 0.01, "blue": 0.05}, rounds=2), 0.01) > 0
