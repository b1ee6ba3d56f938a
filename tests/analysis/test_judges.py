"""Twins and planted slow-downs pass where the measurement keeps its promise, fail where not; replays are repeatable."""

import campaign
import numpy as np
import pytest
from judging import NAME, judge, twins, typed, without

from analysis import controls
from analysis.controls import coverage, planted, same
from analysis.stats import interval, replay
from bench.results import records
from bench.results.lines import Run


@pytest.fixture(scope="module")
def calm():
    return twins()


def test_one_environment_under_two_names_passes_where_nothing_differs(calm):
    judged = judge(same, calm)
    assert judged.passes, judged.finding
    assert "of 20 real ones 0 lead to a claim" in judged.finding


def test_the_naive_test_calls_the_same_twins_different(calm):
    p_values = np.array(same.naive(same.twins_of(typed(calm))))
    assert len(p_values) == 200
    assert (p_values < same.NAIVE).mean() > 0.3
    told = dict(zip(*map(judge(same, calm).evidence.get, ("what", "how many")), strict=True))
    usual, ours = (told[f"pairs of runs that Welch's test calls different at {level}"] for level in ("5.0 %", "1.0 %"))
    assert [usual, ours] == [f"{(p_values < level).sum()} of 200" for level in (0.05, 0.01)]


def test_a_name_that_is_slower_for_no_reason_fails():
    assert judge(same, twins(wrong=0.05)).passes is False
    assert judge(same, twins(wrong=0.0, rounds=4)).passes is None


def test_twenty_comparisons_of_few_rounds_do_not_decide_that_nothing_differs():
    judged = judge(same, twins(rounds=12))
    assert judged.passes is None
    assert "than 20 rounds, do not decide it" in judged.finding
    assert judge(same, twins(rounds=12, wrong=0.05)).passes is False


def test_planted_slow_downs_are_found_with_their_size(calm):
    judged = judge(planted, calm)
    assert judged.passes, judged.evidence.to_string()
    assert list(judged.evidence["planted"])[:2] == ["nothing", "1 % on the device"]


def test_noise_that_hides_three_percent_fails():
    assert judge(planted, twins(noise=0.02)).passes is False


def test_a_wrong_size_fails(calm):
    swapped = {3: 5, 5: 3}
    plans = {name: plan._replace(percent=swapped.get(plan.percent, plan.percent))
             for name, plan in planted.key(typed(calm)).items()}  # fmt: skip
    levels = {level.plan: level for level in planted.disclose(planted.estimate(controls.runs(typed(calm))), plans)}
    assert not levels[planted.Planted("host", 3)].passes
    assert levels[planted.Planted("host", 2)].passes


def test_the_key_is_unread_until_every_estimate_is_made(calm, monkeypatch):
    made = []
    estimate, key = planted.estimate, planted.key
    monkeypatch.setattr(planted, "key", lambda given: made.append("key") or key(given))

    def estimating(given):
        assert {type(line) for line in given} == {Run}
        found = estimate(given)
        made.append("estimates")
        return found

    monkeypatch.setattr(planted, "estimate", estimating)
    judge(planted, calm)
    assert made == ["estimates", "key"]


def test_coverage_is_near_99_percent_for_ordinary_noise(calm):
    judged = judge(coverage, calm)
    assert judged.passes, judged.finding


def test_an_interval_that_is_far_too_wide_for_its_data_fails():
    random = np.random.default_rng(3)
    assert judge(coverage, twins(draw=lambda: 0.002 * random.standard_cauchy())).passes is False


def test_too_few_rounds_leave_everything_open():
    few = twins(rounds=2)
    assert [judge(module, few).passes for module in (same, planted, coverage)] == [None] * 3


def named(given, percent, way="device"):
    """Return the competitors of a plan."""
    return [name for name, plan in planted.key(typed(given)).items() if plan == planted.Planted(way, percent)]


def test_one_failed_run_costs_its_own_pairs_one_round_and_nobody_else_any(calm):
    name = named(calm, 0)[1]
    given = without(calm, name, [3])
    rounds = replay.prepare(controls.times(controls.timed(typed(given))))
    assert len(rounds.shared(name, named(calm, 0)[0])) == 19
    assert len(rounds.shared(named(calm, 0)[0], named(calm, 3)[0])) == 20
    assert [judge(module, given).passes for module in (same, planted, coverage)] == [True] * 3


