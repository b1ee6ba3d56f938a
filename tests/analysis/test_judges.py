"""Controls pass where the measurement keeps its promise, fail where it does not, and their replays are repeatable."""

import json

import campaign
import numpy as np
import pytest

from analysis import control, interval, replay, site
from analysis.controls import agreement, coverage, order, overhead, planted, same, sampler, waiting
from bench.controls import planted as measured
from bench.controls import sampler as measured_sampler

NAME = "2026-11-21 1500"


def lines(*more, cases=()):
    """Return a whole campaign of a control."""
    return [campaign.bench(list(cases), NAME, profile="control"), campaign.environment("red", NAME), *more,
            campaign.end(NAME)]  # fmt: skip


def said(name, about, series=None, status="ok", reason=None):
    """Return a line of a control's own."""
    return {"kind": "control", "campaign": NAME, "control": name, "about": about, "series": series or {},
            "started": "2026-11-21T15:00:00Z", "duration_s": 1.0, "status": status, "reason": reason,
            "error_tail": None}  # fmt: skip


def runs(times, rounds):
    """Return a run of each competitor in each round; `times(name, number)` are its steps' seconds, block by block."""
    return [
        campaign.run(campaign.case(name), number, 0.01, campaign=NAME, steps_per_block=1, block_s=list(steps))
        for number in range(1, rounds + 1)
        for name, steps in times(number).items()
    ]


def twins(noise=0.004, rounds=20, wrong=0.0, names=5, draw=None, seed=1):
    """Return a campaign of competitors: `noise` from run to run, drift from round to round; `wrong` is added to one."""
    random = np.random.default_rng(seed)
    draw = draw or (lambda: random.normal(0, noise))
    plans = measured.plans() if names == 5 else []
    key = {f"competitor-{number:02d}": plan for number, plan in enumerate(plans, 1)}

    def times(_):
        drift = random.normal(1, 0.05)
        bias = {"competitor-01": wrong}
        return {
            name: 0.001 * drift * (1 + plan["percent"] / 100 + bias.get(name, 0.0)) * np.exp(draw())
            * random.normal(1, 0.003, 5)
            for name, plan in key.items()
        }  # fmt: skip

    about = {name: "{way} {percent}".format(**plan) for name, plan in key.items()}
    return lines(*runs(times, rounds), said("planted", about))


@pytest.fixture(scope="module")
def calm():
    return twins()


def test_one_environment_under_two_names_passes_where_nothing_differs(calm):
    judged = same.judge(calm)
    assert judged.passes, judged.finding
    assert "of 20 real ones 0 lead to a claim" in judged.finding
    assert judged.picture.figure is not None


def test_the_naive_test_calls_the_same_twins_different(calm):
    called = same.naive(same.twins_of(calm))
    assert len(called) == 200
    assert np.mean(called) > 0.3


def test_a_name_that_is_slower_for_no_reason_fails():
    judged = same.judge(twins(wrong=0.05))
    assert judged.passes is False
    assert same.judge(twins(wrong=0.0, rounds=4)).passes is None


def test_planted_slow_downs_are_found_with_their_size(calm):
    judged = planted.judge(calm)
    assert judged.passes, judged.evidence.to_string()
    assert list(judged.evidence["planted"])[:2] == ["nothing", "1 % on the device"]


def test_noise_that_hides_three_percent_fails():
    judged = planted.judge(twins(noise=0.02))
    assert judged.passes is False


def test_a_wrong_size_fails(calm):
    swapped = {3: 5, 5: 3}
    plans = {name: plan._replace(percent=swapped.get(plan.percent, plan.percent))
             for name, plan in planted.key(calm).items()}  # fmt: skip
    levels = {level.plan: level for level in planted.disclose(planted.estimate(control.of_kind(calm, "run")), plans)}
    assert not levels[planted.Plan("host", 3)].passes
    assert levels[planted.Plan("host", 2)].passes


def test_the_key_is_unread_until_every_estimate_is_made(calm, monkeypatch):
    made = []
    estimate, key = planted.estimate, planted.key
    monkeypatch.setattr(planted, "key", lambda given: made.append("key") or key(given))

    def estimating(given):
        assert {line["kind"] for line in given} == {"run"}
        found = estimate(given)
        made.append("estimates")
        return found

    monkeypatch.setattr(planted, "estimate", estimating)
    planted.judge(calm)
    assert made == ["estimates", "key"]


def test_coverage_is_near_99_percent_for_ordinary_noise(calm):
    judged = coverage.judge(calm)
    assert judged.passes, judged.finding


def test_an_interval_that_is_far_too_wide_for_its_data_fails():
    random = np.random.default_rng(3)
    heavy = twins(draw=lambda: 0.002 * random.standard_cauchy())
    assert coverage.judge(heavy).passes is False


def test_too_few_rounds_leave_everything_open():
    few = twins(rounds=2)
    assert [module.judge(few).passes for module in (same, planted, coverage)] == [None] * 3


def test_replays_are_the_same_every_time(calm):
    first, second = (replay.among(replay.prepare(same.twins_of(calm)), 50) for _ in range(2))
    assert np.array_equal(first.mean, second.mean)
    assert planted.judge(calm).finding == planted.judge(calm).finding


def test_a_replayed_comparison_says_what_the_same_numbers_say_as_real_ones():
    random = np.random.default_rng(5)
    logs = random.normal(0.02, 0.015, (200, 10))
    found = replay.compare(logs)
    for index, each in enumerate(logs):
        ratios = np.exp(each).tolist()
        expected = interval.mean(ratios)
        assert (found.mean - found.half)[index] == pytest.approx(np.log(expected.low))
        assert found.claims[index] == (interval.claim(expected, interval.p_value(ratios)) == "faster")
    assert 0 < found.claims.mean() < 1


