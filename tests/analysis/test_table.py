"""Reading results: what is chosen, what a row holds, and that a hole stays one."""

import campaign
import pandas as pd
import pytest

from analysis.load.table import read_results
from bench.cases import Case
from bench.errors import RecordError

CASES = [campaign.case("red"), campaign.case("blue")]


steady = campaign.always(0.01)


def made(day, cases=CASES, times=steady, **about):
    """Return a campaign of a day of November."""
    return campaign.lines(cases, times, campaign=f"2026-11-{day} 0900", **about)


def read(folder, *campaigns):
    """Return the table of runs of some campaigns."""
    for each in campaigns:
        campaign.write(folder, each)
    return read_results(folder).runs


def days(folder, *campaigns):
    """Return of which days' campaigns the runs are."""
    return set(read(folder, *campaigns)["day"].str[-2:])


def test_a_row_holds_the_median_time_per_step(tmp_path):
    lines = campaign.lines(CASES[:1], steady, rounds=1)
    lines[-2]["block_s"] = [1.0, 2.0, 9.0]
    assert read(tmp_path, lines)["step_s"].tolist() == [0.2]


def test_finished_campaigns_of_a_machine_are_shown_and_interrupted_ones_are_not(tmp_path):
    assert days(tmp_path, made(18), made(19), made(20)[:-1]) == {"18", "19"}


@pytest.mark.parametrize(
    "changed",
    [{"code": "1" * 16}, {"proof": "2" * 16}, {"block_order": [0] * campaign.BLOCKS}, {"loaded": {"red": "2.0.0"}}],
)
def test_other_code_proofs_ways_to_measure_and_versions_take_the_place_of_what_was_before(tmp_path, changed):
    other = campaign.changed(made(19, CASES[:1]), "environment" if "loaded" in changed else "run", **changed)
    assert days(tmp_path, made(18, CASES[:1]), other) == {"19"}


def test_rounds_of_two_campaigns_have_numbers_of_their_own_and_their_groups_too(tmp_path):
    both = made(18, rounds=2), made(19, rounds=2)
    for line in (*both[0], *both[1]):
        line.update({"group": 1} if line.get("case") == CASES[1] else {})
    runs = read(tmp_path, *both)
    own = runs[runs["environment"] == "red"], runs[runs["environment"] == "blue"]
    assert [each["round"].tolist() for each in own] == [[1, 3, 5, 7], [2, 4, 6, 8]]
    assert [each["own_round"].tolist() for each in own] == [[1, 2, 1, 2]] * 2


def test_another_number_of_threads_is_another_question(tmp_path):
    one = made(19)
    one[0]["threads"] = 1
    runs = read(tmp_path, made(18), one)
    assert runs.groupby("threads")["question"].nunique().to_dict() == {1: 1, 4: 1}
    assert runs["question"].nunique() == 2


def test_a_void_of_one_question_leaves_the_same_round_of_others(tmp_path):
    cases = [CASES[0], campaign.case("red", workload="linear")]
    lines = campaign.lines(cases, steady, rounds=2)
    lines[-1:] = [campaign.void(cases[0], 2, question=Case(**cases[0]).question), lines[-1]]
    runs = read(tmp_path, lines)
    assert runs[runs["step_s"].notna()].groupby("workload").size().to_dict() == {"linear": 2, "mnist_mlp": 1}


def test_a_smoke_campaign_does_not_hide_a_real_one(tmp_path):
    assert days(tmp_path, made(18), made(19, profile="smoke")) == {"18"}


def test_without_a_finished_campaign_the_newest_is_shown(tmp_path):
    assert days(tmp_path, made(18, profile="smoke"), made(19)[:-1]) == {"19"}


def test_each_machine_shows_its_own_campaign(tmp_path):
    for machine in ("laptop", "cluster"):
        campaign.write(tmp_path, campaign.lines(CASES, steady, machine=machine))
    assert read_results(tmp_path).machines == ["cluster", "laptop"]


def test_a_campaign_can_be_asked_for_by_name_and_an_unknown_one_is_refused_with_the_known_ones(tmp_path):
    assert days(tmp_path, made(18), made(19)) == {"18", "19"}
    assert set(read_results(tmp_path, "2026-11-18 0900").runs["campaign"]) == {"2026-11-18 0900"}
    with pytest.raises(RecordError, match="2026-11-18 0900, 2026-11-19 0900"):
        read_results(tmp_path, "2020-01-01 0000")


def test_a_task_has_a_default_mode_of_its_own_where_the_environment_names_one(tmp_path):
    cases = [make("red", mode) for make in (campaign.case, campaign.over_data) for mode in ("eager", "compiled")]
    lines = campaign.lines(cases, steady, rounds=1)
    named = campaign.documenting(lines, epochs="compiled")
    for own, expected in ((lines, "eager"), (named, "compiled")):
        runs = read(tmp_path, own)
        default = runs[runs["is_default"].astype(bool)]
        assert dict(zip(default["task"], default["mode"], strict=True)) == {"train": "eager", "epochs": expected}


