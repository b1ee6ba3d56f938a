"""Rounds add up: those of campaigns that measured the same are rounds of one comparison, and nothing hides a time."""

import campaign
import pytest

from analysis.estimate.estimates import estimate_all
from analysis.load.table import read_results

CASES = [campaign.case(name) for name in ("red", "blue")]
TRUTH = {"red": 0.010, "blue": 0.0104, "green": 0.012, "gold": 0.013}
OLD, NEW = "2026-11-18 0900", "2026-11-19 0900"


def read(folder, *campaigns):
    for each in campaigns:
        campaign.write(folder, each)
    return estimate_all(read_results(folder))


def lines(name, cases=CASES, rounds=5, seed=0, **about):
    return campaign.lines(cases, campaign.noisy(TRUTH, seed=seed), rounds=rounds, campaign=name, **about)


def test_rounds_of_two_campaigns_of_the_same_code_add_up_and_narrow_the_interval(tmp_path):
    for make in (list, campaign.in_turns):
        old, new = make(lines(OLD)), make(lines(NEW, rounds=4, seed=1))
        ((alone,),) = (each.pairs for each in read(tmp_path / f"{make}one", old))
        (answer,) = read(tmp_path / f"{make}both", old, new)
        assert (alone.ratio.rounds, answer.pairs[0].ratio.rounds) == (5, 9)
        assert answer.pairs[0].ratio.half_width < alone.ratio.half_width
        assert [cell.days for cell in answer.cells] == [["2026-11-18", "2026-11-19"]] * 2


def test_what_campaigns_differ_by_widens_the_interval_that_more_rounds_narrow(tmp_path):
    shifted = lambda about, number: campaign.noisy(TRUTH, seed=number)(about, number) * (  # noqa: E731
        1.2 if about["environment"] == "blue" else 1.0)  # fmt: skip
    (answer,) = read(tmp_path, lines(OLD), campaign.lines(CASES, shifted, rounds=5, campaign=NEW))
    (pair,) = answer.pairs
    assert answer.shared.pairs.apart("mnist_mlp", in_turns=False).variance > 0.05**2
    assert pair.claim == "unresolved"
    assert pair.ratio.low < 1.04
    assert pair.ratio.high > 1.2 * 1.04


def test_a_host_that_is_slower_on_some_days_widens_the_intervals_of_times_and_leaves_ratios_alone(tmp_path):
    def of_days(*slower):
        return [campaign.in_turns(campaign.lines(
            CASES, lambda about, number, day=day, own=own: campaign.noisy(TRUTH, seed=day)(about, number) * own,
            campaign=f"2026-11-{10 + day} 0900",
        )) for day, own in enumerate(slower)]  # fmt: skip

    (calm,), (drifting,) = (read(tmp_path / str(len(set(days))), *of_days(*days))
                            for days in ([1.0] * 5, [1.0, 1.1, 0.95, 1.2, 1.05]))  # fmt: skip
    widths = [[cell.time.half_width for cell in answer.cells] for answer in (calm, drifting)]
    assert all(after > 3 * before for before, after in zip(*widths, strict=True))
    assert drifting.pairs[0].ratio == pytest.approx(calm.pairs[0].ratio)
    assert all(cell.time.low < 0.95 * TRUTH[cell.row[0]] < cell.time.value for cell in drifting.cells)


def test_new_code_starts_afresh_and_drops_no_competitor_that_was_not_measured_again(tmp_path):
    cases = [*CASES, campaign.case("green")]
    (answer,) = read(tmp_path, lines(OLD, cases), campaign.remade(lines(NEW, CASES, rounds=4)))
    assert {cell.row[0]: (cell.rounds, cell.days) for cell in answer.cells} == {
        "red": (4, ["2026-11-19"]), "blue": (4, ["2026-11-19"]), "green": (5, ["2026-11-18"])}  # fmt: skip
    assert [{pair.a[0], pair.b[0]} for pair in answer.pairs] == [{"red", "blue"}]  # green shares no round with them
    assert {cell.row[0]: cell.rank for cell in answer.cells} == {"red": 1, "blue": 1, "green": None}


def test_one_that_was_measured_again_alone_keeps_the_rounds_that_its_code_shares_with_others(tmp_path):
    (answer,) = read(tmp_path, lines(OLD), lines(NEW, CASES[:1]))
    assert {cell.row[0]: cell.rounds for cell in answer.cells} == {"red": 10, "blue": 5}
    assert answer.pairs[0].ratio.rounds == 5


def test_members_of_two_groups_of_a_round_are_not_compared_in_it(tmp_path):
    made = campaign.in_turns(lines(OLD, [*CASES, campaign.case("green")], rounds=6))
    for line in made:
        if line["kind"] == "run" and line["case"]["environment"] == "green":
            line["group"] = line["round"] % 2  # with the others in every second round
    (answer,) = read(tmp_path, made)
    rounds = {frozenset((pair.a[0], pair.b[0])): pair.ratio.rounds for pair in answer.pairs}
    assert rounds == {frozenset(("red", "blue")): 6, frozenset(("red", "green")): 3, frozenset(("blue", "green")): 3}


def test_a_quick_campaign_that_measures_two_workloads_takes_no_published_answer_off(tmp_path):
    names = ("mnist_mlp", "linear", "bn_mlp", "imdb_gru")
    cases = [dict(case, workload=name, optimizer="adam") for name in names for case in CASES]
    before = {each.question: each for each in read(tmp_path, lines(OLD, cases, profile="full"))}
    noisy = campaign.noisy(TRUTH, seed=3)
    few = lambda about, number: noisy(about, number) if about["workload"] in names[:2] else "over_budget"  # noqa: E731
    after = {each.question: each for each in read(tmp_path, campaign.lines(cases, few, rounds=3, campaign=NEW))}
    assert set(after) == set(before)
    for question, answer in after.items():
        rounds = 8 if question.workload in names[:2] else 5
        assert [cell.rounds for cell in answer.cells] == [rounds] * 2
        assert answer.pairs[0].ratio.rounds == rounds
        assert all(cell.reason is None and cell.note is None for cell in answer.cells)


def test_a_failure_with_the_new_code_stands_beside_the_older_time(tmp_path):
    failing = campaign.lines(CASES, lambda about, _: "failed" if about["environment"] == "blue" else 0.01, campaign=NEW)
    (answer,) = read(tmp_path, lines(OLD), failing)
    blue = next(cell for cell in answer.cells if cell.row[0] == "blue")
    assert (blue.rounds, blue.lost_rounds, blue.status) == (5, 0, "ok")
    assert blue.note == "last tried on 2026-11-19: failed: it was planted"


def test_answers_with_other_numbers_of_threads_share_no_table(tmp_path):
    made = lines(NEW)
    made[0]["threads"] = 1
    found = read(tmp_path, lines(OLD), made)
    assert sorted((each.question.threads, len(each.pairs)) for each in found) == [(1, 1), (4, 1)]


def test_all_are_told_as_multiples_of_the_fastest_of_those_that_share_rounds_with_most(tmp_path):
    truth = {"red": 0.010, "blue": 0.0104, "green": 0.012, "gold": 0.005}
    cases = [campaign.case(name) for name in truth]
    old = campaign.lines(cases[-1:], campaign.noisy(truth), campaign=OLD)
    (answer,) = read(tmp_path, old, campaign.lines(cases[:-1], campaign.noisy(truth), campaign=NEW))
    assert {cell.row[0]: (cell.is_fastest, cell.to_fastest is None) for cell in answer.cells} == {
        "gold": (False, True), "red": (True, True), "blue": (False, False), "green": (False, False)}  # fmt: skip
