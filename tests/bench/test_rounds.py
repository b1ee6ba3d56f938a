"""A campaign, for real: fresh processes of a framework that needs nothing but NumPy."""

import json
import signal
import subprocess
import time

import pytest
from competitors import plain, runs

from bench import campaign as campaigns
from bench import registry, rounds
from bench.cases import Case, Selection, select


def test_the_order_is_random_by_round_and_the_same_for_the_same_seed(frameworks):
    cases = select(Selection(), dict.fromkeys(["numpy-a", "numpy-b"], "cpu"), frameworks)
    orders = [rounds.order(cases, 3, round_) for round_ in range(1, 9)]
    assert orders == [rounds.order(cases, 3, round_) for round_ in range(1, 9)]
    assert all(sorted(order) == sorted(cases) for order in orders)
    assert len({tuple(order) for order in orders}) == 8


def test_what_the_budget_does_not_hold_is_left_out_with_a_reason_competitors_together(setting, frameworks):
    cases = select(Selection(), dict.fromkeys(["numpy-a", "numpy-b"], "cpu"), frameworks)
    expected = {(case.id, "cold"): 10.0 for case in cases}
    left_out = rounds.fit(cases, setting(budget_s=130.0, expected=expected))  # 2 cases x 3 rounds x 10 s fit twice
    kept = {(case.question, case.mode) for case in cases if case.id not in left_out}
    lightest = dict.fromkeys(case.question for case in cases)  # as workloads are listed
    assert kept == {(question, "plain") for question in list(lightest)[:2]}
    assert "the budget of 130 s does not hold 3 rounds" in next(iter(left_out.values()))


def test_without_a_budget_nothing_is_left_out(setting, frameworks):
    assert rounds.fit(plain("numpy-a", frameworks=frameworks), setting(budget_s=None)) == {}


def test_a_bench_measures_every_case_that_has_proven_parity(bench):
    done = bench("run", "--profile", "smoke", "--workload", "mnist_mlp", "--mode", "plain", "--json")
    statuses = {run["case"]["environment"]: run["status"] for run in runs(bench)}
    assert statuses == {"numpy-a": "ok", "numpy-b": "ok", "numpy-wrong": "unproven"}
    lines = json.loads(done.stdout)
    assert [lines[0]["kind"], lines[-1]["kind"]] == ["bench", "end"]
    ok = [run for run in runs(bench) if run["status"] == "ok"]
    assert all(len(run["block_s"]) >= 3 and run["loss_last"] < run["loss_first"] for run in ok)
    assert all(run["proof"] and run["code"] for run in ok)


def test_a_planted_bug_is_named_in_the_reason_of_its_case(bench):
    bench("run", "--profile", "smoke", "--workload", "mnist_mlp", "--mode", "plain")
    (wrong,) = [run for run in runs(bench) if run["status"] == "unproven"]
    assert "agrees with only 0 of 2" in wrong["reason"]
    assert "losses differ by" in wrong["reason"]


def test_every_way_to_fail_is_a_line_with_its_reason_and_the_rest_goes_on(bench):
    bench("run", "--profile", "smoke", "--budget", "10m", "--timeout", "8s", "--workload", "mnist_mlp",
          "--environment", "numpy-a", "--environment", "numpy-b")  # fmt: skip
    found = {run["case"]["mode"]: run for run in runs(bench) if run["case"]["environment"] == "numpy-a"}
    assert {mode: run["status"] for mode, run in found.items()} == {
        "plain": "ok", "garbage": "ok", "crash": "killed", "hang": "timeout", "unsupported": "unsupported",
        "memory": "out_of_memory", "nan": "failed", "idle": "implausible",
    }  # fmt: skip
    assert "SIGABRT" in found["crash"]["reason"]
    assert "MemoryError" in found["memory"]["error_tail"]
    assert "not finite" in found["nan"]["reason"]
    assert "training left the loss at exactly 2.3" in found["idle"]["reason"]
    assert found["idle"]["block_s"], "what was measured is not lost"
    assert all(run["reason"] for run in found.values() if run["status"] != "ok")
    assert all(str(registry.ROOT) not in str(run["error_tail"]) for run in found.values())


def test_an_absent_environment_and_a_missing_model_file_are_lines_too(bench):
    bench("run", "--profile", "smoke", "--mode", "plain", "--absent", "numpy-wrong=no Python 3.11 here",
          "--workload", "mnist_mlp", "--workload", "imdb_gru")  # fmt: skip
    reasons = {(run["case"]["environment"], run["case"]["workload"]): run["reason"] for run in runs(bench)}
    assert reasons["numpy-b", "imdb_gru"] == "NumPy B has no model file for imdb_gru"


