"""A campaign, for real: fresh processes of a framework that needs nothing but NumPy."""

import json
import signal
import subprocess
import time

import pytest
from competitors import plain, runs

from bench import registry
from bench.campaign import campaign as campaigns
from bench.campaign import past, rounds, stopping, turns
from bench.cases import Case, Selection, select
from bench.results import records


def test_the_order_is_random_by_round_and_the_same_for_the_same_seed(frameworks):
    cases = select(Selection(), dict.fromkeys(["numpy-a", "numpy-b"], "cpu"), frameworks)
    orders = [turns.order(cases, 3, round_) for round_ in range(1, 9)]
    assert orders == [turns.order(cases, 3, round_) for round_ in range(1, 9)]
    assert all(sorted(order) == sorted(cases) for order in orders)
    assert len({tuple(order) for order in orders}) == 8


def test_what_the_budget_does_not_hold_is_left_out_with_a_reason_competitors_together(plan, frameworks):
    cases = select(Selection(), dict.fromkeys(["numpy-a", "numpy-b"], "cpu"), frameworks)
    known = past.Known({(case.id, "cold"): 10.0 for case in cases}, {}, {})
    left_out = rounds.fit(cases, plan(budget_s=130.0, known=known))  # 2 cases x 3 rounds x 10 s fit twice
    kept = {(case.question, case.mode) for case in cases if case.id not in left_out}
    lightest = dict.fromkeys(case.question for case in cases)  # as workloads are listed
    assert kept == {(question, "plain") for question in list(lightest)[:2]}
    assert "the budget of 130 s is too small for 3 rounds" in next(iter(left_out.values()))


@pytest.mark.parametrize(("budget_s", "is_held"), [(115.0, True), (114.0, False)])
def test_a_plan_hopes_for_a_tenth_by_which_days_differ(plan, frameworks, budget_s, is_held):
    cases = spent(frameworks, plan()).alive()  # 2 workloads x 2 cases x 3 rounds x 10 s: 60 s are left for the second
    known = past.Known({(case.id, start): 10.0 for case in cases for start in past.UNKNOWN_S}, {}, {})
    assert workloads(case for case in cases if case.id in rounds.fit(cases, plan(budget_s, known=known))) == (
        set() if is_held else {"imdb_gru"}
    )


@pytest.mark.parametrize(("budget_s", "rounds_made"), [(39.0, 2), (25.0, 1), (17.0, 0)])
def test_what_matters_most_is_measured_as_often_as_the_budget_holds(plan, frameworks, budget_s, rounds_made):
    ten_s = [{"mnist_mlp": 10.0}] * 3  # 20 s for a round of both
    made = 0
    while not rounds.beyond(spent(frameworks, plan(budget_s), *ten_s[:made], workloads=("mnist_mlp",))):
        made += 1
    assert made == rounds_made


def test_without_a_budget_nothing_is_left_out(plan, frameworks):
    assert rounds.fit(plain("numpy-a", frameworks=frameworks), plan(budget_s=None)) == {}


def test_a_bench_measures_every_case_that_has_proven_parity_and_names_a_planted_bug_in_its_reason(three):
    bench = three
    done = bench("run", "--profile", "smoke", "--workload", "mnist_mlp", "--mode", "plain", "--json")
    statuses = {run["case"]["environment"]: run["status"] for run in runs(bench)}
    assert statuses == {"numpy-a": "ok", "numpy-b": "ok", "numpy-wrong": "unproven"}
    lines = json.loads(done.stdout)
    assert [lines[0]["kind"], lines[-1]["kind"]] == ["bench", "end"]
    ok = [run for run in runs(bench) if run["status"] == "ok"]
    assert all(len(run["block_s"]) >= 3 and run["loss_last"] < run["loss_first"] for run in ok)
    assert all(run["proof"] and run["code"] for run in ok)
    (wrong,) = [run for run in runs(bench) if run["status"] == "unproven"]
    assert "agrees with only 0 of 2" in wrong["reason"]
    assert "losses differ by" in wrong["reason"]
    bench("run", "--profile", "smoke", "--workload", "mnist_mlp", "--mode", "plain")
    assert len(list(bench.results.glob("*.jsonl"))) == 2, "the same command after the end begins a new campaign"


