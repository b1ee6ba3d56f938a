"""Controls pass where the measurement keeps its promise, fail where it does not, and their replays are repeatable."""

import json

import campaign
import numpy as np
import pytest
from scipy import special

from analysis import controls
from analysis.controls import agreement, coverage, order, overhead, planted, same, sampler, sleepers, spread, waiting
from analysis.site import build
from analysis.stats import interval, replay
from bench import records
from bench.controls import overhead as measured_overhead
from bench.controls import planted as measured
from bench.controls.sampler import ALONE, SAMPLED, SHARE
from bench.controls.sleepers import ALL, NOBODY

NAME = "2026-11-21 1500"


def lines(*more):
    """Return a whole campaign of a control."""
    return [campaign.bench([], NAME, profile="control"), campaign.environment("red", NAME), *more, campaign.end(NAME)]


def said(name, words, series=None, status="ok", reason=None):
    """Return a line of a control's own."""
    return {"kind": "control", "campaign": NAME, "control": name, "about": words, "series": series or {},
            "started": "2026-11-21T15:00:00Z", "duration_s": 1.0, "status": status, "reason": reason,
            "error_tail": None}  # fmt: skip


def runs(times, rounds, in_turns=True):
    """Return a run of each competitor in each round; `times(number)` are its steps' seconds, block by block."""
    return [
        campaign.run(campaign.case(name), number, 0.01, campaign=NAME, steps_per_block=1, block_s=list(steps),
                     block_order=[0] * len(steps) if in_turns else [], block_cpu_s=[], warm_up_s=[])
        for number in range(1, rounds + 1) for name, steps in times(number).items()
    ]  # fmt: skip


def twins(noise=0.004, rounds=20, wrong=0.0, draw=None):
    """Return a campaign of competitors: `noise` from run to run, drift from round to round; `wrong` is added to one.

    What hits the machine in a turn hits all alike.
    """
    random = np.random.default_rng(1)
    draw = draw or (lambda: random.normal(0, noise))
    key = {f"competitor-{number:02d}": plan for number, plan in enumerate(measured.plans(), 1)}

    def times(_):
        drift = random.normal(1, 0.05) * np.exp(np.abs(random.normal(0, 0.001, 5)))
        bias = {"competitor-01": wrong}
        return {
            name: 0.001 * drift * (1 + plan["percent"] / 100 + bias.get(name, 0.0)) * np.exp(draw())
            * random.normal(1, 0.003, 5)
            for name, plan in key.items()
        }  # fmt: skip

    disclosed = {name: "{way} {percent}".format(**plan) for name, plan in key.items()}
    return lines(*runs(times, rounds), said("planted", disclosed))


@pytest.fixture(scope="module")
def calm():
    return twins()


def test_one_environment_under_two_names_passes_where_nothing_differs(calm):
    judged = same.judge(calm)
    assert judged.passes, judged.finding
    assert "of 20 real ones 0 lead to a claim" in judged.finding
    assert judged.picture.figure is not None


def test_the_naive_test_calls_the_same_twins_different(calm):
    p_values = np.array(same.naive(same.twins_of(calm)))
    assert len(p_values) == 200
    assert (p_values < same.NAIVE).mean() > 0.3
    told = dict(zip(*map(same.judge(calm).evidence.get, ("what", "how many")), strict=True))
    usual, ours = (told[f"pairs of runs that Welch's test calls different at {level}"] for level in ("5.0 %", "1.0 %"))
    assert [usual, ours] == [f"{(p_values < level).sum()} of 200" for level in (0.05, 0.01)]


def test_a_name_that_is_slower_for_no_reason_fails():
    assert same.judge(twins(wrong=0.05)).passes is False
    assert same.judge(twins(wrong=0.0, rounds=4)).passes is None


def test_twenty_comparisons_of_few_rounds_do_not_decide_that_nothing_differs():
    judged = same.judge(twins(rounds=12))
    assert judged.passes is None
    assert "than 20 rounds, do not decide it" in judged.finding
    assert same.judge(twins(rounds=12, wrong=0.05)).passes is False


