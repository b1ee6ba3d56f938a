"""Training over a data set: what is said of first epochs, scores and their agreement is what was planted."""

import campaign
import pytest

from analysis import training
from analysis.estimates import estimate_all
from analysis.pages import workload
from analysis.table import read_results
from bench import records


def read(folder, finals, rounds=5):
    cases = [campaign.over_data(name) for name in finals]
    names = sorted(finals)
    lines = [
        campaign.bench(cases),
        *(campaign.environment(name) for name in names),
        *(
            campaign.epochs(each, number, 1.0 + index, final=finals[each["environment"]][number - 1])
            for number in range(1, rounds + 1)
            for index, each in enumerate(cases)
        ),
        campaign.end(),
    ]
    return read_results(campaign.write(folder, lines))


def summarised(folder, finals, rounds=5):
    results = read(folder, finals, rounds)
    (answer,) = estimate_all(results)
    return {each.row[0]: each for each in training.summaries(results.runs, answer)}


SEEDS = [0.90, 0.91, 0.89, 0.90, 0.905]


def test_the_number_of_a_run_is_an_epoch_after_the_first():
    record = campaign.epochs(campaign.over_data("red"), 1, 3.0)
    assert record["epoch_s"][0] == 6.0
    assert records.time_s(record) == 3.0


def test_scores_that_differ_by_less_than_the_margin_are_equivalent(tmp_path):
    near = [value + 0.004 * (-1) ** index for index, value in enumerate(SEEDS)]
    found = summarised(tmp_path, {"red": SEEDS, "blue": near})
    assert found["blue"].agreement == "equivalent"
    assert found["blue"].first_epoch_s == pytest.approx(4.0)


def test_scores_further_apart_than_the_margin_are_different(tmp_path):
    far = [value - 0.1 - 0.002 * index for index, value in enumerate(SEEDS)]
    assert summarised(tmp_path, {"red": SEEDS, "blue": far})["blue"].agreement == "different"


def test_scores_that_scatter_are_unresolved_and_two_rounds_say_nothing(tmp_path):
    scattered = [0.95, 0.85, 0.94, 0.86, 0.9]
    assert summarised(tmp_path / "a", {"red": SEEDS, "blue": scattered})["blue"].agreement == "unresolved"
    assert "too few" in summarised(tmp_path / "b", {"red": SEEDS, "blue": scattered}, 2)["blue"].agreement


def test_a_target_that_is_never_reached_is_said_to_be(tmp_path):
    found = summarised(tmp_path, {"red": SEEDS, "blue": [0.3] * 5})
    assert found["red"].to_target == "30"  # three epochs of ten steps
    assert found["blue"].to_target == "not reached"


def test_steps_and_epochs_are_different_questions(tmp_path):
    cases = [campaign.case("red"), campaign.over_data("red")]
    results = read_results(campaign.write(tmp_path, campaign.lines(cases, campaign.always(0.5))))
    assert [each.question.task for each in estimate_all(results)] == ["epochs", "train"]
    assert len(results.of(["train"]).runs) == len(results.of(["epochs"]).runs) == 5


def test_a_stand_in_is_named_in_the_heading_and_a_foreign_name_is_not(tmp_path):
    (answer,) = estimate_all(read(tmp_path, {"red": SEEDS}))
    assert "mnist-stand-in" in workload.heading(answer)
    for foreign in ("x(y)", "mnist-stand-in-5)", "other-stand-in", "mnist-stand-in\n"):
        odd = answer._replace(question=answer.question._replace(data=foreign))
        assert "stand-in" not in workload.heading(odd)
        assert "x(y)" not in workload.heading(odd)
