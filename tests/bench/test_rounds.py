"""A campaign, for real: fresh processes of a framework that needs nothing but NumPy."""

import json
import re
import time

import pytest
from competitors import plain, runs
from replies import BENCH, REPLY, line

from bench import files
from bench.campaign import campaign as campaigns
from bench.campaign import estimates, rounds, turns
from bench.cases import Selection, select
from bench.errors import DefinitionError
from bench.results import records, void_rules
from bench.results.schema import changed

EMPTY = campaigns.CampaignFile("", [])


def test_the_order_is_random_by_round_and_the_same_for_the_same_seed(frameworks):
    cases = select(Selection(), dict.fromkeys(["numpy-a", "numpy-b"], "cpu"), frameworks)
    orders = [turns.order(cases, 3, round_) for round_ in range(1, 9)]
    assert orders == [turns.order(cases, 3, round_) for round_ in range(1, 9)]
    assert all(sorted(order) == sorted(cases) for order in orders)
    assert len({tuple(order) for order in orders}) == 8


def test_what_the_budget_does_not_hold_is_left_out_with_a_reason_competitors_together(plan, frameworks):
    cases = select(Selection(), dict.fromkeys(["numpy-a", "numpy-b"], "cpu"), frameworks)
    known = estimates.Known({(case.id, "cold"): 10.0 for case in cases}, {}, {})
    left_out = rounds.left_out(cases, plan(budget_s=130.0, known=known), EMPTY)  # 2 cases x 3 rounds x 10 s fit twice
    kept = {(case.question, case.mode) for case in cases if case.id not in left_out}
    lightest = dict.fromkeys(case.question for case in cases)  # as workloads are listed
    assert kept == {(question, "plain") for question in list(lightest)[:2]}
    assert "the budget of 130 s is too small for 3 rounds" in next(iter(left_out.values()))[1]


@pytest.mark.parametrize(("budget_s", "is_held"), [(115.0, True), (114.0, False)])
def test_a_plan_hopes_for_a_tenth_by_which_days_differ(plan, frameworks, budget_s, is_held):
    cases = spent(frameworks, plan()).alive()  # 2 workloads x 2 cases x 3 rounds x 10 s: 60 s are left for the second
    known = estimates.Known({(case.id, start): 10.0 for case in cases for start in estimates.UNKNOWN_S}, {}, {})
    assert workloads(
        case for case in cases if case.id in rounds.left_out(cases, plan(budget_s, known=known), EMPTY)
    ) == (set() if is_held else {"imdb_gru"})


@pytest.mark.parametrize(("budget_s", "rounds_made"), [(39.0, 2), (25.0, 1), (17.0, 0)])
def test_what_matters_most_is_measured_as_often_as_the_budget_holds(plan, frameworks, budget_s, rounds_made):
    ten_s = [{"mnist_mlp": 10.0}] * 3  # 20 s for a round of both
    made = 0
    while not rounds.beyond(spent(frameworks, plan(budget_s), *ten_s[:made], workloads=("mnist_mlp",))):
        made += 1
    assert made == rounds_made


def test_without_a_budget_nothing_is_left_out(plan, frameworks):
    assert rounds.left_out(plain("numpy-a", frameworks=frameworks), plan(budget_s=None), EMPTY) == {}


