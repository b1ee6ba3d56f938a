"""Estimates of a question: a planted difference is found, none is invented, ties and holes stay what they are."""

import campaign
import numpy as np
import pytest

from analysis import units
from analysis.estimate.estimates import estimate_all, in_default_mode
from analysis.estimate.pairs import Pair, beaten_by, compare
from analysis.load.table import read_results
from analysis.stats.interval import Interval
from analysis.text import sentences


def estimates(folder, times, names=("red", "blue"), rounds=10):
    cases = [campaign.case(name) for name in names]
    return estimate_all(read_results(campaign.write(folder, campaign.lines(cases, times, rounds=rounds))))[0]


def only_cell(folder, lines):
    """Return the one cell of a campaign."""
    ((found,),) = (each.cells for each in estimate_all(read_results(campaign.write(folder, lines))))
    return found


def cell(found, name):
    return next(each for each in found.cells if each.row[0] == name)


def test_a_planted_ten_percent_is_found_and_covered_and_drift_shared_by_a_round_does_not_widen_the_ratio(tmp_path):
    found = estimates(tmp_path, campaign.noisy({"red": 0.010, "blue": 0.011}))
    (pair,) = found.pairs
    assert (pair.claim, pair.faster) == ("faster", ("red", "eager"))
    assert pair.ratio.low < 1.1 < pair.ratio.high
    assert pair.ratio.half_width < cell(found, "red").time.half_width / 2


def test_the_order_of_rounds_matters_because_they_are_paired(tmp_path):
    drifting = lambda about, number: 2.0**number * {"red": 1.0, "blue": 1.2}[about["environment"]]  # noqa: E731
    assert estimates(tmp_path, drifting, rounds=4).pairs[0].claim == "faster"


def test_two_identical_environments_are_never_claimed_to_differ():
    random = np.random.default_rng(1)
    for _ in range(300):
        times = {(name, ""): dict(enumerate(np.exp(random.normal(0, 0.01, 5)))) for name in ("red", "blue", "green")}
        assert all(pair.claim != "faster" for pair in compare(times))


def test_below_three_rounds_nothing_is_claimed(tmp_path):
    found = estimates(tmp_path, campaign.noisy({"red": 0.01, "blue": 0.10}), rounds=1)
    assert found.pairs[0].claim == "unresolved"
    assert cell(found, "red").time.reason == "1 round: no interval"


def test_those_that_cannot_be_told_apart_share_a_rank(tmp_path):
    truth = {"red": 0.010, "blue": 0.010, "green": 0.013}
    found = estimates(tmp_path, campaign.noisy(truth), names=tuple(truth))
    assert {each.row[0]: each.rank for each in found.cells} == {"red": 1, "blue": 1, "green": 3}
    assert found.is_tied(cell(found, "red"))
    assert not found.is_tied(cell(found, "green"))


def test_faster_than_one_that_is_faster_is_faster():
    pairs = compare(
        {(name, ""): dict.fromkeys((1, 2, 3), time_s) for name, time_s in zip("abc", (1.0, 2.0, 4.0), strict=True)}
    )
    only_neighbours = [pair for pair in pairs if (pair.a[0], pair.b[0]) != ("a", "c")]
    assert beaten_by(only_neighbours)["c", ""] == {("a", ""), ("b", "")}


def test_more_competitors_make_a_claim_harder():
    random = np.random.default_rng(3)
    truth = [0.01] * 9 + [0.0102]
    times = {(str(i), ""): dict(enumerate(truth[i] * random.normal(1, 0.004, 6))) for i in range(10)}
    alone = compare({row: times[row] for row in (("0", ""), ("9", ""))})[0]
    assert next(pair for pair in compare(times) if {pair.a, pair.b} == {("0", ""), ("9", "")}).p > alone.p


