"""What an article's page says of training: epochs, loops, scores, and what compiling costs."""

import campaign
import pytest
import shown
from article import ABOUT, CASES, found, made
from shown import text_of as text

from analysis.site.pages import gaps, loops, ours
from bench import registry


def test_a_first_epoch_takes_seconds_more_and_times_as_long_over_the_whole_data_set(tmp_path):
    first = made(tmp_path, "first", [campaign.over_data("red")], campaign.always(3.0))
    times = f"{1 + 10 / (60000 // 128):.2f}"  # ten steps took 3 s; the data set has 60,000 // 128
    ratios, parts = map(text, first)
    assert times in ratios
    assert "compiler caches emptied" in ratios
    for part in (
        "import (s)",
        "build (s)",
        "first step (s)",
        "rest of the first epoch (s)",
        "until it ends (s)",
        "more than a later epoch (s)",
    ):
        assert part in parts


def test_what_one_epoch_took_is_no_multiple_of_a_later_one(tmp_path):
    def change(line):
        if line["kind"] == "epochs":
            line.update(epoch_s=[3.0], test_scores=[0.5], evaluation_s=[0.1])

    first = made(tmp_path, "first", [campaign.over_data("red")], campaign.always(3.0), change=change)
    assert "first epoch (s)" in text(first[-1])


def test_epochs_over_cut_data_give_way_to_steps(tmp_path):
    cases = [campaign.case("red"), campaign.over_data("red", data="mnist-stand-in-8")]
    both = found(tmp_path, cases, campaign.always(1.0))
    (table,) = ours.times(both, ABOUT, "test-machine")
    assert "time per step" in text(table)
    (scores,) = ours.scores(both, ABOUT, "test-machine")
    assert "mnist-stand-in-8" in text(scores)


def test_a_framework_s_own_loop_is_held_against_the_one_by_hand_within_rounds(tmp_path):
    cases = [campaign.over_data(name, task=task) for name in ("red", "blue") for task in ("epochs", "fit")]
    times = lambda about, number: (1.5 if about["task"] == "fit" else 1.0) * (1 + 0.3 * number)  # noqa: E731
    (table,) = made(tmp_path, "loops", cases, times)
    assert text(table).count("1.50") >= 2
    assert made(tmp_path / "one", "loops", cases[::2], times) == [gaps.gap(ours.NO_LOOPS)]


def test_a_loop_that_does_but_one_of_both_is_held_against_the_default_of_the_other(tmp_path):
    modes = {"fit": ("fit", "fit_eager"), "epochs": ("loop",)}
    cases = [campaign.over_data("red", mode, task=task) for task, own in modes.items() for mode in own]

    def documented(line):
        if line["kind"] == "environment":
            line.update(default_mode="fit", default_modes={task: own[0] for task, own in modes.items()})

    (table,) = made(tmp_path, "loops", cases, campaign.always(1.0), change=documented)
    assert text(table).count("Red 1.0") == 1
    assert "fit / loop, default" in text(table)


def test_loops_of_two_campaigns_share_no_round(tmp_path):
    days = [campaign.lines([campaign.over_data("red", task=task)], campaign.always(1.0), campaign=f"2026-11-{day} 0900")
            for day, task in ((18, "epochs"), (19, "fit"))]  # fmt: skip
    both = shown.found(tmp_path, *days)
    assert loops.table(both, both.answers) is None


def whole(folder, data, epochs):
    def change(line):
        if line["kind"] == "epochs":
            line.update(epoch_s=[2.0] + [1.0] * (epochs - 1), test_scores=[0.5] * epochs, evaluation_s=[0.1] * epochs)

    cases = [campaign.over_data("red", data=data)]
    (table,) = made(folder, "totals", cases, campaign.always(1.0), change=change)
    return text(table)


def test_a_whole_training_is_never_extrapolated(tmp_path):
    wanted = registry.workload("mnist_mlp").EPOCHS
    assert "stand-in" in whole(tmp_path / "a", "mnist-stand-in", wanted)
    assert f"3 of {wanted} epochs were run" in whole(tmp_path / "b", "mnist", 3)
    assert f"time of the whole training (s), {wanted} epochs" in whole(tmp_path / "c", "mnist", wanted)


def test_scores_come_with_their_agreement(tmp_path):
    cases = [campaign.over_data(name) for name in ("red", "blue")]
    (table,) = made(tmp_path, "scores", cases, campaign.always(1.0))
    assert "the same" in text(table)
    assert "accuracy after the last epoch" in text(table)


@pytest.mark.parametrize(("first", "steps"), [(100.5, "100"), (1.0, "0")])
def test_compiling_pays_after_as_many_steps_as_earn_the_dearer_first_one_back(tmp_path, first, steps):
    cases = [campaign.case("red", mode) for mode in ("eager", "compiled")]

    def change(line):
        if line["kind"] == "run":
            line["first_step_s"] = first if line["case"]["mode"] == "compiled" else 1.0

    times = lambda about, _: 2.0 if about["mode"] == "eager" else 1.0  # noqa: E731
    (table,) = made(tmp_path, "modes", cases, times, change=change)
    assert f"<td>{steps}</td></tr>" in table


def test_compiling_is_compared_within_each_environment(tmp_path):
    cases = [campaign.case("red", mode) for mode in ("eager", "compiled")]
    times = lambda about, number: (2.0 if about["mode"] == "eager" else 1.0) * (1 + 0.001 * number)  # noqa: E731
    made_modes = made(tmp_path, "modes", cases, times)
    assert "2.00" in text(made_modes[0])
    assert made(tmp_path / "more", "modes", CASES) == [gaps.gap(ours.NO_CONTRAST)]

    def left_alone(line):
        line.update({"compiled": "nothing"} if line.get("case", {}).get("mode") == "compiled" else {})

    alone = made(tmp_path / "alone", "modes", cases, times, change=left_alone)
    assert alone == [gaps.gap(ours.NO_CONTRAST)]
