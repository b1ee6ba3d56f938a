"""Sets that share no rounds: their ratios are honest, what cannot be compared says why, and the page claims no more."""

import json

import campaign
import numpy as np
import pytest
from scipy import stats
from shown import PAYLOAD, alive, changed, found, text_of

from analysis.compare import unpaired
from analysis.data import columnar, schema
from analysis.estimate import contrasts
from analysis.site.pages import compare
from analysis.stats import interval
from analysis.text.frameworks import by_framework

OLD, NEW = "2026-11-18 0900", "2026-11-20 0900"
TRUTH = {"red": 0.010, "blue": 0.013}
CASES = [campaign.case(name) for name in TRUTH]


def lines(name=NEW, factor=1.0, cases=CASES, seed=1, rounds=5, noise=0.01, **about):
    times = campaign.noisy({key: factor * value for key, value in TRUTH.items()}, noise, seed)
    return campaign.lines(cases, times, rounds=rounds, seed=seed, campaign=name, **about)


def loading(version, own):
    """Return a campaign in which every environment loaded another version of itself."""
    return [dict(each, loaded={each["environment"]: version}, title=f"{each['environment'].title()} {version}")
            if each["kind"] == "environment" else each for each in own]  # fmt: skip


def test_the_interval_is_that_of_welch_s_test():
    times, others = [1.0, 1.2, 1.1, 1.15], [0.8, 0.81, 0.79]
    ratio, *error = contrasts.of_two_campaigns(times, others, [])
    low, high = stats.ttest_ind(np.log(times), np.log(others), equal_var=False).confidence_interval(interval.CONFIDENCE)
    assert (ratio.low, ratio.high) == pytest.approx((np.exp(low), np.exp(high)))
    shifted = stats.ttest_ind(np.log(times) - np.log(interval.FASTER), np.log(others), equal_var=False)
    assert contrasts.p_value(contrasts.Ratio(ratio, *error)) == pytest.approx(shifted.pvalue)


@pytest.mark.parametrize(("rounds", "noise"), [((5, 5), (0.02, 0.02)), ((3, 40), (0.1, 0.005)), ((4, 10), (0.01, 0.1))])
def test_one_interval_in_a_hundred_misses_the_truth_however_unequal_the_noise(rounds, noise):
    random = np.random.default_rng(3)
    missed = 0
    for _ in range(500):
        one, other = (np.exp(random.normal(0, sd, count)).tolist() for count, sd in zip(rounds, noise, strict=True))
        ratio = contrasts.of_two_campaigns(one, other, []).interval
        missed += not ratio.low < 1 < ratio.high
    assert missed <= 14  # of 500 at one in a hundred: more comes by chance in one case of a thousand


def test_without_noise_the_ratio_is_its_own_interval():
    found = contrasts.of_two_campaigns([2.0] * 3, [1.0] * 3, [])
    assert (found.interval.low, found.interval.value, found.interval.high) == pytest.approx((2.0, 2.0, 2.0))
    assert contrasts.p_value(found) == 0.0


def test_a_slower_machine_is_told_by_how_much(tmp_path):
    made = found(tmp_path, lines(machine="quick"), lines(machine="slow", factor=1.5, seed=2))
    (comparison,) = made.compared.of(unpaired.MACHINES)
    for row in comparison.rows:
        ratio = row.ratio if comparison.second.machine == "slow" else row.ratio.inverse()
        assert ratio.low < 1.5 < ratio.high
        assert compare.verdict(row) == ("longer" if comparison.second.machine == "slow" else "shorter")


def test_the_newer_of_two_campaigns_is_the_second(tmp_path):
    (comparison,) = found(tmp_path, lines(NEW, 1.3, seed=2), lines(OLD)).compared.of(unpaired.CAMPAIGNS)
    assert [each.days for each in (comparison.first, comparison.second)] == [["2026-11-18"], ["2026-11-20"]]
    assert {compare.verdict(row) for row in comparison.rows} == {"longer"}