def test_default_modes_are_compared_as_if_no_others_had_been_measured(tmp_path):
    truth = {"red": 0.010, "blue": 0.0103, "green": 0.0101}
    noise = campaign.noisy(truth)
    cases = [campaign.case(name, mode=mode) for name in truth for mode in ("eager", "compiled")]
    results = read_results(campaign.write(tmp_path, campaign.lines(cases, noise, rounds=6)))
    default = results._replace(runs=results.runs[results.runs["is_default"] == True])  # noqa: E712
    (among_all,), (alone,) = estimate_all(results), estimate_all(default)
    assert repr(in_default_mode(among_all)) == repr(alone)
    assert [cell.row[1] for cell in alone.cells] == ["eager"] * 3
    among_six = {(pair.a, pair.b): pair.p for pair in among_all.pairs}
    assert any(pair.p < among_six[pair.a, pair.b] for pair in alone.pairs)


def test_an_unmeasured_case_stays_missing_with_its_reason(tmp_path):
    found = estimates(tmp_path, lambda about, _: 0.01 if about["environment"] == "red" else "out_of_memory")
    blue = cell(found, "blue")
    assert (blue.time, blue.rank, blue.median_s, blue.reason) == (None, None, None, "out of memory: it was planted")
    assert found.cells[-1] == blue


def test_a_round_that_failed_does_not_count_for_the_pair(tmp_path):
    noisy = campaign.noisy({"red": 0.010, "blue": 0.011})
    lost = lambda about, n: "failed" if (about["environment"], n) == ("blue", 4) else noisy(about, n)  # noqa: E731
    found = estimates(tmp_path, lost)
    assert (found.pairs[0].ratio.rounds, cell(found, "blue").lost_rounds) == (9, 1)


def test_one_that_shares_no_round_with_the_others_has_a_time_and_no_rank(tmp_path):
    for name, names in (("2026-11-20 0900", ("red", "blue")), ("2026-11-21 0900", ("green",))):
        cases = [campaign.case(each) for each in names]
        campaign.write(tmp_path, campaign.lines(cases, campaign.always(0.01), campaign=name))
    (found,) = estimate_all(read_results(tmp_path))
    assert {each.row[0]: each.rank for each in found.cells} == {"red": 1, "blue": 1, "green": None}
    assert cell(found, "green").time.value == pytest.approx(0.01, rel=0.01)
    assert cell(found, "green").to_fastest is None
    assert sentences.rank(found, cell(found, "green")) == units.NONE


def test_other_batch_sizes_and_tiers_are_other_questions(tmp_path):
    cases = [campaign.case("red"), campaign.case("blue", batch_size=64), campaign.case("green", tier="tuned")]
    results = read_results(campaign.write(tmp_path, campaign.lines(cases, campaign.always(0.01))))
    assert [len(each.cells) for each in estimate_all(results)] == [1, 1, 1]


def test_first_steps_are_kept_apart_by_cache(tmp_path):
    red = cell(estimates(tmp_path, lambda _, number: 0.01 * number, rounds=3), "red")
    assert (red.first_step_cold_s, red.first_step_warm_s) == (pytest.approx(0.08), pytest.approx(0.20))


def test_runs_without_a_steady_state_are_counted(tmp_path):
    lines = campaign.lines([campaign.case("red")], campaign.always(0.01))
    lines[3]["is_steady"] = False
    assert only_cell(tmp_path, lines).unsteady == 1


def test_nothing_measured_gives_no_estimates(tmp_path):
    assert estimate_all(read_results(tmp_path)) == []


def pair(a, b, claim="faster"):
    return Pair((a, ""), (b, ""), Interval(1.05, 1.02, 1.08, 10), 0.001, 0.001, claim)


def test_ties_need_not_be_transitive_and_the_middle_one_ties_with_the_first():
    pairs = [pair("a", "b", "unresolved"), pair("b", "c", "unresolved"), pair("a", "c")]
    assert beaten_by(pairs) == {("a", ""): set(), ("b", ""): set(), ("c", ""): {("a", "")}}