def with_two_threads(path):
    """Write what a second campaign of the same cases would be, whose runs took twice as long with two threads."""
    lines = [{**line, "campaign": path.stem + "b"} for line in records.read(str(path))]
    for line in lines:
        line.pop("seal")
        line.update({"threads": 2} if line["kind"] == "bench" else {})
        line.update({"duration_s": 2 * line["duration_s"]} if line["kind"] == "run" else {})
    path.with_name(path.stem + "b.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_what_runs_take_is_told_by_those_with_as_many_threads_or_else_by_the_newest(bench):
    smoke = ("run", "--profile", "smoke", "--workload", "mnist_mlp", "--mode", "plain", "--environment", "numpy-a",
             "--environment", "numpy-b", "--no-table")  # fmt: skip
    bench(*smoke)
    with_two_threads(next(bench.results.glob("*.jsonl")))
    took = {
        lines[0]["threads"]: {
            (Case(**line["case"]).id, "cold"): line["duration_s"] for line in lines if line["kind"] == "run"
        }
        for lines in (records.read(str(path)) for path in bench.results.glob("*.jsonl"))
    }
    one, two = (list(took[threads].values()) for threads in (1, 2))
    for threads, expected, alike in ((1, took[1], one), (2, took[2], two), (3, took[2], one + two)):
        known = past.as_before(str(bench.results.parent), "test", threads)
        assert known.seconds == expected
        assert known.alike == {("mnist_mlp", "train", "cpu", "cold"): alike}


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


@pytest.mark.parametrize("after_runs", [pytest.param(0, marks=pytest.mark.nightly), 1,
                                        pytest.param(2, marks=pytest.mark.nightly)])  # fmt: skip
def test_a_killed_bench_goes_on_where_it_stopped_and_repeats_nothing(bench, after_runs):
    words = ("--profile", "quick", "--budget", "10m", "--rounds", "2", "--workload", "mnist_mlp", "--mode", "plain",
             "--environment", "numpy-a", "--environment", "numpy-b")  # fmt: skip
    process = subprocess.Popen(
        bench.command("run", *words), cwd=registry.ROOT, env=bench.environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    seen = 0
    for line in process.stderr:
        seen += line.startswith(" " * 9)
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


def test_a_wrong_name_says_what_can_be_chosen(bench):
    done = bench("run", "--workload", "minst", expect=2)
    assert "'minst'" in done.stderr
    assert "mnist_mlp" in done.stderr


def spent(frameworks, plan, *rounds_s, workloads=("mnist_mlp", "imdb_gru")):
    """Return what a campaign has made of its cases: rounds in which a run took so many seconds of each workload."""
    devices = dict.fromkeys(["numpy-a", "numpy-b"], "cpu")
    cases = select(Selection(workloads=workloads, modes=["plain"]), devices, frameworks)
    lines = [
        {"kind": "run", "case": case._asdict(), "round": round_, "duration_s": taken_s[case.workload], "status": "ok",
         "seed": 1, "cache": "cold" if round_ == 1 else "warm", "first_step_s": 0.1, "steps_per_block": None}
        for round_, taken_s in enumerate(rounds_s, 1)
        for case in cases
    ]  # fmt: skip
    return rounds.Tally(campaigns.CampaignFile("no-file.jsonl", lines), cases, plan)


def workloads(cases):
    return {case.workload for case in cases}


def questions(runs):
    return {Case(**run["case"]).question for run in runs}


def test_when_runs_cost_more_than_expected_what_matters_less_gives_way(plan, frameworks):
    made = spent(frameworks, plan(budget_s=180.0), {"mnist_mlp": 10.0, "imdb_gru": 30.0})  # 80 s for the first round
    assert workloads(rounds.beyond(made)) == {
        "imdb_gru"
    }  # 100 s hold two warm rounds of 15 s, but not two of 45 s more
    enough = spent(frameworks, plan(budget_s=240.0), {"mnist_mlp": 10.0, "imdb_gru": 30.0})
    assert rounds.beyond(enough) == []


def test_a_round_is_expected_to_cost_what_its_kind_of_start_did_or_as_much_less_as_usual(plan, frameworks, monkeypatch):
    monkeypatch.setattr(rounds.turns.machine, "cores", lambda: 2)
    (case,) = plain("numpy-a", frameworks=frameworks)
    usual = past.UNKNOWN_S
    tally = rounds.Tally(campaigns.CampaignFile("no-file.jsonl", []), [case], plan(threads=1))
    assert tally.cost_s([case], 4) == usual["cold"] + usual["warm"] + 2 * usual["beside"]
    tally.seconds[case, "cold"] = 2 * usual["cold"]
    assert tally.cost_s([case], 4) == 2 * (usual["cold"] + usual["warm"] + 2 * usual["beside"])
    tally.seconds[case, "beside"] = 5.0
    assert tally.cost_s([case], 4) == 2 * usual["cold"] + 2 * usual["warm"] + 2 * 5.0
    alone = tally.plan.setting._replace(threads=2)
    tally.plan = tally.plan._replace(setting=alone)
    assert tally.cost_s([case], 4) == 2 * usual["cold"] + 3 * 2 * usual["warm"]


def test_a_first_round_beside_others_tells_what_cold_starts_take_and_not_what_later_rounds_will(plan, frameworks):
    (case,) = [each._replace(tier="ablation") for each in plain("numpy-a", frameworks=frameworks)]
    run = {"kind": "run", "status": "ok", "case": case._asdict(), "round": 1, "duration_s": 30.0, "cache": "cold",
           "first_step_s": None}  # fmt: skip
    tally = rounds.Tally(campaigns.CampaignFile("no-file.jsonl", [run]), [case], plan(threads=1))
    assert tally.run_s(case, "cold") == 30.0
    assert tally.run_s(case, "beside") == 30.0 * past.UNKNOWN_S["beside"] / past.UNKNOWN_S["cold"]


def test_what_was_never_run_is_expected_to_take_what_others_of_its_workload_did(plan, frameworks, monkeypatch):
    monkeypatch.setattr(rounds.turns.machine, "cores", lambda: 2)
    (case,) = plain("numpy-a", frameworks=frameworks)
    usual, kind = past.UNKNOWN_S, (case.workload, case.task, case.device)
    alike = {(*kind, "cold"): [10.0, 90.0, 500.0], (*kind[:2], "gpu", "cold"): [1.0]}
    made = plan(threads=1, known=past.Known({}, {}, alike))
    tally = rounds.Tally(campaigns.CampaignFile("no-file.jsonl", []), [case], made)
    assert [tally.run_s(case, start) for start in ("cold", "beside")] == [90.0, 90.0 * usual["beside"] / usual["cold"]]
    alike[(*kind, "beside")] = [20.0]
    assert tally.run_s(case, "beside") == 20.0
    tally.seconds[case, "cold"] = 45.0  # its own tell more, and others how starts differ
    assert tally.run_s(case, "beside") == 10.0


def test_the_fewest_rounds_are_made_of_every_question_in_turn(plan, frameworks):
    taken = {"mnist_mlp": 5.0, "imdb_gru": 30.0}
    for made_rounds, expected in (
        ((), ("mnist_mlp", 1)),
        ((taken,), ("mnist_mlp", 2)),
        ((taken,) * 2, ("mnist_mlp", 3)),
    ):
        cases, round_, _ = rounds.choose(spent(frameworks, plan(budget_s=None), *made_rounds))
        assert (cases[0].workload, round_) == expected
    made = spent(frameworks, plan(budget_s=None), taken)
    for case in [each for each in made.rounds if each.workload == "mnist_mlp"]:
        made.rounds[case][2] = made.rounds[case][1]
    cases, round_, _ = rounds.choose(made)
    assert (cases[0].workload, round_) == ("imdb_gru", 2)


def test_what_is_left_goes_where_a_second_narrows_most_as_far_as_it_fits(plan, frameworks, monkeypatch):
    taken = [{"mnist_mlp": 5.0, "imdb_gru": 30.0}] * 3  # 210 s spent in three rounds
    narrows = {"mnist_mlp": 0.01, "imdb_gru": 0.09}
    worth = lambda runs, _: {each: narrows[each.partition("/")[0]] for each in questions(runs)}  # noqa: E731
    monkeypatch.setattr(stopping, "narrowing", worth)
    cases, round_, _ = rounds.choose(spent(frameworks, plan(300.0), *taken))
    assert (workloads(cases), round_) == ({"imdb_gru"}, 4)  # nine times as much for six times the price
    narrows["imdb_gru"] = 0.05
    assert workloads(rounds.choose(spent(frameworks, plan(300.0), *taken))[0]) == {"mnist_mlp"}
    narrows["imdb_gru"] = 0.09
    assert workloads(rounds.choose(spent(frameworks, plan(225.0), *taken))[0]) == {"mnist_mlp"}
    cases, _, reason = rounds.choose(spent(frameworks, plan(215.0), *taken))
    assert (cases, reason) == ([], "the budget: 5 s are left, too few for another round of an open comparison")


def test_what_is_settled_costs_no_further_round(plan, frameworks, monkeypatch):
    taken = [{"mnist_mlp": 5.0, "imdb_gru": 30.0}] * 3
    is_open = lambda runs, _: {each: 0.05 * each.startswith("imdb_gru") for each in questions(runs)}  # noqa: E731
    monkeypatch.setattr(stopping, "narrowing", is_open)
    cases, _, _ = rounds.choose(spent(frameworks, plan(None), *taken))
    assert workloads(cases) == {"imdb_gru"}
    monkeypatch.setattr(stopping, "narrowing", lambda *_: {})
    cases, _, reason = rounds.choose(spent(frameworks, plan(None), *taken))
    assert (cases, reason.split(":")[0]) == ([], "no pair is open")


def test_a_round_that_was_begun_is_finished_first_and_by_those_who_are_missing(plan, frameworks, monkeypatch):
    made = spent(frameworks, plan(budget_s=215.0), *[{"mnist_mlp": 5.0, "imdb_gru": 30.0}] * 3)
    begun = next(case for case in made.rounds if case.workload == "imdb_gru")
    made.rounds[begun][4] = dict(made.rounds[begun][3], round=4)  # memory had no room for the other one
    cases, round_, _ = rounds.choose(made)
    assert (workloads(cases), round_) == ({"imdb_gru"}, 4)
    asked = []
    monkeypatch.setattr(turns, "measure", lambda waiting, turn, _: asked.append((waiting, turn.group)) or [])
    rounds._measure(campaigns.CampaignFile("no-file.jsonl", []), cases, round_, made, lambda *_: None)
    assert asked == [([case for case in cases if case != begun], 1)]