@pytest.mark.parametrize("after_runs", [0, 1, 3])
def test_a_killed_bench_goes_on_where_it_stopped_and_repeats_nothing(bench, after_runs):
    words = ("--profile", "quick", "--budget", "10m", "--rounds", "2", "--workload", "mnist_mlp", "--mode", "plain",
             "--environment", "numpy-a", "--environment", "numpy-b")  # fmt: skip
    process = subprocess.Popen(
        bench.command("run", *words), cwd=registry.ROOT, env=bench.environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    seen = 0
    for line in process.stderr:
        seen += line.startswith("round")
        if seen == after_runs and (after_runs or "2 cases into" in line):
            break
    time.sleep(0.3)  # into the next run
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
    before = runs(bench)
    assert len(before) >= after_runs
    bench("run", *words)
    after = runs(bench)
    assert after[: len(before)] == before
    keys = [(Case(**run["case"]).id, run["round"]) for run in after]
    assert len(set(keys)) == len(keys)
    assert len(keys) == 4  # two cases, two rounds


def test_the_same_command_after_the_end_begins_a_new_campaign(bench):
    words = ("--profile", "smoke", "--workload", "mnist_mlp", "--mode", "plain")
    bench("run", *words)
    bench("run", *words)
    assert len(list(bench.results.glob("*.jsonl"))) == 2


def test_a_wrong_name_says_what_can_be_chosen(bench):
    done = bench("run", "--workload", "minst", expect=2)
    assert "'minst'" in done.stderr
    assert "mnist_mlp" in done.stderr


def spent(frameworks, *runs, workloads=("mnist_mlp", "imdb_gru")):
    """Return a campaign in memory whose runs, (case, round, seconds), have been made, and its cases."""
    devices = dict.fromkeys(["numpy-a", "numpy-b"], "cpu")
    cases = select(Selection(workloads=workloads, modes=["plain"]), devices, frameworks)
    lines = [
        {"kind": "run", "case": case._asdict(), "round": round_, "duration_s": runs[0][case.workload], "status": "ok"}
        for round_ in range(1, 1 + len(runs))
        for case in cases
    ]
    return campaigns.Campaign("no-file.jsonl", lines), cases


def test_when_runs_cost_more_than_expected_what_matters_less_gives_way(setting, frameworks):
    campaign, cases = spent(frameworks, {"mnist_mlp": 10.0, "imdb_gru": 30.0})  # 80 s spent in the first round
    kept, given_up = rounds.due(campaign, cases, 2, setting(budget_s=180.0))
    assert {case.workload for case in kept} == {"mnist_mlp"}  # two more rounds of 20 s fit into 100 s, and none of 60 s
    assert {case.workload for case in given_up} == {"imdb_gru"}


def test_what_is_left_of_the_budget_goes_to_the_comparisons_that_still_fit(setting, frameworks):
    campaign, cases = spent(frameworks, *[{"mnist_mlp": 5.0, "imdb_gru": 30.0}] * 3)  # 210 s spent in three rounds
    kept, given_up = rounds.due(campaign, cases, 4, setting(budget_s=225.0))
    assert {case.workload for case in kept} == {"mnist_mlp"}
    assert given_up == []
    assert rounds.due(campaign, cases, 4, setting(budget_s=215.0)) == ([], [])


def test_a_round_that_was_begun_is_finished_for_the_comparisons_it_began(setting, frameworks):
    campaign, cases = spent(frameworks, *[{"mnist_mlp": 5.0, "imdb_gru": 30.0}] * 3)
    campaign.lines.append(dict(campaign.lines[-1], round=4))  # one of two competitors, then the bench was killed
    kept, _ = rounds.due(campaign, cases, 4, setting(budget_s=215.0))
    assert {case.workload for case in kept} == {Case(**campaign.lines[-1]["case"]).workload}


def test_only_pairs_that_are_still_measured_keep_a_campaign_going(setting, frameworks):
    campaign, cases = spent(frameworks, *[{"mnist_mlp": 5.0, "imdb_gru": 30.0}] * 3)
    alive = [case for case in cases if case.workload == "mnist_mlp"]
    seen = []
    wide_or_narrow = lambda runs: seen.extend(runs) or 0.004  # noqa: E731
    reason = rounds._why_stop(campaign, alive, alive, 4, setting(precision=wide_or_narrow))
    assert reason == "every interval is within +-0.4 %"
    assert {run["case"]["workload"] for run in seen} == {"mnist_mlp"}
    assert rounds._why_stop(campaign, alive, alive, 3, setting(precision=wide_or_narrow)) is None  # not before three