def test_campaigns_of_two_machines_are_no_pair_of_campaigns(tmp_path):
    assert found(tmp_path, lines(machine="one"), lines(OLD, machine="two")).compared.of(unpaired.CAMPAIGNS) == []


def test_too_few_rounds_give_a_ratio_without_a_verdict(tmp_path):
    (comparison,) = found(tmp_path, lines(), lines(OLD, rounds=2)).compared.of(unpaired.CAMPAIGNS)
    assert {(row.ratio.low, compare.verdict(row)) for row in comparison.rows} == {(None, "too few rounds")}


def test_what_these_rounds_cannot_tell_is_not_told_apart(tmp_path):
    (comparison,) = found(tmp_path, lines(noise=0.05), lines(OLD, noise=0.05, seed=2)).compared.of(unpaired.CAMPAIGNS)
    assert {compare.verdict(row) for row in comparison.rows} == {"not significant"}


def test_a_case_without_a_time_in_one_set_keeps_its_reason(tmp_path):
    times = lambda about, _: "out_of_memory" if about["environment"] == "red" else 0.013  # noqa: E731
    made = found(tmp_path, lines(), campaign.lines(CASES, times, campaign=OLD))
    (comparison,) = made.compared.of(unpaired.CAMPAIGNS)
    (gap,) = (row for row in comparison.rows if row.ratio is None)
    assert gap.differs == [f"no time in campaign {OLD}: out of memory: it was planted"]
    assert "out of memory: it was planted" in compare.data(made)["data/compare.json"]


def test_what_neither_has_a_time_for_is_no_row(tmp_path):
    failing = campaign.lines(CASES, campaign.always("failed"), campaign=OLD)
    assert found(tmp_path, failing, campaign.lines(CASES, campaign.always("failed"))).compared.comparisons == []


def test_versions_of_one_campaign_keep_the_claim_of_their_question_s_own_table(tmp_path):
    names = next([row.name for row in own][:2] for own in by_framework().values() if len(own) > 1)
    times = campaign.noisy(dict(zip(names, (0.010, 0.013), strict=True)))
    made = found(tmp_path, campaign.lines([campaign.case(name) for name in names], times))
    (comparison,) = made.compared.of(unpaired.VERSIONS)
    ((row,), (pair,)) = comparison.rows, made.answers[0].pairs
    assert row.is_paired
    assert (row.claim, row.ratio.rounds) == (pair.claim, pair.ratio.rounds)
    assert row.ratio.value in (pytest.approx(pair.ratio.value), pytest.approx(1 / pair.ratio.value))
    assert "within rounds of one campaign" in compare.data(made)["data/compare.json"]


def test_two_frameworks_are_no_two_versions(tmp_path):
    assert found(tmp_path, lines()).compared.of(unpaired.VERSIONS) == []


def test_a_new_version_is_compared_with_the_one_before_it(tmp_path):
    made = found(tmp_path, loading("1.0", lines(OLD)), loading("2.0", lines(NEW, 0.5, seed=2)))
    own = [each for each in made.compared.of(unpaired.VERSIONS) if {"Red 1.0 (red 1.0)", "Red 2.0 (red 2.0)"} ==
           {each.first.title, each.second.title}]  # fmt: skip
    ((row,),) = [each.rows for each in own]
    assert not row.is_paired
    assert (own[0].second.title, compare.verdict(row)) == ("Red 2.0 (red 2.0)", "shorter")


def test_what_else_differs_is_named(tmp_path):
    other = changed(loading("2.0", lines(OLD, seed=2)), "bench", threads=2)
    other = changed(changed(other, "run", code="1" * 16), "environment", python="3.12.1")
    made = found(tmp_path, lines(), other)
    (comparison,) = made.compared.of(unpaired.CAMPAIGNS)
    assert comparison.rows[0].differs == [
        "versions: red 2.0, and red 1.0.0", "Python: 3.12.1, and 3.11.7", "threads: 2, and 4", "the model file",
    ]  # fmt: skip
    assert unpaired.moved(made.compared.comparisons) == []
    assert "how far one day differs from another is not known here" in text_of(compare.page(made))


