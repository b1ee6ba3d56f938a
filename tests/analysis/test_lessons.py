"""Lessons can win, lose and stay undecided, each by the data."""

import campaign
import pytest

from analysis.estimate import contrasts
from analysis.lessons import (
    VERDICTS,
    compiling_pays,
    first_step_costs_most_where_compiling_is_heaviest,
    judge_all,
    overhead_fades_with_batch_size,
    verdict,
    verdict_of_all,
    verdicts,
)
from analysis.load.table import read_results
from analysis.stats.interval import Interval

MODES = ("eager", "compiled")
NAMES = ("red", "blue", "green")


def results(folder, times, cases, rounds=6):
    return read_results(campaign.write(folder, campaign.lines(cases, times, rounds=rounds)))


def by_mode(eager, compiled, seed=0):
    noise = campaign.noisy(dict.fromkeys(NAMES, 1.0), noise=0.005, seed=seed)
    return lambda about, number: noise(about, number) * (eager if about["mode"] == "eager" else compiled)


def in_both_modes():
    return [campaign.case(name, mode) for name in NAMES for mode in MODES]


def test_compiling_pays_where_it_is_faster(tmp_path):
    lesson = compiling_pays.judge(results(tmp_path, by_mode(0.02, 0.01), in_both_modes()))
    assert lesson.verdict == "holds"
    assert "3 of 3 contrasts" in lesson.claim


def test_compiling_pays_loses_where_it_is_not_faster(tmp_path):
    lesson = compiling_pays.judge(results(tmp_path, by_mode(0.01, 0.02), in_both_modes()))
    assert lesson.verdict == "fails"
    assert set(lesson.evidence["verdict"]) == {"fails"}


def test_one_round_leaves_it_undecided(tmp_path):
    lesson = compiling_pays.judge(results(tmp_path, by_mode(0.02, 0.01), in_both_modes(), rounds=1))
    assert (lesson.verdict, lesson.reason) == ("undecided", "3 of the contrasts are not resolved")


def test_modes_of_different_environments_are_no_contrast(tmp_path):
    cases = [campaign.case("red", "eager"), campaign.case("blue", "compiled")]
    assert compiling_pays.judge(results(tmp_path, by_mode(0.02, 0.01), cases)).verdict == "undecided"


def test_where_nothing_was_compiled_is_no_evidence_and_said_to_be_left_out(tmp_path):
    lines = campaign.lines(in_both_modes(), by_mode(0.02, 0.01), rounds=6)
    for line in lines:
        if line["kind"] == "run" and (line["case"]["environment"], line["case"]["mode"]) == ("red", "compiled"):
            line["compiled"] = "nothing"
    found = read_results(campaign.write(tmp_path, lines))
    for module in (compiling_pays, first_step_costs_most_where_compiling_is_heaviest):
        lesson = module.judge(found)
        assert lesson.claim.endswith("Left out, as nothing was compiled there: Red 1.0 (compiled) on 1 workload.")
        assert set(lesson.evidence["environment"]) == {"Blue 1.0", "Green 1.0"}


def test_a_step_of_the_own_loop_is_never_held_against_one_by_hand(tmp_path, monkeypatch):
    own_loops = {"fit": True, "fit_eager": True, "loop": False, "loop_eager": False}
    compiles = {mode: not mode.endswith("_eager") for mode in own_loops}
    monkeypatch.setattr(contrasts, "own_loops", lambda _: own_loops)
    lines = campaign.lines([campaign.case("red", mode) for mode in own_loops], campaign.noisy({"red": 0.01}))
    lines = [{**line, "modes": compiles} if line["kind"] == "environment" else line for line in lines]
    lesson = compiling_pays.judge(read_results(campaign.write(tmp_path, lines)))
    assert set(lesson.evidence["modes"]) == {"fit_eager / fit", "loop_eager / loop"}


