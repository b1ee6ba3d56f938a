"""What a loop, a sampler or a sleeper costs is judged, and a wait that was left out is noticed."""

import numpy as np
import pytest
from judging import about, arms, cost, lines, sabotaged, said
from scipy import special

from analysis import controls
from analysis.controls import agreement, order, overhead, sampler, sleepers, waiting
from bench.controls import overhead as measured_overhead
from bench.controls.sampler import ALONE, SAMPLED, SHARE
from bench.controls.sleepers import ALL, NOBODY


def test_a_loop_that_costs_nothing_passes_and_one_that_costs_fails():
    random = np.random.default_rng(0)
    steps = (0.02 * random.normal(1, 0.01, 300)).tolist()
    bare = (0.02 * random.normal(1, 0.01, 300)).tolist()
    cheap = [each + 1e-6 for each in steps]
    assert overhead.judge(lines(cost(cheap, steps, bare))).passes
    inside_the_clock = [each + 3e-4 for each in steps]
    assert overhead.judge(lines(cost(inside_the_clock, steps, bare))).passes is False
    around_it = [0.99 * each for each in bare]
    judged = overhead.judge(lines(cost(cheap, steps, bare), cost(cheap, steps, around_it, workload="resnet50")))
    assert judged.passes is False
    assert list(judged.evidence["verdict"]) == ["passes", "fails"]


def test_turns_in_which_a_core_was_taken_from_one_of_two_loops_do_not_hide_what_the_loop_costs():
    random = np.random.default_rng(3)
    noise, taken = random.normal(0, 0.01, (2, 400)), random.random((2, 400)) < 0.07
    ours, bare = 0.02 * np.exp(noise + 0.7 * taken)
    nothing = overhead.ratio(ours.tolist(), bare.tolist())
    assert nothing.low < 1 < nothing.high
    assert nothing.half_width < 0.3 * controls.paired(ours, bare).half_width
    assert overhead.ratio((1.01 * ours).tolist(), bare.tolist()).low > 1.005
    assert overhead.ratio([0.02] * 2, [0.02] * 2).low is None


def test_the_mean_of_the_middle_has_an_interval_that_holds_the_truth_as_often_as_it_says():
    random, held = np.random.default_rng(8), []
    for _ in range(2000):
        centre, error, freedom = measured_overhead.middle(random.standard_t(3, 40))
        held.append(abs(centre) <= special.stdtrit(freedom, 0.995) * error)
    assert np.mean(held) == pytest.approx(0.99, abs=0.006)


def test_a_ratio_to_the_bare_loop_that_is_too_uncertain_says_nothing():
    random = np.random.default_rng(0)
    steps, bare = ((0.02 * random.normal(1, 0.1, 30)).tolist() for _ in range(2))
    assert overhead.judge(lines(cost(steps, steps, bare))).passes is None
    assert overhead.judge(lines(cost([each + 3e-4 for each in steps], steps, bare))).passes is False


def test_an_environment_that_could_not_be_asked_leaves_it_open():
    lost = said("overhead", about(), status="killed", reason="x")
    steps = [0.02] * 10
    judged = overhead.judge(lines(cost(steps, steps, steps, workload="resnet50"), lost))
    assert judged.passes is None
    assert "killed: x" in judged.evidence.to_string()


def compared(ratio, noise=0.001):
    ours = np.random.default_rng(0).normal(1, noise, 15)
    series = {"ours_s": ours.tolist(), "theirs_s": (ratio * ours[::-1]).tolist(), "steps": [1]}
    return said("agreement", about(beside="timer", name="a timer"), series)


def test_times_agree_within_one_percent_or_twice_the_interval():
    assert agreement.judge(lines(compared(1.005))).passes
    assert agreement.judge(lines(compared(1.02))).passes is False
    assert agreement.judge(lines(compared(1.02, noise=0.02))).passes
    none = said("agreement", {"environment": "red"}, status="unsupported", reason="has no timer")
    judged = agreement.judge(lines(compared(1.005), none))
    assert judged.passes
    assert list(judged.evidence["verdict"]) == ["passes", "does not apply"]
    assert "has no timer" in judged.evidence.to_string()
    assert agreement.judge(lines(none)).passes is None


def test_a_sabotage_that_nobody_notices_fails_and_so_does_a_false_alarm():
    right = [sabotaged("nothing", ""), sabotaged("constant", "training_learns_one_batch")]
    assert waiting.judge(lines(*right)).passes
    assert waiting.judge(lines(*right, sabotaged("previous", ""))).passes is False
    assert waiting.judge(lines(sabotaged("nothing", "wait_returns_after_the_work"), right[1])).passes is False
    does_not_apply = sabotaged("handle", "", status="unsupported", reason="a step waits by itself")
    judged = waiting.judge(lines(*right, does_not_apply))
    assert judged.passes
    assert "a step waits by itself" in judged.evidence.to_string()
    assert waiting.judge(lines(*right, sabotaged("previous", "", status="timeout", reason="slow"))).passes is None


