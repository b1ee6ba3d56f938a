"""What a loop costs is judged, and a wait that was left out is noticed."""

import numpy as np
import pytest
from judging import about, cost, judge, lines, sabotaged, said
from scipy import special

from analysis import controls
from analysis.controls import agreement, overhead, waiting
from bench.worker import controls as measured


def test_a_loop_that_costs_nothing_passes_and_one_that_costs_fails():
    random = np.random.default_rng(0)
    steps = (0.02 * random.normal(1, 0.01, 300)).tolist()
    bare = (0.02 * random.normal(1, 0.01, 300)).tolist()
    cheap = [each + 1e-6 for each in steps]
    assert judge(overhead, lines(cost(cheap, steps, bare))).passes
    inside_the_clock = [each + 3e-4 for each in steps]
    assert judge(overhead, lines(cost(inside_the_clock, steps, bare))).passes is False
    around_it = [0.99 * each for each in bare]
    judged = judge(overhead, lines(cost(cheap, steps, bare), cost(cheap, steps, around_it, workload="resnet50")))
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
        centre, error, freedom = measured.middle(random.standard_t(3, 40))
        held.append(abs(centre) <= special.stdtrit(freedom, 0.995) * error)
    assert np.mean(held) == pytest.approx(0.99, abs=0.006)


def test_a_ratio_to_the_bare_loop_that_is_too_uncertain_says_nothing():
    random = np.random.default_rng(0)
    steps, bare = ((0.02 * random.normal(1, 0.1, 30)).tolist() for _ in range(2))
    assert judge(overhead, lines(cost(steps, steps, bare))).passes is None
    assert judge(overhead, lines(cost([each + 3e-4 for each in steps], steps, bare))).passes is False


def test_an_environment_that_could_not_be_asked_leaves_it_open():
    lost = said("overhead", about(), status="killed", reason="x")
    steps = [0.02] * 10
    judged = judge(overhead, lines(cost(steps, steps, steps, workload="resnet50"), lost))
    assert judged.passes is None
    assert "killed: x" in judged.evidence.to_string()


def compared(ratio, noise=0.001):
    ours = np.random.default_rng(0).normal(1, noise, 15)
    series = {"ours_s": ours.tolist(), "theirs_s": (ratio * ours[::-1]).tolist(), "steps": [1]}
    return said("agreement", about(beside="timer", name="a timer"), series)


def test_times_agree_within_one_percent_or_twice_the_interval():
    assert judge(agreement, lines(compared(1.005))).passes
    assert judge(agreement, lines(compared(1.02))).passes is False
    assert judge(agreement, lines(compared(1.02, noise=0.02))).passes
    none = said("agreement", {"environment": "red"}, status="unsupported", reason="has no timer")
    judged = judge(agreement, lines(compared(1.005), none))
    assert judged.passes
    assert list(judged.evidence["verdict"]) == ["passes", "does not apply"]
    assert "has no timer" in judged.evidence.to_string()
    assert judge(agreement, lines(none)).passes is None


def test_a_sabotage_that_nobody_notices_fails_and_so_does_a_false_alarm():
    right = [sabotaged("nothing", ""), sabotaged("constant", "training_learns_one_batch")]
    assert judge(waiting, lines(*right)).passes
    assert judge(waiting, lines(*right, sabotaged("previous", ""))).passes is False
    assert judge(waiting, lines(sabotaged("nothing", "wait_returns_after_the_work"), right[1])).passes is False
    does_not_apply = sabotaged("handle", "", status="unsupported", reason="a step waits by itself")
    judged = judge(waiting, lines(*right, does_not_apply))
    assert judged.passes
    assert "a step waits by itself" in judged.evidence.to_string()
    assert judge(waiting, lines(*right, sabotaged("previous", "", status="timeout", reason="slow"))).passes is None
