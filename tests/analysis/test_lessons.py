"""Verdicts move with the data: a claim wins, loses, or is undecided, and says for whom and why."""

import campaign
import pytest
from claims import CASES, COMPILING, NAMES, RED_OVER_BLUE, claim, judged, results, with_first_steps

from analysis.load.table import read_results


@pytest.mark.parametrize(
    ("red", "expected", "verdict"),
    [
        (0.013, "> 1", "true"), (0.007, "> 1", "false"), (0.013, "> 1.6", "false"),
        (0.010, "> 1", "no effect beyond 5 %"), (0.0103, "> 1", "no effect beyond 5 %"),
        (0.0097, "> 1", "no effect beyond 5 %"), (0.0103, "< 1", "no effect beyond 5 %"),
        (0.010, "~ 1.05", "true"), (0.013, "~ 1.05", "false"), (0.007, "~ 1.05", "false"),
        (0.010, "< 1.05", "true"), (0.040, "> 4", "inconclusive"), (0.038, "> 4", "false"),
        (0.013, "< 1.6", "true"), (0.013, "< 1.1", "false"), (0.013, "> 1.3", "inconclusive"),
    ],
)  # fmt: skip
def test_a_claim_wins_or_loses_by_the_data_alone(tmp_path, red, expected, verdict):
    found = results(tmp_path, campaign.noisy({"red": red, "blue": 0.01}, noise=0.002), CASES[:2], rounds=8)
    lesson = judged(found, RED_OVER_BLUE._replace(expected=expected))
    assert lesson.verdict == verdict
    assert (lesson.reason is not None) == (verdict == "inconclusive")


def test_one_round_leaves_a_claim_undecided(tmp_path):
    found = results(tmp_path, campaign.noisy({"red": 0.02, "blue": 0.01}), CASES[:2], rounds=1)
    assert (judged(found, RED_OVER_BLUE).verdict, judged(found, RED_OVER_BLUE).reason) == (
        "inconclusive",
        "Inconclusive in the one comparison; too few rounds for an interval in 1. Ratio: 1.99, in fp32 on a CPU.",
    )


def test_an_undecided_claim_counts_the_comparisons_without_a_difference(tmp_path):
    noise = campaign.noisy({"red": 0.0102, "blue": 0.01, "green": 0.01}, noise=0.005)
    times = lambda about, number: noise(about, number) * (1 + 0.5 * (number % 2) * (about["environment"] == "green"))  # noqa: E731
    lesson = judged(results(tmp_path, times, CASES, rounds=8), claim("environment=blue|green / environment=red"))
    assert lesson.verdict == "inconclusive"
    assert lesson.reason.startswith(
        "No effect beyond 5 % in 1 of 2 (Blue 1.0 over Red 1.0); inconclusive in 1 of 2 (Green 1.0 over Red 1.0). "
    )


def test_as_many_contrary_comparisons_as_claimed_leave_a_claim_undecided_and_it_says_for_whom(tmp_path):
    found = results(tmp_path, campaign.noisy({"red": 0.01, "blue": 0.02, "green": 0.005}, noise=0.002), CASES, 8)
    lesson = judged(found, claim("environment=blue|green / environment=red"))
    assert lesson.verdict == "inconclusive"
    assert lesson.claim == (
        "True in 1 of 2 (Blue 1.0 over Red 1.0); false in 1 of 2 (Green 1.0 over Red 1.0). "
        "Ratios: 0.50 to 2.00, in fp32 on a CPU."
    )
    assert list(lesson.evidence["verdict"]) == ["false", "true"]


IN = "in fp32 on a CPU"


@pytest.mark.parametrize(
    ("times", "others", "verdict", "advice"),
    [
        ({"blue": 0.02}, "blue", "true", f"In{IN[2:]}: stay."),
        ({"green": 0.005}, "green", "false", f"In{IN[2:]}: PyTorch goes."),
        ({"blue": 0.02, "green": 0.02, "gold": 0.005}, "blue|green|gold", "partly true",
         f"Where it is true, {IN}: stay. Where it is false, {IN}: PyTorch goes."),
        ({"blue": 0.02, "green": 0.01}, "blue|green", "partly true", f"Where it is true, {IN}: stay."),
        ({"blue": 0.02, "green": 0.005, "gold": 0.005}, "blue|green|gold", "mostly false",
         f"Where it is true, {IN}: stay. Where it is false, {IN}: PyTorch goes."),
        ({"blue": 0.01}, "blue", "no effect beyond 5 %", ""),
        ({"blue": 0.02}, "gold", "not measured", ""),
    ],
)  # fmt: skip
def test_what_to_do_follows_the_verdict_and_each_half_needs_its_own_comparisons(
    tmp_path, times, others, verdict, advice
):
    cases = [campaign.case(name) for name in ("red", *times)]
    found = results(tmp_path, campaign.noisy({"red": 0.01, **times}, noise=0.002), cases, 8)
    about = claim(f"environment={others} / environment=red", if_so="Stay.", if_not="PyTorch goes.")
    assert (judged(found, about).verdict, judged(found, about).advice) == (verdict, advice)


def test_what_a_claim_needs_is_the_reason_why_it_is_undecided(tmp_path):
    found = results(tmp_path, campaign.noisy({"red": 0.01, "blue": 0.02}), CASES[:2])
    assert judged(found, claim("", "", needs="four GPUs")).reason == "Needs four GPUs."
    assert judged(found, RED_OVER_BLUE._replace(where="workload=vgg16")).reason == "No published run."