def test_planted_slow_downs_are_found_with_their_size(calm):
    judged = planted.judge(calm)
    assert judged.passes, judged.evidence.to_string()
    assert list(judged.evidence["planted"])[:2] == ["nothing", "1 % on the device"]


def test_noise_that_hides_three_percent_fails():
    assert planted.judge(twins(noise=0.02)).passes is False


def test_a_wrong_size_fails(calm):
    swapped = {3: 5, 5: 3}
    plans = {name: plan._replace(percent=swapped.get(plan.percent, plan.percent))
             for name, plan in planted.key(calm).items()}  # fmt: skip
    levels = {level.plan: level for level in planted.disclose(planted.estimate(records.of_kind(calm, "run")), plans)}
    assert not levels[planted.Planted("host", 3)].passes
    assert levels[planted.Planted("host", 2)].passes


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


def without(given, name, numbers):
    """Return a campaign in which a competitor's runs of some rounds failed."""
    failed = {"status": "killed", "reason": "planted", "block_s": [], "steps_per_block": None}
    return [{**line, **failed} if line["kind"] == "run" and line["case"]["environment"] == name
            and line["round"] in numbers else line for line in given]  # fmt: skip


def named(given, percent, way="device"):
    """Return the competitors of a plan."""
    return [name for name, plan in planted.key(given).items() if plan == planted.Planted(way, percent)]


def test_one_failed_run_costs_its_own_pairs_one_round_and_nobody_else_any(calm):
    name = named(calm, 0)[1]
    given = without(calm, name, [3])
    rounds = replay.prepare(controls.times(controls.timed(given)))
    assert len(rounds.shared(name, named(calm, 0)[0])) == 19
    assert len(rounds.shared(named(calm, 0)[0], named(calm, 3)[0])) == 20
    assert [module.judge(given).passes for module in (same, planted, coverage)] == [True] * 3


def test_a_twin_that_dropped_out_leaves_twins_open_and_planted_slow_downs_judged(calm):
    given = without(calm, named(calm, 0)[1], range(2, 21))
    assert same.judge(given).passes is None
    assert "Fewer than 20 real comparisons" in same.judge(given).finding
    assert planted.judge(given).passes
    assert coverage.judge(given).passes


def test_a_slow_down_whose_runs_failed_is_said_to_be_open(calm):
    judged = planted.judge(without(calm, named(calm, 2)[0], range(2, 21)))
    assert judged.passes is None
    assert "Too many runs failed to say so of 2 % on the device." in judged.finding
    both = without(without(calm, named(calm, 3)[0], range(1, 21)), named(calm, 3, "host")[0], range(1, 21))
    assert planted.judge(both).passes is None
    assert planted.judge(both).picture.figure is None


def test_runs_of_a_void_round_and_blocks_of_before_a_run_was_steady_do_not_count(calm):
    name = named(calm, 0)[0]
    case = campaign.case(name)
    slow = campaign.run(case, 1, 9.0, campaign=NAME)
    again = campaign.run(case, 1, 0.01, campaign=NAME, steps_per_block=1, block_s=[9.0, 0.1, 0.2], steady_from=1)
    void = campaign.void(case, 1, NAME)
    known = controls.timed([slow, void, again])
    assert records.counted_s(known[name][1]) == [0.1, 0.2]
    # Alone, as before there were turns: a median.
    assert controls.times(known)[name][1] == records.time_s(again) == pytest.approx(0.15)


def test_the_number_of_a_run_that_took_turns_is_the_lower_decile_of_all_its_blocks(calm):
    in_turns = {"steps_per_block": 1, "block_s": [9.0, 0.1, 0.2, 0.4], "steady_from": 1, "block_order": [0, 1, 1, 0]}
    run = campaign.run(campaign.case("red"), 1, 0.01, **in_turns)
    number_s = controls.times(controls.timed([run]))["red"][1]
    assert number_s == records.time_s(run) == records.lower_decile([9.0, 0.1, 0.2, 0.4])
    for name, own in controls.times(controls.timed(calm)).items():
        told = {each["round"]: records.time_s(each) for each in calm
                if each["kind"] == "run" and each["case"]["environment"] == name}  # fmt: skip
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
    first, second = (replay.among(replay.prepare(controls.times(same.twins_of(calm))), 50) for _ in range(2))
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