def test_a_twin_that_dropped_out_leaves_twins_open_and_planted_slow_downs_judged(calm):
    given = without(calm, named(calm, 0)[1], range(2, 21))
    assert judge(same, given).passes is None
    assert "Fewer than 20 real comparisons" in judge(same, given).finding
    assert judge(planted, given).passes
    assert judge(coverage, given).passes


def test_a_slow_down_whose_runs_failed_is_said_to_be_open(calm):
    judged = judge(planted, without(calm, named(calm, 2)[0], range(2, 21)))
    assert judged.passes is None
    assert "Too many runs failed to say so of 2 % on the device." in judged.finding
    both = without(without(calm, named(calm, 3)[0], range(1, 21)), named(calm, 3, "host")[0], range(1, 21))
    assert judge(planted, both).passes is None


def test_runs_of_a_void_round_and_blocks_of_before_a_run_was_steady_do_not_count(calm):
    name = named(calm, 0)[0]
    case = campaign.case(name)
    slow = campaign.run(case, 1, 9.0, campaign=NAME)
    again = campaign.run(case, 1, 0.01, campaign=NAME, steps_per_block=1, block_s=[9.0, 0.1, 0.2], steady_from=1)
    known = controls.timed(typed([slow, campaign.void(case, 1, NAME), again]))
    assert records.counted_s(known[name][1]) == [0.1, 0.2]
    # Alone, as before there were turns: a median.
    assert controls.times(known)[name][1] == records.time_s(*typed([again])) == pytest.approx(0.15)


def test_the_number_of_a_run_that_took_turns_is_the_lower_decile_of_all_its_blocks(calm):
    in_turns = {"steps_per_block": 1, "block_s": [9.0, 0.1, 0.2, 0.4], "steady_from": 1, "block_order": [0, 1, 1, 0]}
    run = campaign.run(campaign.case("red"), 1, 0.01, **in_turns)
    number_s = controls.times(controls.timed(typed([run])))["red"][1]
    assert number_s == records.time_s(*typed([run])) == records.lower_decile([9.0, 0.1, 0.2, 0.4])
    for name, own in controls.times(controls.timed(typed(calm))).items():
        told = {run.round: records.time_s(run) for run in controls.runs(typed(calm))
                if run.case.environment == name}  # fmt: skip
        assert own == pytest.approx(told)


def test_replayed_comparisons_scatter_as_real_ones_of_as_many_rounds_do():
    random = np.random.default_rng(6)
    spread = 0.01  # of a ratio: that of each side is less by the root of two
    logs = random.normal(0.0, spread / np.sqrt(2), (2, 2000))
    known = {name: dict(enumerate(np.exp(own))) for name, own in zip("ab", logs, strict=True)}
    found = replay.between(replay.prepare(known), "a", "b", 5000)
    assert found.mean.std() == pytest.approx(spread / np.sqrt(replay.ROUNDS), rel=0.05)
    assert 0.985 < 1 - found.excludes(0.0).mean() < 0.995


def test_replays_are_the_same_every_time(calm):
    first, second = (replay.among(replay.prepare(controls.times(same.twins_of(typed(calm)))), 50) for _ in range(2))
    assert np.array_equal(first.mean, second.mean)
    assert judge(planted, calm).finding == judge(planted, calm).finding


def test_a_replayed_comparison_says_what_the_same_numbers_say_as_real_ones():
    logs = np.random.default_rng(5).normal(0.02, 0.015, (200, 10))
    found = replay.compare(logs)
    for index, each in enumerate(logs):
        expected = interval.mean(np.exp(each).tolist())
        assert (found.mean - found.half)[index] == pytest.approx(np.log(expected.low))
        p = interval.p_of(abs(np.log(expected.value)) - np.log(interval.FASTER), interval.standard_error(each), 9)
        assert found.claims[index] == (interval.claim(expected, p) == "faster")
    assert 0 < found.claims.mean() < 1
