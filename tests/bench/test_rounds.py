"""A campaign, for real: fresh processes of a framework that needs nothing but NumPy."""

import json
import signal
import subprocess
import time

import pytest

from bench import campaign as campaigns
from bench import records, registry, report, rounds, void
from bench.cases import Case, Selection, select
from bench.profiles import PROFILES


@pytest.fixture
def setting(frameworks):
    def make(**changes):
        environments = registry.environments(frameworks)
        values = {
            "profile": PROFILES["quick"], "budget_s": 100.0, "timeout_s": 60.0, "seed": 3, "threads": 1,
            "frameworks": frameworks, "data": "",
            "pythons": {}, "environments": environments, "proofs": {}, "refused": {}, "expected": {}, "precision": None,
        }  # fmt: skip
        return rounds.Setting(**{**values, **changes})

    return make


def plain(*environments, frameworks):
    devices = dict.fromkeys(environments, "cpu")
    return select(Selection(workloads=["mnist_mlp"], modes=["plain"]), devices, frameworks)


def runs(bench):
    (path,) = bench.results.glob("*.jsonl")
    return [line for line in records.read(str(path)) if line["kind"] == "run"]


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
    kept = {(case.workload, case.mode) for case in cases if case.id not in left_out}
    assert kept == {("mnist_mlp", "plain"), ("imdb_gru", "plain")}
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
        "memory": "out_of_memory", "nan": "failed",
    }  # fmt: skip
    assert "SIGABRT" in found["crash"]["reason"]
    assert "MemoryError" in found["memory"]["error_tail"]
    assert "not finite" in found["nan"]["reason"]
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


TWO_CASES = ("--profile", "smoke", "--budget", "10m", "--workload", "mnist_mlp", "--mode", "plain",
             "--environment", "numpy-a", "--environment", "numpy-b")  # fmt: skip


def test_a_run_says_what_state_the_machine_was_in(bench):
    bench("run", *TWO_CASES)
    (path,) = bench.results.glob("*.jsonl")
    first = records.read(str(path))[0]
    assert first["telemetry"].startswith("processor and memory by psutil 0.0 (a quiet machine); ")
    assert all(run["machine_state"]["samples"] >= 1 for run in runs(bench))
    assert all(run["machine_state"]["cpu"]["others_share"] < void.OTHERS_SHARE for run in runs(bench))


def test_on_a_busy_machine_it_is_said_why_a_round_begins_anew_and_the_bench_ends(bench):
    bench.environment["BUSY_CORES"] = "0.5"
    done = bench("run", *TWO_CASES)
    assert len(runs(bench)) == void.MOST_REPEATS + 2
    found = "other processes used 50 % of the run's cores (at most 10 % is allowed)"
    assert f"round 1  is void and begins anew, for ratios are taken within rounds: {found}; repeat 1" in done.stderr
    assert f"round 1  is kept, though disturbed: {found}; it was repeated 2 times already" in done.stderr


STATE = {
    "samples": 9, "sampler_share": 0.002, "gpu": None,
    "cpu": {"utilisation": 0.9, "others_share": 0.0, "frequency_mean_mhz": None, "frequency_lowest_mhz": None,
            "load_highest": 2.0, "swap_highest_bytes": 0, "swap_growth_bytes": 0, "free_memory_lowest_bytes": 2**33},
}  # fmt: skip
REPLY = {
    "status": "ok", "reason": None, "error_tail": None, "duration_s": 10.0, "import_s": 1.0, "build_s": 0.1,
    "first_step_s": 0.2, "wait_s": 1e-6, "steps_per_block": 20, "warm_up_s": [0.01], "block_s": [0.1, 0.1],
    "block_cpu_s": [0.1, 0.1], "is_steady": True, "steady_from": 0, "drift": 0.001, "was_doubled": False,
    "loss_first": 2.3, "loss_last": 0.1, "peak_host_memory_bytes": 10**9, "peak_device_memory_bytes": None,
    "code": "0" * 16,
}  # fmt: skip
FAILURE = {"status": "failed", "reason": "planted", "error_tail": None, "duration_s": 10.0}


@pytest.fixture
def disturbed(tmp_path, frameworks, monkeypatch, setting):
    """Run two cases for three rounds without a process; `others(case, round, attempt)` plants the others' share."""
    cases = plain("numpy-a", "numpy-b", frameworks=frameworks)
    bench = {
        "kind": "bench", "schema_version": 1, "started": "2026-11-21T01:00:00Z", "profile": "quick", "budget_s": 0,
        "seed": 3, "threads": 1, "cases": [case._asdict() for case in cases], "revision": None, "is_dirty": None,
        "machine": {"name": "test", "cpu": "c", "logical_cpus": 1, "memory_bytes": 1, "system": "s", "gpu": None,
                    "gpu_driver": None},
    }  # fmt: skip
    profile = PROFILES["quick"]._replace(max_rounds=3)

    def make(others, lines=(), name="a.jsonl", **changes):
        path = tmp_path / "test" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        campaign = campaigns.Campaign(str(path), list(lines))
        if not lines:
            campaign.write(bench)

        def measure(case, round_, position, is_first, _):
            share = others(case.environment, round_, len(campaign.voids(round_)) + 1)
            if isinstance(share, BaseException):
                raise share
            state = {**STATE, "cpu": {**STATE["cpu"], "others_share": share}}
            reply = FAILURE if share is None else {**REPLY, "machine_state": state}
            cache = "cold" if is_first else "warm"
            return campaigns.run_record(case, reply, round_, position, campaigns.now(), cache, 1, None)

        monkeypatch.setattr(rounds, "measure", measure)
        rounds.run(campaign, cases, setting(**{"profile": profile, "budget_s": None, **changes}), lambda *_: None)
        assert records.read(str(path)) == campaign.lines
        return campaign

    make.folder = tmp_path / "test"
    return make


