"""The Results table in a real browser, under a strict policy: by mouse, by keyboard, by link, and without scripts."""

import csv
import io
import json
import time

import campaign
import pytest
from driven import visiting
from reader import Reader
from served import HOSTILE, STRICT, publish, served, spoilt
from views import TELEPHONE, ask, reading

from analysis.site.pages import results

pytestmark = pytest.mark.browser

CASES = [campaign.case(name, mode) for name in ("red", "blue", "green") for mode in ("eager", "compiled")]
CASES += [campaign.case(name, workload="cifar10_cnn", batch_size=64, optimizer="sgd") for name in ("red", "gold")]
ON_GPU = [campaign.case(name, device="gpu") for name in ("red", "blue")]
RATIO = "ratio to the fastest"


def times(about, number):
    truth = {"red": 0.010, "blue": 0.013, "gold": 0.010}
    return "failed" if about["environment"] == "green" else campaign.noisy(truth, seed=3)(about, number)


def written(folder):
    """Write the page of two machines, one with a GPU and four threads; returns the folder to serve."""
    gpu = campaign.lines(ON_GPU, times, machine="cluster")
    gpu[0] |= {"threads": 4, "machine": {**gpu[0]["machine"], "gpu": "NVIDIA H100 80GB HBM3"}}
    return publish(folder, results, spoilt(campaign.lines(CASES, times)), gpu)


@pytest.fixture(scope="module")
def results_address(tmp_path_factory):
    with served(written(tmp_path_factory.mktemp("results")), STRICT) as address:
        yield address


@pytest.fixture
def page(visitor, results_address):
    return Reader(visitor, results_address, "results")


def test_it_shows_all_that_has_a_time_and_asks_for_nothing_but_its_file(page):
    page.open()
    assert page.status().startswith("8 of 10 rows.")
    assert page.asked() == ["", "overview.png", "results.json", "site.css", "table.js", "tabulator.js", "theme.css"]
    assert page.visitor.console == []


def test_what_is_hidden_at_first_is_a_chip_that_can_be_removed(page):
    page.open()
    assert page.chips() == ["result: measured (hides 2 rows) \u00d7"]
    page.press("Remove the filter result")
    assert page.chips() == []
    assert page.status().startswith("10 of 10 rows")
    assert any(HOSTILE in row["throughput"] for row in page.rows())
    assert page.open(page.hash()).status().startswith("10 of 10 rows")


def test_rows_of_a_gpu_are_shown_whatever_their_threads(page):
    assert "H100 80GB" in page.open().column("machine")
    page.open("#machine=cluster&workload=mnist_mlp")
    assert page.status().startswith("2 of 10 rows")


def test_throughput_comes_first_and_time_by_a_button(page):
    page.open("#workload=cifar10_cnn&environment=red")
    assert 5900 < float(page.column("throughput")[0].replace(",", "")) < 6900
    page.press("time per step")
    assert page.column("time")[0].endswith(" ms")
    assert page.hash().endswith("value=time")


def test_the_larger_number_never_stands_behind_a_smaller_one_of_its_task(page):
    page.open("#workload=mnist_mlp&device=cpu")
    shown = [float(text.replace(",", "")) for text in page.column("throughput")]
    assert shown == sorted(shown, reverse=True)
    assert "rank" not in " ".join(page.rows()[0])


def test_a_ratio_says_what_may_be_claimed(page):
    page.open("#workload=mnist_mlp&device=cpu")
    ratios = [row["ratio"] for row in page.rows()]
    assert ratios[0].startswith("1.00 \u00d7\nfastest")
    assert any("slower (1." in text for text in ratios)
    assert any(word in text for text in ratios[1:] for word in ("tie", "not significant"))


def test_filters_that_exclude_each_other_are_explained_with_a_way_out(page):
    page.open("#machine=cluster&device=cpu")
    assert page.status().startswith("0 of 10 rows")
    assert "These filters exclude each other" in page.text(".advice")
    page.press("Remove the filter device (2 rows)")
    assert page.status().startswith("2 of 10 rows")
    assert page.text(".advice") == ""


def test_a_filter_adds_a_chip_and_counts_what_each_choice_would_show(page):
    page.open()
    page.choose("framework", "red (4)")
    assert "framework: red \u00d7" in page.chips()
    page.choose("framework", "blue (3)")
    assert page.status().startswith("7 of 10 rows")


