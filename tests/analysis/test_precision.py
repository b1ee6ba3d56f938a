"""What the rounds settled: counts of pairs, half-widths and the seconds that they cost."""

import json

import campaign
import pytest

from analysis import __main__
from analysis.estimate import precision
from analysis.load.table import read_results

TRUTH = {"red": 0.010, "blue": 0.010, "green": 0.020}


@pytest.fixture
def folder(tmp_path):
    cases = [campaign.case(name, mode) for name in TRUTH for mode in ("eager", "compiled")]
    cases.append(campaign.case("red", workload="linear"))  # nobody to be compared with
    return campaign.write(tmp_path, campaign.lines(cases, campaign.noisy(TRUTH, 0.002), rounds=6))


def test_pairs_of_default_modes_are_counted_by_workload_and_threads_and_in_all(folder):
    found = precision.reached(read_results(folder), default_modes=True)
    assert list(found) == ["mnist_mlp, 4 threads", "all, 4 threads", "all"]
    assert found["all"] == found["all, 4 threads"] == found["mnist_mlp, 4 threads"]
    own = found["all"]
    assert (own.pairs, own.claimed, own.equivalent, own.unresolved) == (3, 2, 1, 0)
    assert (own.beyond, own.beyond_claimed, own.beyond_share, own.rounds) == (2, 2, 1.0, 6)
    assert 0 < own.half_width_median <= own.half_width_largest < 0.02


def test_the_seconds_are_of_the_processes_whose_times_stand(folder):
    results = read_results(folder)
    runs = results.runs[(results.runs["mode"] == "eager") & (results.runs["workload"] == "mnist_mlp")]
    own = precision.reached(results, default_modes=True)["all"]
    assert own.measuring_s == pytest.approx(runs["duration_s"].sum())
    assert own.claim_s == pytest.approx(own.measuring_s / 2)


def test_all_modes_are_compared(folder):
    assert precision.reached(read_results(folder))["all"].pairs == 15


def test_each_machine_and_number_of_threads_has_its_own_lines(tmp_path):
    for machine, threads in (("calm", 1), ("calm", 2), ("busy", 1)):
        cases = [campaign.case(name, mode) for name in TRUTH for mode in ("eager", "compiled")]
        made = campaign.lines(cases, campaign.always(0.01), campaign=f"2026-11-2{threads} 0900", machine=machine)
        campaign.write(tmp_path, [{**made[0], "threads": threads}, *made[1:]])
    found = precision.reached(read_results(tmp_path))
    assert {name: each.pairs for name, each in found.items() if "all" in name} == {
        "busy: all, 1 thread": 15, "calm: all, 1 thread": 15, "calm: all, 2 threads": 15, "all": 45,
    }  # fmt: skip


def test_the_command_prints_a_table_and_json(folder, capsys):
    assert __main__.main(["precision", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:4] == ["workload", "pairs", "claimed", "equivalent"]
    assert [line.split()[0] for line in lines[1:]] == ["mnist_mlp,", "all,", "all"]
    assert __main__.main(["precision", "--json", str(folder)]) == 0
    assert json.loads(capsys.readouterr().out)["all"]["claimed"] == 8
    assert __main__.main(["precision", "--json", "--default-modes", str(folder)]) == 0
    assert json.loads(capsys.readouterr().out)["all"]["claimed"] == 2


def test_numbers_of_threads_are_told_apart(tmp_path):
    for threads in (1, 2):
        name = f"2026-11-2{threads} 0900"
        made = campaign.lines([campaign.case(each) for each in TRUTH], campaign.always(0.01), campaign=name)
        campaign.write(tmp_path, [{**made[0], "threads": threads}, *made[1:]])
    found = precision.reached(read_results(tmp_path))
    assert list(found) == ["mnist_mlp, 1 thread", "mnist_mlp, 2 threads", "all, 1 thread", "all, 2 threads", "all"]
    assert [each.pairs for each in found.values()] == [3, 3, 3, 3, 6]


def test_without_results_there_is_nothing_to_settle(tmp_path, capsys):
    assert __main__.main(["precision", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split()[:2] == ["all", "0"]