def test_a_bench_measures_what_has_proven_parity_in_turns_and_says_of_the_rest_why_not(three, subtests):
    bench, begun = three, time.monotonic()
    three.environment["BUSY_CORES"] = "0.5"
    done = bench("run", "--profile", "smoke", "--workload", "mnist_mlp", "--workload", "imdb_gru", "--mode", "plain",
                 "--json")  # fmt: skip
    took_s = time.monotonic() - begun
    found = [run for run in runs(bench) if run.case.workload == "mnist_mlp"]
    ok = [run for run in found if run.status == "ok"]
    (path,) = bench.results.glob("*.jsonl")
    first, *lines = records.read(str(path))
    with subtests.test("each has a status and a reason, and a planted bug is named in it"):
        (wrong,) = [run for run in found if run.status != "ok"]
        assert (wrong.case.environment, wrong.status) == ("numpy-wrong", "unproven")
        assert "agrees with only 0 of 2" in wrong.reason
        assert "losses differ by" in wrong.reason
        assert {run.reason for run in runs(bench) if run.case.environment == "numpy-b"} == {
            None, "NumPy B has no model file for imdb_gru"}  # fmt: skip
        assert not [line for line in lines if line.kind == "answer"], "float32 on the processor is what was proven"
    with subtests.test("what is printed is the campaign"):
        printed = json.loads(done.stdout)
        assert [printed[0]["kind"], printed[-1]["kind"]] == ["bench", "end"]
    with subtests.test("blocks are measured in turns, and each has the machine only for its own time"):
        assert sum(run.duration_s for run in ok) < took_s
        assert all(len(run.block_order) == len(run.block_slowdown) == len(run.block_s) == 3 for run in ok)
        for one, other in zip(ok[::2], ok[1::2], strict=True):
            assert [sum(both) for both in zip(one.block_order, other.block_order, strict=True)] == [1] * 3
        assert all(run.group == 0 and run.loss_last < run.loss_first for run in ok)
        assert all(run.proof and run.code for run in ok)
    with subtests.test("the state of a busy machine is recorded, and its round begins anew"):
        assert first.telemetry.startswith("processor and memory by psutil 0.0 (a quiet machine); ")
        assert len(ok) == 2 * (1 + void_rules.MOST_REPEATS)
        reason = r"other processes used \d\d % of the run's cores \(allowed: at most 10 %\)"
        assert re.search(f"round 1  is void and repeated: {reason}; repeat 1", done.stderr)
        assert re.search(f"round 1  is disturbed but kept: {reason}; it was repeated 2 times", done.stderr)


def test_what_runs_take_is_told_by_those_with_as_many_threads_or_else_by_the_newest(tmp_path, frameworks):
    (case,) = plain("numpy-a", frameworks=frameworks)
    (tmp_path / "test").mkdir()
    for threads, took_s in ((1, 10.0), (2, 20.0)):
        campaign = campaigns.CampaignFile(str(tmp_path / "test" / f"{threads}.jsonl"), [])
        campaign.write(line(BENCH, threads=threads, cases=[case._asdict()]))
        reply = {**REPLY, "duration_s": took_s}
        campaign.write(campaigns.run_record(case, reply, campaigns.Where(1, 0, 0), files.now(), "cold", 1, None))
    for threads, took_s, alike in ((1, 10.0, [10.0]), (2, 20.0, [20.0]), (3, 20.0, [10.0, 20.0])):
        known = estimates.as_before(str(tmp_path), "test", threads)
        assert known.seconds == {(case.id, "cold"): took_s}
        assert known.alike == {("mnist_mlp", "train", "cpu", "cold"): alike}


def test_a_file_that_another_node_removes_meanwhile_costs_only_an_estimate(tmp_path, monkeypatch):
    monkeypatch.setattr(estimates.glob, "glob", lambda _: [str(tmp_path / "test" / "gone.jsonl")])
    assert estimates.as_before(str(tmp_path), "test", 1) == estimates.Known({}, {}, {})


def test_a_wrong_name_says_what_can_be_chosen(frameworks):
    with pytest.raises(DefinitionError, match=r"'minst'; choose from: .*mnist_mlp"):
        select(Selection(workloads=["minst"]), {"numpy-a": "cpu"}, frameworks)


def spent(frameworks, plan, *rounds_s, workloads=("mnist_mlp", "imdb_gru")):
    """Return what a campaign has made of its cases: rounds in which a run took so many seconds of each workload."""
    devices = dict.fromkeys(["numpy-a", "numpy-b"], "cpu")
    cases = select(Selection(workloads=workloads, modes=["plain"]), devices, frameworks)
    lines = [
        line(case=case, round=number, duration_s=taken_s[case.workload], cache="cold" if number == 1 else "warm")
        for number, taken_s in enumerate(rounds_s, 1)
        for case in cases
    ]
    return rounds.Tally(campaigns.CampaignFile("no-file.jsonl", lines), cases, plan)


def workloads(cases):
    return {case.workload for case in cases}


def questions(runs):
    return {run.case.question for run in runs}


