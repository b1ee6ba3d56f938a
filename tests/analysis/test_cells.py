"""The data files hold every published cell and every pair, and say no more than the estimates do."""

import csv
import io
import json

import campaign
import pytest

from analysis import data as files
from analysis.data import columnar
from analysis.estimate.estimates import estimate_all
from analysis.found import Found
from analysis.load.table import read_results
from analysis.site.pages import results as results_page
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
def made(results, answers):
    return files.files(found(results, answers))


@pytest.fixture(scope="module")
def cells(made):
    return list(csv.DictReader(io.StringIO(made["data/cells.csv"])))


@pytest.fixture(scope="module")
def data(results, answers):
    return json.loads(results_page.data(found(results, answers))["data/results.json"])


def found(results, answers):
    return Found(results, answers, [each for each in answers if each.question.optimizer == "rmsprop"], [])


def number(data, key):
    return next(column for column in data["numbers"] if column["key"] == key)


def facet(data, key):
    column = next(column for column in data["facets"] if column["key"] == key)
    return [column["names"][code] for code in column["codes"]]


def notes(data):
    return next(column["names"] for column in data["texts"] if column["key"] == "note")


def test_every_published_cell_is_in_the_file_with_its_time(cells, answers):
    keys = [(row["workload"], row["task"], row["optimizer"], row["environment"], row["mode"]) for row in cells]
    held = dict(zip(keys, cells, strict=True))
    for answer in answers:
        about = answer.question
        for cell in answer.cells:
            row = held[about.workload, about.task, about.optimizer, *cell.row]
            assert float(row["time_s"] or "nan") == pytest.approx(cell.time.value if cell.time else float("nan"),
                                                                  rel=1e-4, nan_ok=True)  # fmt: skip
    assert len(held) == len(cells) == sum(len(answer.cells) for answer in answers)


def test_its_pairs_are_those_of_the_estimates(made, answers):
    rows = list(csv.DictReader(io.StringIO(made["data/pairs.csv"])))
    known = [pair for answer in answers for pair in answer.pairs]
    assert len(rows) == len(known) > 3
    for row, pair in zip(rows, known, strict=True):
        assert (row["environment_a"], row["mode_a"], row["environment_b"], row["mode_b"]) == (*pair.a, *pair.b)
        assert float(row["ratio"]) == pytest.approx(pair.ratio.value, rel=1e-4)
        assert (row["verdict"] == "tie") == (pair.claim == "equivalent")


def test_the_page_s_columns_are_as_long_as_there_are_rows(data, cells):
    columns = [column["codes"] for column in (*data["facets"], *data["texts"])]
    columns += [column.get("values", column.get("examples")) for column in data["numbers"]]
    assert {len(column) for column in columns} == {data["rows"]} == {len(cells)}


def test_the_fastest_of_a_question_comes_first_and_what_has_no_time_last(data):
    known: dict[tuple[str, ...], list[float | None]] = {}
    asked = zip(*(facet(data, key) for key in ("workload", "task", "optimizer", "machine")), strict=True)
    for key, value in zip(asked, number(data, "time")["values"], strict=True):
        known.setdefault(key, []).append(value)
    for own in known.values():
        times = [value for value in own if value is not None]
        assert own == sorted(times) + [None] * (len(own) - len(times))


def test_a_slower_time_never_has_fewer_proven_ahead_of_it_where_all_share_rounds(cells):
    own = [row for row in cells if row["optimizer"] == "rmsprop" and row["task"] == "train" and row["time_s"]]
    behind = [int(row["slower_than"]) for row in sorted(own, key=lambda row: float(row["time_s"]))]
    assert behind == sorted(behind)


def test_what_has_no_time_keeps_its_reason_without_control_or_direction_characters(cells):
    assert {row["note"] for row in cells if row["status"] == "failed"} == {"failed: over budget"}


def test_a_time_says_how_many_rounds_it_lost(data):
    assert any(name.startswith("1 round without a time: failed") for name in notes(data))


