"""When programs are different, a tie, or not yet decided; and whether they did the same work."""

import math

import pytest

from bench.versus import verdict, work


def rounds(*times, examples=(None, None)):
    return [
        [{"block_s": [2 * time_s] * 5, "steps_per_block": 2, "examples_per_step": count}
         for time_s, count in zip(pair, examples, strict=True)]
        for pair in times
    ]  # fmt: skip


CLEAR = rounds((3.0, 1.0), (3.05, 1.0), (2.95, 1.0))
TWINS = rounds((1.0, 1.001), (1.001, 1.0), (1.0, 1.0), (1.0, 1.0))
OPEN = rounds((1.05, 1.0), (1.0, 1.0), (1.1, 1.0))


def test_a_ratio_beyond_its_interval_is_different():
    found = verdict.ratio(CLEAR, 0, 1)
    assert (found.word, round(found.value, 2)) == ("different", 3.0)
    assert found.low < 3 < found.high
    assert verdict.are_decided(CLEAR)


def test_twins_are_a_tie():
    assert verdict.ratio(TWINS, 0, 1).word == "tie"
    assert verdict.are_decided(TWINS)


def test_an_open_pair_says_how_many_rounds_are_missing():
    found = verdict.ratio(OPEN, 0, 1)
    assert found.word == "open"
    assert found.more_rounds > 3
    assert not verdict.are_decided(OPEN)


def test_fewer_than_three_rounds_decide_nothing():
    found = verdict.ratio(CLEAR[:2], 0, 1)
    assert (found.word, found.low, found.more_rounds) == ("open", None, 1)


def test_rounds_go_on_until_a_clear_difference_is_known_well_enough():
    wide = rounds((5.5, 1.0), (6.0, 1.0), (6.5, 1.0))
    assert verdict.ratio(wide, 0, 1).word == "different"
    assert not verdict.are_decided(wide)
    assert verdict.are_decided([*wide, *rounds((6.0, 1.0), (6.0, 1.0), (6.0, 1.0))])


def test_steps_of_other_sizes_are_compared_per_example():
    found = verdict.ratio(rounds((2.0, 1.0), examples=(64, 32)), 0, 1)
    assert found.value == pytest.approx(1.0)


def look(outputs=None, weights=((1.0, 2.0), (1.1, 2.1)), **facts):
    def arrays(values):
        return [{"shape": [len(values)], "values": list(values)}]

    before = {"weights": arrays(weights[0])} | ({"outputs": arrays(outputs)} if outputs else {})
    after = {"weights": arrays(weights[1])} | ({"outputs": arrays(outputs)} if outputs else {})
    return {"before": before, "after": after, "facts": {"torch": facts}}


def judged(one, other, twins=None, losses=((), ())):
    return work.judge("ab", [one, other], twins or [one, other], losses)


def test_outputs_that_agree_up_to_rounding_show_the_same_work():
    found = judged(look([1.0, 2.0]), look([1.0, 2.000001]))
    assert found.verdict == "shown"
    assert "largest relative difference" in found.sentences[0]


def test_outputs_of_seeded_programs_that_differ_are_other_work():
    found = judged(look([1.0, 2.0]), look([1.0, 2.2]))
    assert (found.verdict, found.sentences[0]) == (
        "different", "Outputs differ before the first step: largest relative difference 9.1e-02.",
    )  # fmt: skip


def test_outputs_that_differ_as_much_between_twins_show_nothing():
    other_seed = ((2.0, 1.0), (2.1, 1.1))
    one, other = look([1.0, 2.0]), look([2.0, 1.0], other_seed)
    found = judged(one, other, twins=[other, one])
    assert found.verdict == "not shown"
    assert "two processes of the same program by" in found.sentences[0]


def test_another_learning_rate_is_found_by_the_size_of_the_update_though_weights_are_random():
    one, other = look(weights=((1.0, 2.0), (1.001, 2.001))), look(weights=((2.0, 1.0), (2.9, 1.9)))
    twins = [look(weights=((2.0, 1.0), (2.001, 1.001))), look(weights=((1.0, 2.0), (1.9, 2.9)))]
    found = judged(one, other, twins)
    assert found.verdict == "different"
    assert found.sentences == ["The steps change the weights by 0.06% in a and by 56.92% in b."]


def test_arrays_with_other_axes_are_compared_by_their_sorted_numbers():
    one = [{"shape": [2, 3], "values": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}]
    other = [{"shape": [3, 2], "values": [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]}]
    assert work.distance(one, other) == 0.0
    assert work.distance(one, [{"shape": [6], "values": [0.0] * 6}]) is None
    assert work.distance(one, one * 2) is None


def test_another_number_of_weights_is_other_work():
    assert judged(look(parameters=10), look(parameters=12)).sentences[-1] == "10 weights in a, 12 in b."


def test_flops_are_compared_only_if_one_framework_counted_both():
    def judged(one, other):
        looks = [{"facts": {own: {"flops_per_step": count}}} for own, count in (one, other)]
        return work.judge("ab", looks, [{}, {}], [[[None]], [[None]]])

    assert judged(("torch", 1000), ("torch", 3000)).verdict == "different"
    found = judged(("torch", 1000), ("jax", 3000))
    assert found.verdict == "not shown"
    assert "each counted by its framework's own rules" in found.sentences[0]


def test_a_loss_that_is_not_finite_is_other_work():
    found = judged({}, {}, twins=[{}, {}], losses=([[1.0]], [[math.nan]]))
    assert (found.verdict, found.sentences) == ("different", ["Loss of the first step is not a finite number in b."])


def test_first_losses_of_unseeded_programs_may_differ():
    assert judged({}, {}, [{}, {}], ([[1.0], [1.2]], [[1.5], [1.4]])).verdict == "not shown"
    assert judged({}, {}, [{}, {}], ([[1.0], [1.2]], [[70.0], [71.0]])).verdict == "different"


def test_losses_that_agree_in_every_process_and_change_with_the_steps_show_the_same_work():
    falling = [[2.0, 1.5, 1.2], [2.0, 1.5, 1.2]]
    assert judged({}, {}, [{}, {}], (falling, [[2.0, 1.5001, 1.2]])).verdict == "shown"
    assert judged({}, {}, [{}, {}], (falling, [[2.0, 1.4, 1.1]])).verdict == "not shown"
    assert judged({}, {}, [{}, {}], ([[1.0, 1.0]], [[1.0, 1.0]])).verdict == "not shown", "a constant is no training"


def test_three_programs_are_compared_with_the_fastest():
    three = rounds((3.0, 1.0, 3.01), (3.05, 1.0, 3.0), (2.95, 1.0, 3.05), examples=(None,) * 3)
    assert verdict.pairs(three) == [(0, 1), (2, 1)]
    assert verdict.are_decided(three)