def test_a_claim_about_a_gpu_is_decided_by_a_gpu_alone_and_shows_what_a_cpu_says(tmp_path):
    about_gpus = RED_OVER_BLUE._replace(device="gpu", if_so="Stay.", if_not="Go.")
    times = campaign.noisy({"red": 0.01, "blue": 0.02}, noise=0.002)
    on_cpu = judged(results(tmp_path / "cpu", times, CASES[:2]), about_gpus)
    assert (on_cpu.verdict, on_cpu.advice) == ("not tested on a GPU", "")
    assert on_cpu.reason.startswith("False in the one comparison")
    assert list(on_cpu.evidence["verdict"]) == ["false"]
    gpu = [dict(case, device="gpu") for case in CASES[:2]]
    times = campaign.noisy({"red": 0.02, "blue": 0.01}, noise=0.002)
    campaign.write(tmp_path / "cpu", campaign.lines(gpu, times, machine="other"))
    on_both = judged(read_results(tmp_path / "cpu"), about_gpus)
    assert (on_both.verdict, on_both.advice, len(on_both.evidence)) == ("true", "In fp32 on a GPU: stay.", 1)


def test_two_networks_are_compared_though_they_share_no_round(tmp_path):
    cases = [dict(CASES[0], workload=name) for name in ("mnist_mlp", "linear")]
    found = results(tmp_path, lambda about, _: {"mnist_mlp": 0.02, "linear": 0.01}[about["workload"]], cases)
    lesson = judged(found, claim("workload=mnist_mlp / workload=linear"))
    assert (lesson.verdict, list(lesson.evidence["rounds"])) == ("true", ["6"])


def test_only_what_is_alike_in_all_else_is_compared(tmp_path):
    cases = [CASES[0], dict(CASES[1], batch_size=64), dict(CASES[1], mode="compiled")]
    found = results(tmp_path, campaign.noisy({"red": 0.02, "blue": 0.01}), cases)
    assert judged(found, RED_OVER_BLUE).reason.startswith("No published run")


def test_a_first_step_is_that_with_empty_caches(tmp_path):
    found = with_first_steps(tmp_path, 2.0, warm=0.5)
    lesson = judged(found, claim("measure=first_step compiles=yes / measure=first_step compiles=no", "> 1.5"))
    assert (lesson.verdict, set(lesson.evidence["rounds"])) == ("true", {"3"})


def test_a_first_epoch_is_held_against_the_later_ones_of_the_same_cell(tmp_path):
    lines = campaign.lines([campaign.over_data("red")], campaign.noisy({"red": 0.01}), rounds=6)
    lines = [{**line, "cache": "cold"} if line["kind"] == "epochs" else line for line in lines]
    found = read_results(campaign.write(tmp_path, lines))
    lesson = judged(found, claim("measure=first_epoch / measure=step", "< 1.25"))
    assert (lesson.verdict, list(lesson.evidence["ratio"])) == ("false", ["2.00"])
    assert list(lesson.evidence["time of / over that of"]) == ["Red 1.0: first epoch / step"]


@pytest.mark.parametrize(("rich", "expected"), [(0.04, "true"), (0.015, "false")])
def test_a_gain_grows_with_the_network_or_does_not(tmp_path, rich, expected):
    seconds = {("linear", "eager"): 0.02, ("linear", "compiled"): 0.01,
               ("bn_mlp", "eager"): rich, ("bn_mlp", "compiled"): 0.01}  # fmt: skip
    cases = [campaign.case("red", mode, workload=workload) for workload, mode in seconds]
    noise = campaign.noisy({"red": 1.0}, noise=0.002)
    found = results(tmp_path, lambda about, n: noise(about, n) * seconds[about["workload"], about["mode"]], cases, 8)
    about = claim(COMPILING.contrast, id="gap-grows-with-complexity", where="workload=linear|bn_mlp")
    assert (judged(found, about).verdict, len(judged(found, about).evidence)) == (expected, 1)


@pytest.mark.parametrize(("final", "expected"), [(0.9, "true"), (0.8, "false")])
def test_scores_are_alike_or_are_not(tmp_path, final, expected):
    lines = campaign.lines([campaign.over_data(name) for name in NAMES[:2]], campaign.noisy(dict.fromkeys(NAMES, 0.01)))
    for line in lines:
        if line["kind"] == "epochs" and line["case"]["environment"] == "red":
            line["test_scores"][-1] = final
    scores = claim("environment=red measure=score / environment=blue measure=score", "~ 1.02")
    assert judged(read_results(campaign.write(tmp_path, lines)), scores).verdict == expected


def test_several_contrasts_are_judged_as_one_claim(tmp_path):
    found = results(tmp_path, campaign.noisy({"red": 0.02, "blue": 0.01, "green": 0.04}, noise=0.002), CASES, 8)
    both = claim("environment=red / environment=blue; environment=red / environment=green")
    assert list(judged(found, both).evidence["verdict"]) == ["false", "true"]


def test_evidence_names_its_machine_where_there_are_several(tmp_path):
    times = campaign.noisy({"red": 0.02, "blue": 0.01})
    campaign.write(tmp_path, campaign.lines(CASES[:2], times, machine="one"))
    assert "one" not in judged(read_results(tmp_path), RED_OVER_BLUE).evidence["question"][0]
    campaign.write(tmp_path, campaign.lines(CASES[:2], times, machine="two"))
    asked = judged(read_results(tmp_path), RED_OVER_BLUE).evidence["question"]
    assert {each.rpartition(" · ")[2] for each in asked} == {"one", "two"}