def test_a_repeated_run_replaces_the_interrupted_one(tmp_path):
    lines = campaign.lines(CASES[:1], steady, rounds=1)
    lines.insert(-1, campaign.run(CASES[0], 1, 0.5))
    assert read(tmp_path, lines)["step_s"].round(1).tolist() == [0.5]


def test_the_times_of_a_void_round_do_not_count_and_those_of_its_repeat_do(tmp_path):
    lines = campaign.lines(CASES, steady, rounds=2)
    lines[-1:] = [campaign.void(CASES[0], 2), *(campaign.run(case, 2, 0.5) for case in CASES), lines[-1]]
    results = read_results(campaign.write(tmp_path, lines))
    times = results.runs.set_index("round")["step_s"].round(1)
    assert (times[2].tolist(), times[1].tolist()) == ([0.5] * 2, [0.0] * 2)
    assert len(results.campaigns["test-machine"].voids) == 1


def test_a_disturbed_round_that_was_kept_counts(tmp_path):
    lines = campaign.lines(CASES, steady, rounds=2)
    lines.insert(-1, campaign.void(CASES[0], 2, kept="it was repeated 2 times already"))
    assert read(tmp_path, lines)["step_s"].notna().sum() == 4


def test_a_round_that_is_void_at_the_end_is_missing(tmp_path):
    lines = campaign.lines(CASES, steady, rounds=1)
    lines.insert(-1, campaign.void(CASES[0], 1))
    assert set(read(tmp_path, lines)["status"]) == {"not_run"}


def test_a_failed_run_keeps_its_row_and_its_reason(tmp_path):
    row = read(tmp_path, campaign.lines(CASES[:1], campaign.always("timeout"), rounds=1)).iloc[0]
    assert (row["status"], row["reason"], pd.isna(row["step_s"])) == ("timeout", "it was planted", True)


def test_a_case_that_was_asked_for_and_never_run_keeps_a_row(tmp_path):
    lines = campaign.lines(CASES, steady)
    runs = read(tmp_path, [line for line in lines if line["kind"] != "run" or line["case"]["environment"] == "red"])
    hole = runs[runs["environment"] == "blue"].iloc[0]
    assert (hole["status"], hole["reason"]) == ("not_run", "the campaign ended (the budget was spent) before its turn")


def test_no_results_give_an_empty_table_with_all_columns(tmp_path):
    results = read_results(tmp_path)
    assert (len(results.runs), "step_s" in results.runs.columns, results.machines) == (0, True, [])


def test_a_line_that_breaks_the_schema_is_refused_by_name(tmp_path):
    lines = campaign.lines(CASES, steady)
    lines[3]["status"] = "fine"
    with pytest.raises(RecordError, match="status"):
        read(tmp_path, lines)


def test_whether_a_mode_compiles_comes_from_the_environments_record(tmp_path):
    both = [campaign.case("red", "eager"), campaign.case("red", "compiled")]
    runs = read(tmp_path, campaign.lines(both, steady, rounds=1))
    assert runs.set_index("mode")["compiles"].to_dict() == {"eager": False, "compiled": True}


def test_what_the_newest_campaign_left_out_keeps_its_newest_time(tmp_path):
    older = [campaign.remade(made(day, times=campaign.always(step_s)), f"{day:016}")
             for day, step_s in ((17, 0.03), (18, 0.01))]  # fmt: skip
    runs = read(tmp_path, *older, campaign.remade(made(19, CASES[:1])))
    assert runs.groupby("environment")["day"].unique().map(list).to_dict() == {
        "blue": ["2026-11-18"], "red": ["2026-11-19"]}  # fmt: skip


@pytest.mark.parametrize("status", ["over_budget", "absent", "failed"])
def test_what_the_newest_campaign_asked_in_vain_keeps_its_time_and_a_failure_is_noted(tmp_path, status):
    runs = read(tmp_path, made(18), made(19, times=campaign.always(status)))
    assert (len(runs), runs["step_s"].notna().all()) == (10, True)
    assert set(runs["note"]) == {"last tried on 2026-11-19: failed: it was planted" if status == "failed" else None}


def test_where_there_is_no_time_at_all_the_newest_that_tried_gives_the_reason(tmp_path):
    lost = [made(day, CASES[:1], campaign.always(status))
            for day, status in ((17, "failed"), (18, "timeout"), (19, "over_budget"))]  # fmt: skip
    assert set(read(tmp_path, *lost)["status"]) == {"timeout"}
