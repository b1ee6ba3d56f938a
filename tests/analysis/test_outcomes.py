"""The outcomes of runs are reported by case."""

import campaign

from analysis.load import outcomes

RED, BLUE = campaign.case("red"), campaign.case("blue")


def came_of(records):
    runs = campaign.typed(records)
    return outcomes.of(runs, [outcomes.numbers_of(run) for run in runs])


def test_a_run_that_was_repeated_in_its_round_takes_the_place_of_the_one_before():
    (found,) = came_of([campaign.run(RED, 1, "failed"), campaign.run(RED, 2, 0.02), campaign.run(RED, 1, 0.01)]).cases
    assert list(found.rounds) == [1, 2]
    assert found.lost is None


def test_the_last_reason_stands_for_all_and_each_code_once_with_the_newest_last():
    runs = [campaign.run(RED, number, 0.01, code=code) for number, code in enumerate(("a" * 16, "b" * 16, "a" * 16), 1)]
    lost = [campaign.run(RED, 4, "timeout"), campaign.run(RED, 5, "out_of_memory", reason="it was too large")]
    (found,) = came_of([*runs, *lost]).cases
    assert list(found.codes) == ["b" * 16, "a" * 16]
    assert (found.lost, found.reason) == ("out_of_memory", "it was too large")


def test_runs_are_counted_and_two_states_hold_the_extremes_of_all():
    gpu = {**campaign.GPU, "throttle_reasons": ["power cap"], "power_mean_w": 500.0}
    sampled = (campaign.state(0.03), campaign.state(0.01, {**gpu, "power_mean_w": 400.0}), campaign.state(0.02, gpu))
    runs = [campaign.run(RED, number, 0.01, machine_state=state) for number, state in enumerate(sampled, 1)]
    found = came_of([*runs, campaign.run(BLUE, 7, "failed")])
    assert (found.measured, found.last_round) == (3, 7)
    assert [each["cpu"]["others_share"] for each in found.states] == [0.01, 0.03]
    assert [each["gpu"]["power_mean_w"] for each in found.states] == [400.0, 500.0]
    assert found.states[0]["gpu"]["throttle_reasons"] == ["power cap"]


def test_nothing_is_made_of_nothing():
    assert came_of([]) == outcomes.Outcomes([], 0, 0, [])


def test_a_failed_run_with_processor_times_and_no_steps_has_none_per_step():
    assert outcomes.cpu_step_s(*campaign.typed([campaign.run(RED, 1, "failed", block_cpu_s=[0.1, 0.2])])) is None