def cost(ours, within, bare, workload="linear", name="red", **about):
    series = {"ours_s": ours, "within_s": within, "bare_s": bare, "steps": [10]}
    return said("overhead", {"environment": name, "mode": "eager", "workload": workload, **about}, series)


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


def test_an_environment_that_could_not_be_asked_leaves_it_open():
    lost = said("overhead", {"environment": "red", "mode": "eager", "workload": "linear"}, status="killed", reason="x")
    steps = [0.02] * 10
    judged = overhead.judge(lines(cost(steps, steps, steps, workload="resnet50"), lost))
    assert judged.passes is None
    assert "killed: x" in judged.evidence.to_string()


def compared(ratio, noise=0.001, **about):
    random = np.random.default_rng(0)
    ours = random.normal(1, noise, 15)
    words = {"environment": "red", "mode": "eager", "workload": "linear", "beside": "timer", "name": "a timer", **about}
    return said("agreement", words, {"ours_s": ours.tolist(), "theirs_s": (ratio * ours[::-1]).tolist(), "steps": [1]})


def test_times_agree_within_one_percent_or_twice_the_interval():
    assert agreement.judge(lines(compared(1.005))).passes
    assert agreement.judge(lines(compared(1.02))).passes is False
    assert agreement.judge(lines(compared(1.02, noise=0.02))).passes
    none = said("agreement", {"environment": "red"}, status="unsupported", reason="has no timer")
    assert agreement.judge(lines(compared(1.005), none)).passes
    assert agreement.judge(lines(none)).passes is None


def sabotaged(sabotage, caught_by, **more):
    about = {"environment": "red", "mode": "eager", "workload": "mnist_mlp", "sabotage": sabotage}
    return said("waiting", {**about, "caught_by": caught_by, "because": ""}, **more)


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


def arms(sequential, interleaved):
    random = np.random.default_rng(2)
    truth = {"sequential-a": sequential, "sequential-b": 1.0, "interleaved-a": interleaved, "interleaved-b": 1.0}
    return lines(
        *runs(lambda _: {name: 0.001 * step_s * random.normal(1, 0.005, 5) for name, step_s in truth.items()}, 10)
    )


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


def watched(slower=1.0, share=0.002, rounds=10):
    """Return a campaign of the sampler's control: steps beside it are `slower`, and it takes `share` of a core."""
    random = np.random.default_rng(4)
    truth = {measured_sampler.SAMPLED: slower, measured_sampler.ALONE: 1.0}
    made = runs(lambda _: {name: 0.001 * step_s * random.normal(1, 0.002, 5) for name, step_s in truth.items()}, rounds)
    for run in made:
        if run["case"]["environment"] == measured_sampler.SAMPLED:
            run["machine_state"] = {**campaign.state(), "sampler_share": share}
    return lines(*made)


def test_a_sampler_passes_that_takes_little_and_slows_nothing_down():
    judged = sampler.judge(watched())
    assert judged.passes
    assert "at most 0.20 % of one core" in judged.finding
    assert sampler.judge(watched(share=0.006)).passes is False
    assert sampler.judge(watched(slower=1.02)).passes is False


def test_a_sampler_is_left_open_without_enough_rounds_or_where_nothing_can_be_sampled():
    assert sampler.judge(watched(rounds=2)).passes is None
    judged = sampler.judge(watched(share=None))
    assert judged.passes is None
    assert "nothing can be sampled" in judged.finding


def test_every_control_says_what_it_is_when_it_passes_and_how_it_is_measured():
    for module in control.found().values():
        about = control.about(module)
        assert about.criterion.startswith("Passes when")
        assert about.method


def write(folder, name, given, campaign_name=NAME):
    path = folder / "test-machine" / "controls" / name / f"{campaign_name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in given))


def test_the_newest_whole_campaign_is_judged(tmp_path):
    write(tmp_path, "waiting", lines(sabotaged("constant", "")), "20261120-000000")
    write(tmp_path, "waiting", lines(sabotaged("constant", "training_learns_one_batch")), "20261121-000000")
    write(tmp_path, "waiting", lines(sabotaged("constant", ""))[:-1], "20261122-000000")
    write(tmp_path, "overhead", lines()[:-1])
    judged = control.judge_all(tmp_path)["test-machine"]
    assert judged["waiting"].passes
    assert judged["overhead"].finding.startswith("It was begun and not finished")
    assert judged["order"].finding.startswith("Not measured here yet")


def test_the_page_says_that_no_control_was_measured(tmp_path):
    site.write(tmp_path / "results", tmp_path / "out")
    page = (tmp_path / "out" / "fragments" / "controls.md").read_text()
    assert "No control has been measured yet" in page
    assert page.count("not measured") == len(control.found())


def test_the_page_shows_each_verdict_with_its_figure_and_nothing_hostile(tmp_path):
    hostile = "<script>alert(1)</script>"
    write(tmp_path / "results", "overhead", lines(cost([0.02] * 10, [0.02] * 10, [0.02] * 10, name=hostile)))
    write(tmp_path / "results", "order", arms(1.3, 1.2))
    site.write(tmp_path / "results", tmp_path / "out")
    page = (tmp_path / "out" / "fragments" / "controls.md").read_text()
    assert "<script" not in page
    assert page.count("&#10003; passes") + page.count("✓ passes") == 2
    assert page.count("fails</strong>") == 2
    assert (tmp_path / "out" / "figures" / "control-order-1.svg").exists()
    assert "control-order-1.svg" in page
