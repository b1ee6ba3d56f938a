"""The explorer's file holds every published cell and every pair, and says no more than the estimates do."""

import html
import json

import campaign
import pytest
import shown

from analysis.estimate.estimates import estimate_all
from analysis.load.table import read_results
from analysis.site.pages import Found, explorer, explorer_data
from analysis.text import sentences

BIDI = "over \u202ebudget\u200b\x07"
CASES = [campaign.case(name, mode) for name in ("red", "blue", "green") for mode in ("eager", "compiled")]
CASES += [campaign.case("red", optimizer="sgd"), campaign.over_data("blue"), campaign.over_data("red")]


def times(about, number):
    if about["environment"] == "green":
        return "failed" if about["mode"] == "eager" or number == 1 else 0.02
    return campaign.noisy({"red": 0.010, "blue": 0.013})(about, number)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    lines = campaign.lines(CASES, times)
    for line in lines:
        if line["kind"] == "run" and line["status"] == "failed":
            line["reason"] = BIDI
    return read_results(campaign.write(tmp_path_factory.mktemp("results"), lines))


@pytest.fixture(scope="module")
def answers(results):
    return estimate_all(results)


@pytest.fixture(scope="module")
def text(results, answers):
    return written(answers, results)


@pytest.fixture
def data(text):
    return json.loads(text)


def written(answers, results):
    return explorer_data.text(explorer_data.columns(answers, explorer_data.frameworks(results)))


def measured(data, key):
    return next(column for column in data["measures"] if column["key"] == key)


def facet(data, key):
    column = next(column for column in data["facets"] if column["key"] == key)
    return [column["names"][code] for code in column["codes"]]


def test_all_columns_are_as_long_as_there_are_cells(data):
    columns = [column["codes"] for column in (*data["facets"], data["notes"])]
    columns += [column["values"] for column in data["measures"]]
    assert {len(column) for column in columns} == {sum(data["cells"])}


def test_every_published_cell_is_in_it_with_its_time(data, answers):
    held = list(zip(*(facet(data, key) for key in ("workload", "task", "optimizer", "environment", "mode")),
                    measured(data, "time")["values"], strict=True))  # fmt: skip
    for answer in answers:
        about = answer.question
        for cell in answer.cells:
            value = pytest.approx(cell.time.value, rel=1e-4) if cell.time else None
            assert (about.workload, about.task, about.optimizer, *cell.row, value) in held
    assert len(held) == sum(len(answer.cells) for answer in answers)