def test_a_row_of_which_nothing_was_compiled_says_so_and_can_be_chosen(tmp_path):
    lines = campaign.lines(CASES[:2], campaign.always(0.01))
    for line in lines:
        line.update({"compiled": "nothing"} if line.get("case", {}).get("mode") == "compiled" else {})
    results = read_results(campaign.write(tmp_path, lines))
    data = json.loads(results_page.data(found(results, estimate_all(results)))["data/results.json"])
    assert notes(data) == [sentences.RAN_EAGERLY]
    assert {*zip(facet(data, "mode"), facet(data, "compiled"), strict=True)} == {
        ("compiled", "nothing"),
        ("eager", "no"),
    }


def test_a_number_that_no_row_has_is_no_column():
    energy = columnar.Number("energy", "energy", "J", lambda _: None)
    assert columnar.columns([None], [], [energy], [], [], {})["numbers"] == []


def test_energy_and_shares_of_the_machine_are_known_where_they_were_measured(tmp_path):
    lines = campaign.lines(CASES[:1], campaign.always(0.01))
    lines[1:1] = [campaign.ceiling()]
    results = read_results(campaign.write(tmp_path, lines))
    (answer,) = estimate_all(results)
    (cell,) = answer.cells
    known = answer._replace(cells=[cell._replace(used=cell.used._replace(energy_j=4.5, of_peak=0.25))])
    (row,) = csv.DictReader(io.StringIO(files.files(found(results, [known]))["data/cells.csv"]))
    assert (row["energy_j"], row["of_peak"]) == ("4.5", "0.25")
    assert float(row["of_product"]) == pytest.approx(cell.used.of_product, rel=1e-4)


def test_an_epoch_s_throughput_is_of_all_its_examples(cells):
    (row, *_) = (row for row in cells if row["task"] == "epochs" and row["time_s"])
    examples = float(row["throughput"]) * float(row["time_s"])
    assert examples > int(row["batch_size"])
    batches = examples / int(row["batch_size"])
    assert batches == pytest.approx(round(batches), abs=0.01)


def test_two_versions_under_one_name_stay_two(results, answers):
    (other,) = (each for each in answers if each.question.optimizer == "sgd")
    newer = other._replace(cells=[cell._replace(title="Red 2.0") for cell in other.cells])
    data = json.loads(results_page.data(found(results, [*answers, newer]))["data/results.json"])
    (column,) = (column for column in data["facets"] if column["key"] == "environment")
    assert column["names"] == ["blue", "green", "red Red 1.0", "red Red 2.0"]


def test_every_column_is_in_the_dictionary_and_in_the_package(made):
    listed = {(row["file"], row["column"]) for row in csv.DictReader(io.StringIO(made["data/dictionary.csv"]))}
    package = json.loads(made["data/datapackage.json"])
    described = {(each["path"], own["name"]) for each in package["resources"] for own in each["schema"]["fields"]}
    headers = {(name.removeprefix("data/"), column) for name, text in made.items() if name.endswith(".csv")
               for column in next(csv.reader(io.StringIO(text)))}  # fmt: skip
    assert listed == described == {each for each in headers if each[0] != "dictionary.csv"}


def test_the_key_of_a_file_names_one_row(made):
    for resource in json.loads(made["data/datapackage.json"])["resources"]:
        rows = list(csv.DictReader(io.StringIO(made[f"data/{resource['path']}"])))
        keys = [tuple(row[name] for name in resource["schema"]["primaryKey"]) for row in rows]
        assert len(set(keys)) == len(keys), resource["path"]


def test_nothing_in_a_file_is_run_by_a_spreadsheet():
    table = files.schema.Table("a.csv", "", ["a"], [files.schema.Column("a", "")], iter)
    assert files.schema.text(table, [{"a": "=1+1"}, {"a": "@x"}, {"a": "a\x07b"}]) == "a\n'=1+1\n'@x\nab\n"


def test_the_plain_table_has_the_first_questions(results, answers):
    page = results_page.page(found(results, answers))
    assert page.count("<tr>") == 1 + sum(len(each.measured) for each in answers if each.question.optimizer == "rmsprop"
                                         and each.question.task == "train")  # fmt: skip
    assert "sgd" not in page


def test_the_plain_table_is_small_however_many_cells_there_are(results, answers, monkeypatch):
    monkeypatch.setattr(results_page, "MOST", 1)
    assert results_page.page(found(results, answers)).count("<tr>") == 2