def test_when_runs_cost_more_than_expected_what_matters_less_gives_way(plan, frameworks):
    made = spent(frameworks, plan(budget_s=180.0), {"mnist_mlp": 10.0, "imdb_gru": 30.0})  # 80 s for the first round
    assert workloads(rounds.beyond(made)) == {
        "imdb_gru"
    }  # 100 s hold two warm rounds of 15 s, but not two of 45 s more
    assert rounds.beyond(spent(frameworks, plan(budget_s=240.0), {"mnist_mlp": 10.0, "imdb_gru": 30.0})) == []


def test_a_round_is_expected_to_cost_what_its_kind_of_start_did_or_as_much_less_as_usual(plan, frameworks, monkeypatch):
    monkeypatch.setattr(rounds.turns.machine, "cores", lambda: 2)
    (case,) = plain("numpy-a", frameworks=frameworks)
    usual = estimates.UNKNOWN_S
    tally = rounds.Tally(campaigns.CampaignFile("no-file.jsonl", []), [case], plan(threads=1))
    assert tally.cost_s([case], 4) == usual["cold"] + usual["warm"] + 2 * usual["beside"]
    tally.seconds[case, "cold"] = 2 * usual["cold"]
    assert tally.cost_s([case], 4) == 2 * (usual["cold"] + usual["warm"] + 2 * usual["beside"])
    tally.seconds[case, "beside"] = 5.0
    assert tally.cost_s([case], 4) == 2 * usual["cold"] + 2 * usual["warm"] + 2 * 5.0
    tally.setting = tally.setting._replace(threads=2)
    assert tally.cost_s([case], 4) == 2 * usual["cold"] + 3 * 2 * usual["warm"]


def test_a_first_round_beside_others_tells_what_cold_starts_take_and_not_what_later_rounds_will(plan, frameworks):
    (case,) = [each._replace(tier="ablation") for each in plain("numpy-a", frameworks=frameworks)]
    run = line(case=case, duration_s=30.0, first_step_s=None)
    tally = rounds.Tally(campaigns.CampaignFile("no-file.jsonl", [run]), [case], plan(threads=1))
    assert tally.run_s(case, "cold") == 30.0
    assert tally.run_s(case, "beside") == 30.0 * estimates.UNKNOWN_S["beside"] / estimates.UNKNOWN_S["cold"]


def test_what_was_never_run_is_expected_to_take_what_others_of_its_workload_did(plan, frameworks, monkeypatch):
    monkeypatch.setattr(rounds.turns.machine, "cores", lambda: 2)
    (case,) = plain("numpy-a", frameworks=frameworks)
    usual, kind = estimates.UNKNOWN_S, (case.workload, case.task, case.device)
    alike = {(*kind, "cold"): [10.0, 90.0, 500.0], (*kind[:2], "gpu", "cold"): [1.0]}
    made = plan(threads=1, known=estimates.Known({}, {}, alike))
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
    monkeypatch.setattr(estimates, "narrowing", worth)
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
    monkeypatch.setattr(estimates, "narrowing", is_open)
    cases, _, _ = rounds.choose(spent(frameworks, plan(None), *taken))
    assert workloads(cases) == {"imdb_gru"}
    monkeypatch.setattr(estimates, "narrowing", lambda *_: {})
    cases, _, reason = rounds.choose(spent(frameworks, plan(None), *taken))
    assert (cases, reason.split(":")[0]) == ([], "no pair is open")


def test_a_round_that_was_begun_is_finished_first_and_by_those_who_are_missing(plan, frameworks, monkeypatch):
    made = spent(frameworks, plan(budget_s=215.0), *[{"mnist_mlp": 5.0, "imdb_gru": 30.0}] * 3)
    begun = next(case for case in made.rounds if case.workload == "imdb_gru")
    made.rounds[begun][4] = changed(made.rounds[begun][3], round=4, group=0)  # memory had no room for the other one
    cases, round_, _ = rounds.choose(made)
    assert (workloads(cases), round_) == ({"imdb_gru"}, 4)
    asked = []
    monkeypatch.setattr(turns, "measure", lambda waiting, turn, _: asked.append((waiting, turn.group)) or [])
    rounds._measure(campaigns.CampaignFile("no-file.jsonl", []), cases, round_, made, lambda *_: None)
    assert asked == [([case for case in cases if case != begun], 1)]