def test_its_pairs_are_those_of_the_estimates(data, answers):
    known = [pair for answer in answers for pair in explorer_data.pairs(answer)]
    assert sum(pair is not None for pair in known) == sum(len(answer.pairs) for answer in answers)
    assert len(known) == sum(count * (count - 1) // 2 for count in data["measured"])
    assert_are_those(explorer_data.ratios(known), known)
    of_fastest = [pair for answer in answers for pair in explorer_data.pairs(answer) if answer.by_time[0].row == pair.a]
    assert 0 < len(of_fastest) < len(known)
    assert_are_those(data["fastest"], of_fastest)


def assert_are_those(kept, known):
    assert len(kept["ratios"]) == len(known)
    for place, pair in enumerate(known):
        assert kept["ratios"][place] == pytest.approx(pair.ratio.value, rel=1e-4)
        assert kept["off"][place] == pytest.approx(pair.ratio.high / pair.ratio.value, rel=1e-4)
        assert kept["names"][kept["codes"][place]] == pair.claim


def test_what_stands_alone_begins_with_what_most_cells_are_of():
    tiers = ["ablation", "tuned", "documented", "documented"]
    tier = explorer_data.Facet("tier", "tier", lambda at: (at, at), is_single=True)
    assert explorer_data.column(tier, tiers)["names"] == ["documented", "ablation", "tuned"]
    assert explorer_data.column(tier._replace(is_single=False), tiers)["names"] == ["ablation", "documented", "tuned"]


def test_the_fastest_of_a_question_comes_first_and_what_has_no_time_last(data):
    values, start = measured(data, "time")["values"], 0
    for count, known in zip(data["cells"], data["measured"], strict=True):
        own = values[start : start + count]
        assert own[:known] == sorted(own[:known])
        assert own[known:] == [None] * (count - known)
        start += count


def test_what_has_no_time_keeps_its_reason_without_control_or_direction_characters(data):
    reasons = {data["notes"]["names"][code] for code, result in
               zip(data["notes"]["codes"], facet(data, "result"), strict=True) if result == "failed"}  # fmt: skip
    assert reasons == {"failed: over budget"}


def test_a_time_says_how_many_rounds_it_lost(data):
    assert any(name.startswith("1 round without a time: failed") for name in data["notes"]["names"])


def test_a_row_of_which_nothing_was_compiled_says_so_and_can_be_chosen(tmp_path):
    lines = campaign.lines(CASES[:2], campaign.always(0.01))
    for line in lines:
        line.update({"compiled": "nothing"} if line.get("case", {}).get("mode") == "compiled" else {})
    results = read_results(campaign.write(tmp_path, lines))
    data = json.loads(written(estimate_all(results), results))
    assert data["notes"]["names"] == [sentences.RAN_EAGERLY]
    made = dict(zip(facet(data, "mode"), facet(data, "compiled"), strict=True))
    assert made == {"compiled": "nothing", "eager": "no"}


def test_a_measure_that_no_cell_has_is_no_column(data):
    assert {"time", "throughput", "memory", "rounds"} <= {column["key"] for column in data["measures"]}
    assert explorer_data._measure(explorer_data.Measure("energy", "energy", "J", lambda _: None), [None]) is None


def test_energy_and_shares_of_the_machine_are_columns_where_they_are_known(tmp_path):
    lines = campaign.lines(CASES[:1], campaign.always(0.01))
    lines[1:1] = [campaign.ceiling()]
    (answer,) = estimate_all(read_results(campaign.write(tmp_path, lines)))
    (cell,) = answer.cells
    known = answer._replace(cells=[cell._replace(used=cell.used._replace(energy_j=4.5, of_peak=0.25))])
    frameworks = {("test-machine", "red"): "red"}
    without, with_both = (
        json.loads(explorer_data.text(explorer_data.columns([each], frameworks))) for each in (answer, known)
    )
    assert measured(with_both, "energy")["values"] == [4.5]
    assert measured(with_both, "of_peak")["values"] == [25]
    assert measured(with_both, "of_product")["values"] == [pytest.approx(100 * cell.used.of_product, rel=1e-4)]
    assert {column["key"] for column in without["measures"]}.isdisjoint({"energy", "of_peak"})


def test_an_epoch_has_no_throughput_of_steps(data):
    known = zip(facet(data, "task"), measured(data, "throughput")["values"], strict=True)
    assert {task: value for task, value in known if task == "epochs"} == {"epochs": None}


def test_two_versions_under_one_name_stay_two(results, answers):
    (other,) = (each for each in answers if each.question.optimizer == "sgd")
    newer = other._replace(cells=[cell._replace(title="Red 2.0") for cell in other.cells])
    data = json.loads(written([*answers, newer], results))
    (column,) = (column for column in data["facets"] if column["key"] == "environment")
    assert column["names"] == ["blue", "green", "red Red 1.0", "red Red 2.0"]


def test_the_same_answers_give_the_same_bytes(results, answers, text):
    assert written(list(answers), results) == text


def found(results, answers):
    return Found(results, answers, [each for each in answers if each.question.optimizer == "rmsprop"], [], [], {})


def test_the_plain_table_has_a_row_for_each_cell(results, answers):
    page = explorer.page(found(results, answers))
    assert page.count("<tr>") - page.count("<thead><tr>") == sum(len(answer.cells) for answer in answers)
    assert "failed&#58; over budget" in page


def test_of_too_many_cells_the_plain_table_has_the_first_questions(results, answers, monkeypatch):
    monkeypatch.setattr(explorer, "MOST", 1)
    page = explorer.page(found(results, answers))
    assert "a workload's page has the rest" in page.replace("&#39;", "'")
    assert "sgd" not in page


def test_of_several_machines_the_plain_table_has_the_one_with_most(tmp_path, monkeypatch):
    monkeypatch.setattr(explorer, "MOST", 1)
    times = campaign.noisy({"red": 0.01, "blue": 0.01})
    cases = [campaign.case("red"), campaign.case("blue")]
    one, two = campaign.lines(cases[:1], times, machine="one"), campaign.lines(cases, times, machine="two")
    page = explorer.page(shown.found(tmp_path, one, two))
    assert "2 of 3 cells" in page
    assert page.count("<tr>") - page.count("<thead><tr>") == 2
    assert "on two;" in html.unescape(page)


def test_tiers_never_stand_in_one_plain_table(results, answers):
    tuned = [answer._replace(question=answer.question._replace(tier="tuned")) for answer in answers[:1]]
    assert explorer.page(found(results, [*answers, *tuned])).count("<table") == 2


def test_without_results_there_is_no_explorer(tmp_path):
    nothing = shown.found(tmp_path)
    assert "Nothing has been measured yet" in explorer.page(nothing)
    assert json.loads(explorer.data(nothing)[explorer.DATA])["cells"] == []
