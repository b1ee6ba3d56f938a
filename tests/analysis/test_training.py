"""Training over a data set: what is said of first epochs, scores and their agreement is what was planted."""

import campaign
import numpy as np
import pytest

from analysis.estimate import training
from analysis.estimate.estimates import estimate_all
from analysis.load.table import read_results
from bench.results import records


def read(folder, finals, rounds=5, data="mnist-stand-in"):
    cases = [campaign.over_data(name, data=data) for name in finals]
    runs = [campaign.epochs(each, number, 1.0 + index, final=finals[each["environment"]][number - 1])
            for number in range(1, rounds + 1) for index, each in enumerate(cases)]  # fmt: skip
    lines = [campaign.bench(cases), *map(campaign.environment, sorted(finals)), *runs, campaign.end()]
    return read_results(campaign.write(folder, lines))


def trained(folder, finals, rounds=5, **more):
    return of_only_answer(training.trained, read(folder, finals, rounds, **more))


def of_only_answer(what, results):
    """Return what is said of the one question of some results."""
    (answer,) = estimate_all(results)
    return what(results.runs, answer)


def summarised(folder, finals, rounds=5, **more):
    return {row[0]: each for row, each in trained(folder, finals, rounds, **more).summaries.items()}


SEEDS = [0.90, 0.91, 0.89, 0.90, 0.905]


def test_the_number_of_a_run_is_an_epoch_after_the_first():
    record = campaign.epochs(campaign.over_data("red"), 1, 3.0)
    assert record["epoch_s"][0] == 6.0
    assert records.time_s(*campaign.typed([record])) == 3.0


def test_scores_that_differ_by_less_than_the_margin_are_equivalent(tmp_path):
    near = [value + 0.004 * (-1) ** index for index, value in enumerate(SEEDS)]
    assert summarised(tmp_path, {"red": SEEDS, "blue": near})["blue"].agreement == "equivalent"


def test_scores_further_apart_than_the_margin_are_different(tmp_path):
    far = [value - 0.1 - 0.002 * index for index, value in enumerate(SEEDS)]
    assert summarised(tmp_path, {"red": SEEDS, "blue": far})["blue"].agreement == "different"


def test_scores_that_scatter_are_unresolved_and_two_rounds_say_nothing(tmp_path):
    scattered = [0.95, 0.85, 0.94, 0.86, 0.9]
    assert summarised(tmp_path / "a", {"red": SEEDS, "blue": scattered})["blue"].agreement == "unresolved"
    assert "too few" in summarised(tmp_path / "b", {"red": SEEDS, "blue": scattered}, 2)["blue"].agreement


def test_agreement_is_with_the_median_of_the_others_so_that_one_that_failed_spoils_none(tmp_path):
    found = summarised(tmp_path, {"red": SEEDS, "blue": SEEDS, "gold": SEEDS, "green": [0.1] * 5})
    assert [found[name].agreement for name in ("red", "blue", "gold", "green")] == ["the same"] * 3 + ["different"]


def test_losses_are_the_same_until_they_leave_the_median_of_all_and_a_loop_that_hides_its_steps_says_nothing(tmp_path):
    cases = [campaign.over_data(name) for name in ("blue", "gold", "red")]
    own = {each["environment"]: campaign.epochs(each, 1, 1.0) for each in cases}
    near, far = (list(own["red"]["losses"]) for _ in range(2))
    near[5] *= 1 + training.SAME / 2
    far[12] *= 1 + 2 * training.SAME
    lines = [campaign.bench(cases), *map(campaign.environment, own), {**own["red"], "losses": near},
             {**own["blue"], "losses": far}, own["gold"], campaign.end()]  # fmt: skip
    found = of_only_answer(training.trained, read_results(campaign.write(tmp_path, lines))).summaries
    assert {row[0]: each.alike for row, each in found.items()} == {"red": (30, 30), "gold": (30, 30), "blue": (12, 30)}
    assert [each.alike for each in trained(tmp_path / "alone", {"red": SEEDS}).summaries.values()] == [None]


def test_one_alone_agrees_with_nobody(tmp_path):
    assert summarised(tmp_path, {"red": SEEDS})["red"].agreement == "no other to compare with"


def test_a_target_is_reached_after_steps_and_seconds_without_evaluations(tmp_path):
    found = trained(tmp_path, {"red": SEEDS, "blue": [0.3] * 5})
    red, blue = found.summaries.values()
    assert found.scale.target == pytest.approx(0.1 + 0.95 * (np.mean(SEEDS) - 0.1))
    assert red.reached == (30, 4.0)  # three epochs of ten steps: 2, 1 and 1 seconds
    assert blue.reached is None
    assert [training.to_target(found.scale, each) for each in (red, blue)] == ["4.00 s, 30 steps", "not reached"]


@pytest.mark.parametrize(
    ("data", "end", "why"),
    [
        ("mnist-stand-in", 0.0, "nobody learned"),
        ("mnist-stand-in", 0.12, "nobody learned"),  # of 360 guesses of one in ten, 1 % get more than 13.9 % right
        ("imdb-stand-in", 0.51, "nobody learned"),
        ("chestxray14-stand-in", 0.5, "nobody learned"),
        ("mnist-stand-in-8", 1.0, "1 example to test on, and 100 are needed"),
        ("no_such_set", 0.9, "not known here"),
    ],
)
def test_where_nobody_learned_or_few_examples_tell_there_is_no_target_and_no_agreement(tmp_path, data, end, why):
    found = trained(tmp_path, {"red": [end] * 5, "blue": [end] * 5}, data=data)
    assert why in found.scale.reason
    assert found.scale.target is None
    for each in found.summaries.values():
        assert each.agreement == training.NOT_JUDGED
        assert training.to_target(found.scale, each) == training.NO_TARGET


def test_scores_are_held_against_guessing_what_is_attainable_and_a_target(tmp_path):
    scale = trained(tmp_path, {"red": SEEDS}).scale
    assert (scale.guessing, scale.attainable, scale.examples) == (0.1, 0.98, 360)
    assert scale.target == pytest.approx(0.861, abs=5e-4)


def test_first_epochs_with_emptied_and_with_filled_caches_stand_apart(tmp_path):
    lines = campaign.lines([campaign.over_data("red")], campaign.always(1.0))
    for line in lines:
        if line["kind"] == "epochs":
            first_s, step_s = (9.0, 8.0) if line["cache"] == "cold" else (1.5, 0.5)
            line.update(epoch_s=[first_s, 1.0, 1.0], first_step_s=step_s)
    (own,) = of_only_answer(training.trained, read_results(campaign.write(tmp_path, lines))).summaries.values()
    start = own.start
    assert (start.import_s, start.build_s) == (1.0, 0.5)
    assert (start.first_step_s, start.rest_s) == ({"cold": 8.0, "warm": 0.5}, {"cold": 1.0, "warm": 1.0})
    assert (start.first_epoch_s, start.whole_s) == ({"cold": 9.0, "warm": 1.5}, {"cold": 10.5, "warm": 3.0})


def test_steps_and_epochs_are_different_questions(tmp_path):
    cases = [campaign.case("red"), campaign.over_data("red")]
    results = read_results(campaign.write(tmp_path, campaign.lines(cases, campaign.always(0.5))))
    assert [each.question.task for each in estimate_all(results)] == ["epochs", "train"]
    assert len(results.of(["train"]).runs) == len(results.of(["epochs"]).runs) == 5
