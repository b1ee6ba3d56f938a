"""No part of the analysis grows faster than the runs."""

import cProfile
import json
import pstats

import campaign
import pytest
import scale_benchmark
import synthetic
from claims import RED_OVER_BLUE
from growth import CASES, TRUTH, written

from analysis import figures
from analysis.estimate import aggregate
from analysis.estimate.estimates import estimate_all
from analysis.lessons import claim_test
from analysis.load import campaigns, table
from analysis.load.campaigns import read_campaigns
from analysis.load.table import read_results
from bench.results import schema

pytestmark = pytest.mark.usefixtures("nothing_kept")


def calls(function, *words):
    """Return how many calls of functions it takes, a number without any chance in it."""
    profile = cProfile.Profile()
    profile.runcall(function, *words)
    return pstats.Stats(profile).total_calls


def test_reading_grows_with_the_lines(tmp_path):
    read_results(written(tmp_path / "before", 2))  # loads modules
    work = [calls(read_results, written(tmp_path / str(rounds), rounds)) for rounds in (20, 40, 80)]
    assert work[1] < 2.1 * work[0]
    assert work[2] < 2.1 * work[1]


def test_estimating_grows_with_the_questions(tmp_path):
    sizes = [[dict(case, batch_size=size) for size in range(1, count + 1) for case in CASES] for count in (4, 8, 16)]
    found = [read_results(campaign.write(tmp_path / str(len(cases)), campaign.lines(cases, campaign.noisy(TRUTH))))
             for cases in sizes]  # fmt: skip
    estimate_all(found[0])
    work = [calls(estimate_all, results) for results in found]
    assert work[2] - work[1] < 2.2 * (work[1] - work[0])


def test_judging_grows_with_the_pairs_that_are_alike(tmp_path):
    work = []
    for count in (4, 8, 16):
        cases = [dict(case, batch_size=size) for size in range(1, count + 1) for case in CASES]
        found = read_results(campaign.write(tmp_path / str(count), campaign.lines(cases, campaign.noisy(TRUTH))))
        answers = estimate_all(found)
        claim_test.effects(RED_OVER_BLUE, found, answers)  # what is remembered of the table
        work.append(calls(claim_test.effects, RED_OVER_BLUE, found, answers))
    assert work[2] - work[1] < 2.2 * (work[1] - work[0])


def test_a_table_is_looked_through_once_for_all_its_questions(tmp_path, monkeypatch):
    found = read_results(written(tmp_path, 3, ("mnist_mlp", "linear")))
    looked = []
    places = table._places
    monkeypatch.setattr(table, "_places", lambda runs: (looked.append(len(runs)), places(runs))[1])
    one, other = estimate_all(found)
    for answer in (one, other, one):
        own = aggregate.runs_of(found.runs, answer.question)
        assert set(own["workload"]) == {answer.question.workload}
        assert len(own) == len(found.runs) / 2
    assert looked == [len(found.runs)]
    assert estimate_all(found) == [one, other]


def test_what_is_remembered_of_a_table_goes_with_it(tmp_path):
    found = read_results(written(tmp_path, 3))
    alone = found.runs.iloc[:2]
    assert table.recall(alone, "rows", len) == 2
    assert table.recall(found.runs, "rows", len) == len(found.runs)
    before = len(table._MADE)
    del alone
    assert len(table._MADE) == before - 1


def test_the_range_over_two_extreme_states_is_that_over_all_runs(tmp_path):
    lines = campaign.lines(CASES, campaign.noisy(TRUTH), rounds=3)
    shares = iter((0.03, 0.01, None, 0.02, 0.05, 0.04))
    for line in lines:
        if line["kind"] == "run":
            line["machine_state"] = campaign.state(next(shares))
    found = read_campaigns(campaign.write(tmp_path, lines))[0]
    assert [each["cpu"]["others_share"] for each in found.outcomes.states] == [0.01, 0.05]
    assert [each["gpu"] for each in found.outcomes.states] == [None, None]


def test_the_benchmark_of_growth_measures_every_part(tmp_path, monkeypatch):
    for module in figures.found().values():
        monkeypatch.setattr(module, "wanted", lambda _: {})
    found = scale_benchmark.measure(written(tmp_path / "results", 3), tmp_path / "out")
    assert all(found["seconds"][part] > 0 for part in scale_benchmark.PARTS)
    assert "generated files" in found["done"]
    alone = scale_benchmark.analysed(tmp_path / "results")
    assert (list(alone["seconds"]), alone["done"]) == (list(scale_benchmark.ANALYSIS), 6)


def test_many_results_are_read_by_several_processes_alike(tmp_path, monkeypatch):
    for day in (18, 19):
        written(tmp_path, 2, ("mnist_mlp", "linear")[: day - 17], campaign=f"2026-11-{day} 0900")
    alone = read_results(tmp_path)
    monkeypatch.setattr(campaigns, "MANY_BYTES", 0)
    assert read_results(tmp_path).runs.equals(alone.runs)


def test_the_synthetic_results_are_valid_and_the_same_each_time():
    plan = synthetic.plans(1_000)[0]._replace(workloads=1)
    found = list(synthetic.lines(plan))
    assert [schema.problems(line) for line in found] == [[]] * len(found)
    assert json.dumps(found) == json.dumps(list(synthetic.lines(plan)))