def standing(campaign):
    return sorted((run["round"], run["case"]["environment"]) for run in campaign.runs())


BOTH = ("numpy-a", "numpy-b")
ALL = [(round_, name) for round_ in (1, 2, 3) for name in BOTH]


def told(campaign):
    return [(line["round"], line["attempt"], line["kept"]) for line in campaign.lines if line["kind"] == "void"]


def second_round_once(environment, round_, attempt):
    return 0.4 if (environment, round_, attempt) == ("numpy-b", 2, 1) else 0.0


def test_a_round_that_was_disturbed_is_repeated_and_its_times_do_not_count(disturbed):
    campaign = disturbed(second_round_once)
    (line,) = campaign.voids(2)
    assert (line["attempt"], line["rule"], line["kept"]) == (1, "other_processes", None)
    assert line["case"]["environment"] == "numpy-b"
    assert standing(campaign) == ALL
    assert all(run["machine_state"]["cpu"]["others_share"] == 0.0 for run in campaign.runs())
    assert len([each for each in campaign.lines if each["kind"] == "run"]) > len(ALL)
    assert campaign.lines[-1]["rounds"] == 3


def test_a_quiet_campaign_has_no_void_round(disturbed):
    campaign = disturbed(lambda *_: 0.0)
    assert [line["kind"] for line in campaign.lines] == ["bench", *["run"] * 6, "end"]


def test_the_time_of_void_runs_is_spent_all_the_same(disturbed):
    campaign = disturbed(second_round_once)
    assert campaign.spent_s() == 10.0 * len([line for line in campaign.lines if line["kind"] == "run"])


def test_a_machine_that_is_always_busy_ends_with_each_round_kept_and_labelled(disturbed):
    campaign = disturbed(lambda *_: 0.4)
    assert standing(campaign) == ALL
    for round_ in (1, 2, 3):
        kept = [line["kept"] for line in campaign.voids(round_)]
        assert kept == [None] * void.MOST_REPEATS + ["it was repeated 2 times already"]


def test_a_repeat_never_takes_the_budget_of_the_fewest_rounds(disturbed):
    campaign = disturbed(second_round_once, budget_s=65.0)  # 60 s for three rounds
    assert standing(campaign) == ALL
    assert [line["kept"] for line in campaign.voids(2)] == ["the budget does not hold it once more"]


def test_what_failed_in_a_void_round_keeps_its_reason_and_is_not_tried_again(disturbed):
    campaign = disturbed(lambda name, _, attempt: None if name == "numpy-a" else 0.4 if attempt == 1 else 0.0)
    failures = [run for run in campaign.runs() if run["status"] == "failed"]
    assert [(run["case"]["environment"], run["round"]) for run in failures] == [("numpy-a", 1)]
    assert standing(campaign) == [(1, "numpy-a"), *[(round_, "numpy-b") for round_ in (1, 2, 3)]]


def test_a_repeated_first_round_has_cold_caches_again(disturbed):
    campaign = disturbed(lambda _, round_, attempt: 0.4 if round_ == attempt == 1 else 0.0)
    assert [run["cache"] for run in campaign.runs()] == ["cold"] * 2 + ["warm"] * 4


def test_a_bench_killed_after_any_line_goes_on_to_the_same_rounds(disturbed):
    def others(environment, round_, attempt):
        return 0.4 if round_ == 3 or (environment, round_, attempt) == ("numpy-b", 2, 1) else 0.0

    whole = disturbed(others)
    assert len(told(whole)) == 4
    for length in range(1, len(whole.lines)):
        again = disturbed(others, whole.lines[:length], f"{length}.jsonl")
        assert standing(again) == ALL
        assert told(again) == told(whole)
        assert len(again.lines) == len(whole.lines)


def test_an_interrupt_in_a_repeated_round_loses_nothing(disturbed):
    def interrupted(environment, round_, attempt):
        is_second = (round_, attempt) == (2, 2) and len(seen) == 1
        seen.extend([environment] * ((round_, attempt) == (2, 2)))
        return KeyboardInterrupt() if is_second else second_round_once(environment, round_, attempt)

    seen = []
    with pytest.raises(KeyboardInterrupt):
        disturbed(interrupted)
    (path,) = disturbed.folder.glob("*.jsonl")
    before = records.read(str(path))
    assert before[-2]["kind"] == "void"
    campaign = disturbed(second_round_once, before, "b.jsonl")
    assert campaign.lines[: len(before)] == before
    assert standing(campaign) == ALL


def test_the_plain_table_counts_void_rounds_and_leaves_their_times_out(disturbed):
    text = report.table(disturbed(second_round_once).lines)
    assert text.endswith("void rounds: 1 repeated (other processes)")
    assert [line.split()[-1] for line in text.splitlines() if " numpy-" in line] == ["3", "3"]