def test_claims_that_run_in_a_circle_rank_nobody():
    assert set(map(len, beaten_by([pair("a", "b"), pair("b", "c"), pair("c", "a")]).values())) == {0}


def test_among_equals_a_false_claim_is_rare():
    random = np.random.default_rng(21)
    claims = 0
    for _ in range(400):
        drift = random.normal(0, 0.03, 10)
        times = {(str(i), ""): dict(enumerate(np.exp(drift + random.normal(0, 0.01, 10)))) for i in range(6)}
        claims += any(each.claim == "faster" for each in compare(times))
    assert claims <= 2  # of 400 families of 15 pairs; the margin of 1 % keeps them below what 99 % would allow


def test_a_rank_never_contradicts_a_claim_whatever_rounds_are_lost():
    random = np.random.default_rng(22)
    for _ in range(200):
        logs = np.log(1 + 0.03 * random.random(6))[:, None] + random.normal(0, 0.008, (6, 8))
        kept = random.random((6, 8)) < 0.7
        times = {(str(i), ""): {r: float(np.exp(logs[i, r])) for r in range(8) if kept[i, r]} for i in range(6)}
        pairs = compare(times)
        ahead = beaten_by(pairs)
        ranks = {row: len(others) for row, others in ahead.items()}
        assert min(ranks.values()) == 0
        for each in pairs:
            if each.faster is not None:
                slower = each.b if each.faster == each.a else each.a
                assert ranks[each.faster] < ranks[slower]


def test_the_spread_is_over_the_blocks_of_all_runs_once_they_are_steady(tmp_path):
    lines = campaign.lines([campaign.case("red")], campaign.always(0.01), rounds=3)
    for line, blocks in zip(lines[2:5], ([9.0, 1.0, 1.0], [1.0, 1.0, 5.0], [1.0, 1.0, 1.1]), strict=True):
        line.update(block_s=blocks, block_cpu_s=blocks, duration_s=60.0)
    lines[2].update(is_steady=True, steady_from=1)
    found = only_cell(tmp_path, lines)
    assert (found.spread.blocks, found.spread.p50) == (8, pytest.approx(0.1))
    assert 0.1 < found.spread.p99 < 0.5
    assert found.time.value == pytest.approx(0.1)


@pytest.mark.parametrize(("late", "trend", "unsteady"), [(1.2, 0.2, 4), (0.9, -0.1, 4), (1.01, None, 0)])
def test_in_turns_a_trend_that_all_rounds_share_is_no_steady_state(tmp_path, late, trend, unsteady):
    made = campaign.in_turns(campaign.lines([campaign.case("red")], campaign.always(0.01), rounds=4))
    lines = [{**line, "is_steady": False, "block_s": [*line["block_s"][:3], *(late * s for s in line["block_s"][3:])]}
             if line["kind"] == "run" else line for line in made]  # fmt: skip
    found = only_cell(tmp_path, lines)
    assert found.trend == (trend and pytest.approx(trend, abs=0.01))
    assert (found.unsteady, found.untested) == (unsteady, 0)


def test_in_turns_one_block_that_something_else_disturbed_is_no_trend(tmp_path):
    made = campaign.in_turns(campaign.lines([campaign.case("red")], campaign.always(0.01), rounds=4))
    lines = campaign.changed(made, "run", is_steady=False)
    lines[3]["block_s"] = [*lines[3]["block_s"][:-1], 9.0]
    assert only_cell(tmp_path, lines).unsteady == 0


def test_runs_too_short_to_tell_and_doubled_ones_are_counted(tmp_path):
    lines = campaign.lines([campaign.case("red")], campaign.always(0.01), rounds=3)
    lines[2]["is_steady"] = lines[3]["is_steady"] = None
    lines[4]["was_doubled"] = True
    found = only_cell(tmp_path, lines)
    assert (found.unsteady, found.untested, found.doubled) == (0, 2, 1)
