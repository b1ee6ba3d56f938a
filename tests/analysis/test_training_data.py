"""Loops and compilers are compared within rounds and environments, in the data files."""

import csv
import io

import campaign
import pytest
import shown
from article import CASES, found

from analysis.data import trained
from analysis.data.schema import text


def rows(table, made):
    return list(csv.DictReader(io.StringIO(text(table, made))))


def test_a_framework_s_own_loop_is_compared_with_the_hand_written_one_within_rounds(tmp_path):
    cases = [campaign.over_data(name, task=task) for name in ("red", "blue") for task in ("epochs", "fit")]
    times = lambda about, number: (1.5 if about["task"] == "fit" else 1.0) * (1 + 0.3 * number)  # noqa: E731
    known = rows(trained.LOOPS, found(tmp_path, cases, times))
    assert {(row["environment"], row["ratio"]) for row in known} == {("red", "1.5"), ("blue", "1.5")}
    assert rows(trained.LOOPS, found(tmp_path / "one", cases[::2], times)) == []


def test_a_loop_that_has_one_of_both_is_compared_with_the_default_of_the_other(tmp_path):
    modes = {"fit": ("fit", "fit_eager"), "epochs": ("loop",)}
    cases = [campaign.over_data("red", mode, task=task) for task, own in modes.items() for mode in own]

    def documented(line):
        if line["kind"] == "environment":
            line.update(default_mode="fit", default_modes={task: own[0] for task, own in modes.items()})

    (row,) = rows(trained.LOOPS, found(tmp_path, cases, campaign.always(1.0), documented))
    assert row["modes"] == "fit / loop"


def test_loops_of_two_campaigns_share_no_round(tmp_path):
    days = [campaign.lines([campaign.over_data("red", task=task)], campaign.always(1.0), campaign=f"2026-11-{day} 0900")
            for day, task in ((18, "epochs"), (19, "fit"))]  # fmt: skip
    assert rows(trained.LOOPS, shown.found(tmp_path, *days)) == []


@pytest.mark.parametrize(("first", "steps"), [(100.5, "100"), (1.0, "0")])
def test_compiling_pays_after_as_many_steps_as_earn_back_the_longer_first_one(tmp_path, first, steps):
    cases = [campaign.case("red", mode) for mode in ("eager", "compiled")]

    def change(line):
        if line["kind"] == "run":
            line["first_step_s"] = first if line["case"]["mode"] == "compiled" else 1.0

    times = lambda about, _: 2.0 if about["mode"] == "eager" else 1.0  # noqa: E731
    (row,) = rows(trained.COMPILING, found(tmp_path, cases, times, change))
    assert row["pays_after"] == steps


def test_compiling_is_compared_within_each_environment(tmp_path):
    cases = [campaign.case("red", mode) for mode in ("eager", "compiled")]
    times = lambda about, number: (2.0 if about["mode"] == "eager" else 1.0) * (1 + 0.001 * number)  # noqa: E731
    (row,) = rows(trained.COMPILING, found(tmp_path, cases, times))
    assert float(row["ratio"]) == pytest.approx(2, rel=0.01)
    assert rows(trained.COMPILING, found(tmp_path / "more", CASES, times)) == []

    def left_alone(line):
        line.update({"compiled": "nothing"} if line.get("case", {}).get("mode") == "compiled" else {})

    assert rows(trained.COMPILING, found(tmp_path / "alone", cases, times, left_alone)) == []