def with_first_steps(folder, cold, warm=1.0):
    """Six rounds in both modes, three of them cold: by what factor the compiler lengthens a first step."""
    lines = campaign.lines(in_both_modes(), by_mode(0.02, 0.01), rounds=6)
    for place, line in enumerate(line for line in lines if line["kind"] == "run"):
        line["cache"] = "cold" if line["round"] <= 3 else "warm"
        factor = {"cold": cold, "warm": warm}[line["cache"]] if line["case"]["mode"] == "compiled" else 1.0
        line["first_step_s"] = factor * (1 + 0.001 * place)
    return read_results(campaign.write(folder, lines))


def test_a_dear_first_step_is_seen_and_paid_back(tmp_path):
    lesson = first_step_costs_most_where_compiling_is_heaviest.judge(with_first_steps(tmp_path, 2.0))
    assert set(lesson.evidence["verdict"]) == {"holds"}
    assert all(int(steps) > 0 for steps in lesson.evidence["steps until it pays"])
    assert lesson.verdict == "undecided"  # three contrasts are too few to correlate


@pytest.mark.parametrize("warm", [0.5, 2.0])
def test_a_cheap_first_step_of_a_compiler_refutes_it_whatever_full_caches_do(tmp_path, warm):
    lesson = first_step_costs_most_where_compiling_is_heaviest.judge(with_first_steps(tmp_path, 0.5, warm))
    assert lesson.verdict == "fails"
    assert set(lesson.evidence["rounds"]) == {"3"}


def at_batch(small_spread, large_spread):
    spread = {4: small_spread, 16: large_spread}
    noise = campaign.noisy(dict.fromkeys(NAMES, 0.1), noise=0.003)
    return lambda about, number: (
        noise(about, number) * (spread[about["batch_size"]] if about["environment"] == "red" else 1)
    )


def at_two_sizes():
    return [
        campaign.case(name, workload="resnet50", optimizer="sgd", batch_size=size) for name in NAMES for size in (4, 16)
    ]


def test_overhead_fades_when_the_spread_shrinks(tmp_path):
    assert (
        overhead_fades_with_batch_size.judge(results(tmp_path, at_batch(2.0, 1.2), at_two_sizes())).verdict == "holds"
    )


def test_overhead_that_grows_refutes_it(tmp_path):
    assert (
        overhead_fades_with_batch_size.judge(results(tmp_path, at_batch(1.2, 2.0), at_two_sizes())).verdict == "fails"
    )


def test_one_batch_size_decides_nothing(tmp_path):
    lesson = overhead_fades_with_batch_size.judge(results(tmp_path, at_batch(2.0, 1.2), at_two_sizes()[::2]))
    assert lesson.verdict == "undecided"
    assert "two batch sizes" in lesson.reason


def test_every_lesson_is_undecided_without_data_and_says_why(tmp_path):
    found = judge_all(read_results(tmp_path))
    assert len(found) >= 3
    assert all(lesson.verdict == "undecided" and lesson.reason for lesson in found)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(1.02, 1.1, "holds"), (0.9, 1.0, "fails"), (1.0, 1.1, "undecided"), (None, None, "undecided")],
)
def test_a_verdict_follows_the_interval(low, high, expected):
    assert verdict(Interval(1.0, low, high, 5)) == expected


def test_one_that_fails_refutes_all_and_one_undecided_leaves_it_open():
    assert [
        verdict_of_all(each) for each in (["holds", "fails", "undecided"], ["holds", "undecided"], ["holds"], [])
    ] == [
        "fails",
        "undecided",
        "holds",
        "undecided",
    ]


def test_many_contrasts_need_more_certainty_than_one():
    weak = [1.04, 1.06, 1.05, 1.05]
    assert verdicts([weak]) == ["holds"]
    assert verdicts([weak] + [[0.9, 1.2, 1.0, 1.1]] * 30)[0] == "undecided"


def test_verdicts_are_of_three_words(tmp_path):
    assert {lesson.verdict for lesson in judge_all(results(tmp_path, by_mode(0.02, 0.01), in_both_modes()))} <= set(
        VERDICTS
    )