def about(**changes):
    """Return what a control says of the program that it asked."""
    return {"environment": "red", "mode": "eager", "workload": "linear", **changes}


def cost(ours, within, bare, **changes):
    series = {"ours_s": ours, "within_s": within, "bare_s": bare, "steps": [10]}
    return said("overhead", about(**changes), series)


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


def sabotaged(sabotage, caught_by, **more):
    words = about(workload="mnist_mlp", sabotage=sabotage, caught_by=caught_by, because="")
    return said("waiting", words, **more)


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
    times = lambda _: {name: 0.001 * step_s * random.normal(1, 0.005, 5) for name, step_s in truth.items()}  # noqa: E731
    return lines(*runs(times, 10))


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


def apart(*spreads, rounds=6):
    """Return a campaign of two names for each environment's program: so far apart from round to round, in turns."""
    random = np.random.default_rng(7)
    truth = dict(zip(["red", "blue", "green"], spreads, strict=False))

    def times(number):
        drift, sign = random.normal(1, 0.1), (-1) ** number
        return {f"{name}-{twin}": 0.002 * drift * np.exp(sign * own * (twin == "a")) * np.array([1, 1, 2])
                for name, own in truth.items() for twin in "ab"}  # fmt: skip

    return lines(*runs(times, rounds))


def test_names_that_lie_close_together_pass_and_the_steadiest_environment_is_named():
    judged = spread.judge(apart(0.02, 0.005))
    assert judged.passes
    assert "The steadiest is blue" in judged.finding
    assert "differs by 0.55 %" in judged.finding  # +-0.005, with one degree of freedom less than rounds
    assert dict(zip(judged.evidence["environment"], judged.evidence["for twins"], strict=True)) == {
        "blue": "chosen", "Red 1.0": "",
    }  # fmt: skip
    assert judged.picture.figure is not None
    assert spread.judge(apart(0.02, 0.03)).passes is False
    assert spread.judge(lines()).passes is None
    assert spread.judge(apart(0.001, rounds=2)).passes is None


def test_an_environment_of_which_a_run_has_no_time_is_not_the_steadiest_and_says_why():
    judged = spread.judge(without(apart(0.02, 0.005), "blue-a", [2]))
    assert judged.passes is False
    assert "The steadiest is Red 1.0" in judged.finding
    assert "killed: planted" in judged.evidence.to_string()


def test_names_that_were_not_alive_together_are_no_pair():
    given = apart(0.005)
    for line in given:
        if line["kind"] == "run" and line["round"] <= 3 and line["case"]["environment"] == "red-b":
            line["group"] = 1
    assert list(spread.judge(given).evidence["rounds"]) == ["3"]


def test_what_was_measured_before_there_were_turns_is_to_be_measured_anew():
    alone = runs(lambda _: {SAMPLED: [0.1] * 5, ALONE: [0.1] * 5}, 10, in_turns=False)
    for module, old in ((sampler, alone), (spread, [said("spread", about(run="1"), {"step_s": [0.1] * 3})])):
        judged = module.judge(lines(*old))
        assert judged.passes is None
        assert "Measured before competitors took turns" in judged.finding


def test_every_control_says_what_it_is_when_it_passes_and_how_it_is_measured():
    for module in controls.found().values():
        told = controls.about(module)
        assert told.criterion.startswith("Passes when")
        assert told.method


def write(folder, name, given, campaign_name=NAME, machine="test-machine"):
    path = folder / machine / "controls" / name / f"{campaign_name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in given))
    return path


def page(folder):
    """Return the page of controls, made of the results in a folder."""
    build.write(folder / "results", folder / "out")
    return (folder / "out" / "fragments" / "controls.md").read_text()