def test_bias_in_sequence_and_none_in_turns_passes():
    judged = order.judge(arms(1.3, 1.0))
    assert judged.passes
    assert list(judged.evidence["would be claimed"]) == ["faster", "equivalent"]


def test_bias_in_turns_fails_and_no_bias_at_all_says_nothing():
    assert order.judge(arms(1.3, 1.2)).passes is False
    assert order.judge(arms(1.0, 1.2)).passes is False
    judged = order.judge(arms(1.0, 1.0))
    assert judged.passes is None
    assert "says nothing" in judged.finding


def watched(slower=1.0, share=0.002, rounds=10, noise=0.002):
    """Return a campaign of the sampler's control: steps beside it are `slower`, and it takes `share` of a core."""
    shares = {} if share is None else {SHARE: [share]}
    return switched("sampler", {SAMPLED: slower, ALONE: 1.0}, rounds, noise, shares)


def switched(control, truth, rounds, noise, also=None):
    """Return a campaign of a program's blocks under each condition, switched between them, round by round."""
    random = np.random.default_rng(4)
    blocks = [{name: (0.001 * step_s * random.normal(1, noise) * random.normal(1, 0.002, 5)).tolist()
               for name, step_s in truth.items()} for _ in range(rounds)]  # fmt: skip
    return lines(*(said(control, about(round=str(number)), {**each, **(also or {})})
                   for number, each in enumerate(blocks, 1)))  # fmt: skip


def test_a_sampler_passes_that_takes_little_and_slows_nothing_down():
    judged = sampler.judge(watched())
    assert judged.passes
    assert "at most 0.20 % of one core" in judged.finding
    assert sampler.judge(watched(share=0.006)).passes is False
    assert sampler.judge(watched(slower=1.02)).passes is False


def test_a_sampler_is_left_open_where_runs_are_too_noisy_and_fails_all_the_same_where_it_costs_too_much():
    judged = sampler.judge(watched(noise=0.05))
    assert judged.passes is None
    assert "too wide" in judged.finding
    assert sampler.judge(watched(noise=0.05, share=0.006)).passes is False


def test_a_sampler_is_left_open_without_enough_rounds_or_where_nothing_can_be_sampled():
    assert sampler.judge(watched(rounds=2)).passes is None
    judged = sampler.judge(watched(share=None))
    assert judged.passes is None
    assert "nothing can be sampled" in judged.finding


def beside(noise=0.002, rounds=10, **slower):
    """Return a campaign of sleepers, each of which makes the steps beside it so much slower, and all as much."""
    return switched("sleepers", {NOBODY: 1.0, ALL: max(slower.values()), **slower}, rounds, noise)


def test_sleepers_that_change_no_step_pass_and_who_disturbs_is_named():
    judged = sleepers.judge(beside(red=1.0, blue=1.001))
    assert judged.passes, judged.finding
    assert list(judged.evidence["asleep beside it"]) == ["nobody", "blue", "Red 1.0", ALL]
    judged = sleepers.judge(beside(red=1.0, blue=1.03))
    assert judged.passes is False
    assert "blue, all of them disturb." in judged.finding
    assert list(judged.evidence["verdict"]) == ["", "fails", "passes", "fails"]


def test_sleepers_are_left_open_where_noise_hides_a_percent_or_one_of_them_ended():
    assert sleepers.judge(beside(noise=0.03, red=1.0, blue=1.0)).passes is None
    assert sleepers.judge(beside(rounds=2, red=1.0)).passes is None
    lost = said("sleepers", about(environment="gold", round="1"), status="killed", reason="memory ran out")
    quiet = beside(red=1.0)
    judged = sleepers.judge([*quiet[:-1], lost, quiet[-1]])
    assert judged.passes is None
    assert "killed: memory ran out" in judged.evidence.to_string()
    assert sleepers.judge(lines(lost)).passes is None


def test_a_round_of_sleepers_that_lacks_blocks_is_left_out():
    given = beside(red=1.0)
    given[2]["series"]["red"] = []
    judged = sleepers.judge(given)
    assert dict(zip(judged.evidence["asleep beside it"], judged.evidence["rounds"], strict=True)) == {
        "nobody": "10", "Red 1.0": "9", ALL: "10",
    }  # fmt: skip