def test_sorting_puts_what_has_no_time_last_either_way(page):
    page.open("#workload=mnist_mlp&device=cpu&result=")
    page.sort("examples/s")
    up = page.column("throughput")
    page.sort("examples/s")
    down = page.column("throughput")
    assert up[-2:] == down[-2:] == ["\u2013", "\u2013"]
    assert up[:4] == down[:4][::-1]
    assert page.do("return [...document.querySelectorAll('[aria-sort=descending]')].length") == 1


def test_a_link_restores_the_whole_view(page):
    page.open()
    page.choose("framework", "red")
    page.press("time per step")
    page.sort(RATIO)
    link, rows = page.hash(), page.rows()
    page.open(link)
    assert (page.hash(), page.rows()) == (link, rows)


def test_a_link_to_what_the_data_do_not_have_says_so(page):
    page.open("#workload=gone")
    assert "The link asks for what is not here: workload gone." in page.status()


def test_a_heading_s_link_leaves_the_view_alone(page):
    page.open("#workload=mnist_mlp")
    page.do("location.hash = 'anchor'")
    time.sleep(0.2)
    assert page.status().startswith("6 of 10")


def test_a_row_unfolds_with_all_that_is_known_of_it(page):
    page.open("#workload=mnist_mlp&device=cpu")
    page.press("Details of Red 1.0, eager")
    told = page.text(".unfolded")
    for part in (
        "99 % interval",
        "rounds",
        "first step",
        "memory",
        "measure it again",
        "--environment red --mode eager",
    ):
        assert part in told
    assert page.do("return document.querySelector('.unfolded a').getAttribute('href')").startswith(
        "../generated/workloads/mnist_mlp/#")  # fmt: skip
    assert page.do("return document.activeElement.ariaExpanded") == "true"


def test_the_rows_that_are_shown_are_taken_away_as_csv_that_a_spreadsheet_does_not_run(page):
    page.open("#workload=mnist_mlp&device=cpu&result=")
    with page.visitor.tab.expect_download() as download:
        page.press("Download these rows")
    lines = list(csv.DictReader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))
    assert len(lines) == 6
    assert {line["note"] for line in lines} >= {f"failed: {HOSTILE}"}
    assert not any(value.startswith("=") for line in lines for value in line.values())


def test_the_keyboard_alone_filters_sorts_and_unfolds(page):
    page.open()
    page.reach("e.ariaLabel?.startsWith('Remove the filter')")
    page.push("Enter")
    assert page.status().startswith("10 of 10 rows")
    page.reach("e.textContent === 'examples/s' && e.closest('.tabulator-col')")
    page.push("Enter")
    assert page.do("return document.querySelectorAll('[aria-sort=ascending], [aria-sort=descending]').length") == 1
    page.reach("e.ariaExpanded === 'false'")
    page.push("Enter")
    assert page.do("return document.querySelectorAll('.unfolded').length") == 1


def test_everything_has_a_name_and_axe_finds_nothing(page, axe):
    page.open("#result=")
    page.press("Details of")
    assert page.has_names()
    assert [line for line in ask(axe, page.visitor) if "region" not in line] == []


def test_on_a_telephone_name_value_and_ratio_fit_the_screen(chromium, results_address):
    with reading(chromium, TELEPHONE) as visitor:
        page = Reader(visitor, results_address, "results").open()
        assert list(page.rows()[0]) == ["environment", "throughput", "ratio"]
        assert page.edge() <= TELEPHONE.width
        assert page.do("return document.documentElement.scrollWidth") <= TELEPHONE.width
        assert page.do("return watched.shift") <= 0.1


def test_without_scripts_the_first_questions_are_in_a_plain_table(chromium, results_address):
    with visiting(chromium, java_script_enabled=False) as visitor:
        visitor.open(f"{results_address}results/")
        assert visitor.tab.is_visible(".static table")
        text = visitor.tab.inner_text(".static table")
        assert "Red 1.0, eager" in text
        assert "H100 80GB" in text


def test_where_the_file_cannot_be_read_the_plain_table_stays(visitor, tmp_path):
    folder = written(tmp_path)
    (folder / "generated" / "data" / "results.json").write_text("{")
    with served(folder, STRICT) as address:
        assert Reader(visitor, address, "results").open().is_plain()


def test_the_page_s_file_says_no_more_than_its_rows(tmp_path):
    data = json.loads((written(tmp_path) / "generated" / "data" / "results.json").read_text())
    columns = [each["codes"] for each in (*data["facets"], *data["texts"])]
    columns += [each.get("values", each.get("examples")) for each in data["numbers"]]
    assert {len(each) for each in columns} == {data["rows"]} == {10}