def test_the_newest_whole_campaign_is_judged(tmp_path):
    write(tmp_path, "waiting", lines(sabotaged("constant", "")), "20261120-000000")
    write(tmp_path, "waiting", lines(sabotaged("constant", "training_learns_one_batch")), "20261121-000000")
    write(tmp_path, "waiting", lines(sabotaged("constant", ""))[:-1], "20261122-000000")
    write(tmp_path, "overhead", lines()[:-1])
    judged = controls.judge_all(tmp_path)["test-machine"]
    assert judged["waiting"].passes
    assert judged["overhead"].finding.startswith("It was begun and not finished")
    assert judged["order"].finding.startswith("Not measured here yet")


def test_an_impossible_run_counts_as_one_without_a_time(tmp_path):
    given = arms(1.3, 1.0)
    for line in given:
        if line["kind"] == "run" and line["case"]["environment"] == "sequential-a":
            line["loss_last"] = line["loss_first"]
    write(tmp_path, "order", given)
    judged = controls.judge_all(tmp_path)["test-machine"]["order"]
    assert judged.passes is None
    assert judged.finding == "Too few rounds for an interval."


def test_a_control_says_which_program_bore_all_names_and_which_rounds_were_void(tmp_path):
    given = arms(1.3, 1.0)
    void = campaign.void(campaign.case("sequential-a"), 9, NAME, kept="it was repeated 2 times already")
    write(tmp_path / "results", "order", [*given[:2], said("order", about()), *given[2:-1], void, given[-1]])
    judged = controls.judge_all(tmp_path / "results")["test-machine"]["order"]
    assert judged.subject == "linear in Red 1.0; void rounds: 1 kept though disturbed (other processes)"
    assert "with linear in Red 1.0" in page(tmp_path)


def test_a_damaged_file_stops_its_control_alone_and_the_reason_is_shown(tmp_path):
    two_keys = twins(rounds=2)
    write(tmp_path / "results", "planted", [*two_keys[:-1], two_keys[-2], two_keys[-1]])
    write(tmp_path / "results", "order", arms(1.3, 1.0))
    judged = controls.judge_all(tmp_path / "results")["test-machine"]
    assert judged["order"].passes
    for name in ("same", "planted", "coverage"):
        assert judged[name].passes is None
        assert "It cannot be read: planted/2026-11-21 1500.jsonl, line 30: expected one line" in judged[name].finding
    assert page(tmp_path).count("It cannot be read") == 6  # at a glance, and in its section


def test_an_older_file_that_is_damaged_does_not_hide_the_newest(tmp_path):
    write(tmp_path, "waiting", lines(sabotaged("constant", "training_learns_one_batch")), "20261121-000000")
    (tmp_path / "test-machine/controls/waiting/20261120-000000.jsonl").write_text("{}\n{}\n")
    assert controls.judge_all(tmp_path)["test-machine"]["waiting"].passes
    (tmp_path / "test-machine/controls/waiting/20261122-000000.jsonl").write_text("{}\n{}\n")
    assert "It cannot be read" in controls.judge_all(tmp_path)["test-machine"]["waiting"].finding


def test_the_page_says_that_no_control_was_measured(tmp_path):
    text = page(tmp_path)
    assert "No control has been measured yet" in text
    assert text.count("not measured") == len(controls.found())


def test_the_page_shows_each_verdict_with_its_figure_and_nothing_hostile(tmp_path):
    hostile = "<script>alert(1)</script>"
    write(tmp_path / "results", "overhead", lines(cost([0.02] * 10, [0.02] * 10, [0.02] * 10, environment=hostile)))
    write(tmp_path / "results", "order", arms(1.3, 1.2))
    text = page(tmp_path)
    assert "<script" not in text
    assert text.count("&#10003; passes") + text.count("✓ passes") == 2
    assert text.count("fails</strong>") == 2
    (figure,) = (tmp_path / "out" / "figures").glob("control-order-*.svg")
    assert figure.name in text