def test_an_adapter_or_a_statement_that_changed_is_told_where_the_model_file_did_not(tmp_path):
    made = found(tmp_path, lines(), changed(lines(OLD, seed=2), "run", proof="1" * 16))
    (comparison,) = made.compared.of(unpaired.CAMPAIGNS)
    assert comparison.rows[0].differs == ["the adapter or the statement"]
    assert unpaired.moved(made.compared.comparisons) == []


def test_how_much_a_machine_moved_by_itself_is_told_first(tmp_path):
    page = text_of(compare.page(found(tmp_path, lines(noise=0.0), lines(OLD, 1 / 1.25, noise=0.0))))
    assert page.startswith("With nothing known to differ, a later campaign on the same machine took 1.25 to 1.25 times")
    assert "as long as before (2 comparisons)" in page


def test_one_machine_and_one_campaign_are_said_to_have_nothing_to_compare(tmp_path):
    page = compare.page(found(tmp_path, lines(cases=CASES[:1])))
    assert "No two sets of results share a task" in text_of(page)
    assert 'id="compare"' not in page


def test_where_there_is_no_room_older_pairs_stay_out_and_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(unpaired, "MOST_ROWS", 2)
    made = found(tmp_path, *(lines(f"2026-11-{day} 0900", seed=day) for day in (18, 19, 20)))
    (comparison,) = made.compared.of(unpaired.CAMPAIGNS)
    assert comparison.first.days + comparison.second.days == ["2026-11-19", "2026-11-20"]
    assert "2 pairs of two campaigns of one machine" in text_of(compare.page(made))


def test_campaigns_beyond_the_newest_stay_out_and_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(unpaired, "MOST_CAMPAIGNS", 2)
    made = found(tmp_path, *(lines(f"2026-11-{day} 0900", seed=day) for day in (18, 19, 20)))
    assert len(made.compared.sets[unpaired.CAMPAIGNS]) == 2
    assert "1 older one stayed out" in text_of(compare.page(made))


def test_of_several_answers_a_machine_s_is_the_newest(tmp_path):
    made = found(tmp_path, lines(OLD, cases=[*CASES, campaign.case("red", workload="linear")]), lines(NEW, 2.0, seed=2))
    (machine,) = made.compared.sets[unpaired.MACHINES]
    known = {cell.case.workload: cell.campaign.name for cell in machine.cells.values()}
    assert known == {"mnist_mlp": NEW, "linear": OLD}


def test_the_script_s_file_holds_each_row_in_both_directions(tmp_path):
    made = found(tmp_path, lines(), lines(OLD, 1.2, seed=2), lines(OLD, machine="other", rounds=2))
    data = json.loads(compare.data(made)["data/compare.json"])
    rows = [row for each in made.compared.comparisons for row in each.rows]
    ratios = [row.ratio.value for row in rows]
    first, second, ratio = (next(each["values"] for each in data["numbers"] if each["key"] == key)
                            for key in ("time_first", "time_second", "ratio"))  # fmt: skip
    assert ratio == pytest.approx([*ratios, *(1 / each for each in ratios)], rel=1e-3)
    assert first[: len(rows)] == [schema.number(row.first.mean_s, columnar.DIGITS) for row in rows]
    assert (first[: len(rows)], second[: len(rows)]) == (second[len(rows) :], first[len(rows) :])


def test_a_machine_with_one_campaign_never_comes_first_while_two_others_share_a_task(tmp_path):
    own = [lines(f"2026-11-{day} 0900", seed=day, machine=name) for day in (18, 19) for name in ("one", "two")]
    made = found(tmp_path, *own, lines("2026-11-28 0900", seed=5, machine="newcomer"))
    assert "newcomer" not in json.loads(compare.data(made)["data/compare.json"])["start"].values()


def test_hostile_versions_reach_the_page_as_text(tmp_path):
    page = compare.page(found(tmp_path, changed(lines(), "environment", loaded={PAYLOAD: PAYLOAD}), lines(OLD, seed=2)))
    assert alive(page) == []
    assert "alert" in page
