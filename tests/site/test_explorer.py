"""The explorer in a real browser, under a strict policy: by mouse, by keyboard, by link, and without scripts."""

import time
from html import unescape

import campaign
import pytest
from driven import visiting
from reader import Reader
from served import HOSTILE, STRICT, publish, served, spoilt
from views import TELEPHONE, reading

from analysis.site.pages import explorer

pytestmark = pytest.mark.browser

CASES = [campaign.case(name, mode) for name in ("red", "blue", "green") for mode in ("eager", "compiled")]
CASES += [campaign.case(name, workload="cifar10_cnn", batch_size=64, optimizer="sgd") for name in ("red", "gold")]
TUNED = [campaign.case(name, tier="tuned") for name in ("red", "blue")]
TIMES = " \u00d7"


def times(about, number):
    truth = {"red": 0.010, "blue": 0.013, "gold": 0.010}
    return "failed" if about["environment"] == "green" else campaign.noisy(truth, seed=3)(about, number)


def explored(folder, cases):
    """Write the explorer of some cases; returns the folder to serve."""
    return publish(folder, explorer, spoilt(campaign.lines(cases, times)))


class Exploring(Reader):
    """Someone who reads the explorer."""

    name = "explorer"

    def tick(self, facet, name):
        box = f"input[name='explorer-{facet}'][value='{name}']"
        self.do("document.querySelector(arguments[0]).click()", box)

    def sort(self, key):
        self.do("document.querySelector(`[data-sort='${arguments[0]}']`).click()", key)

    def headings(self):
        return self.do("return [...document.querySelectorAll('.results .frame thead th')].map("
                       "h => h.firstElementChild.dataset.sort)")  # fmt: skip

    def rows(self):
        return [dict(zip(self.headings(), row, strict=False)) for row in super().rows()]

    def column(self, heading):
        return [row[heading].split("\n")[0] for row in self.rows()]

    def ratios(self):
        """Return each measured cell's ratio, interval and verdict by environment and mode."""
        return {(row["environment"], row["mode"]): row["ratio"].replace(TIMES, "") for row in self.rows()
                if TIMES in row.get("ratio", "")}  # fmt: skip


@pytest.fixture(scope="module")
def explorer_address(tmp_path_factory):
    with served(explored(tmp_path_factory.mktemp("explorer"), CASES), STRICT) as address:
        yield address


@pytest.fixture
def page(visitor, explorer_address):
    return Exploring(visitor, explorer_address)


def test_it_shows_every_cell_and_asks_for_nothing_but_its_file(page):
    page.open()
    assert page.status() == "8 of 8 cells shown, 2 of them without a time, from 2 questions."
    assert page.asked() == ["", "cells.json", "explorer.js", "overview.png", "parts.js", "site.css", "theme.css"]
    assert page.visitor.console == []


def test_a_filter_keeps_what_is_chosen_and_counts_what_each_choice_would_show(page):
    page.open()
    page.tick("environment", "red")
    assert page.status().startswith("3 of 8 cells")
    page.tick("environment", "blue")
    assert page.status().startswith("5 of 8 cells")
    counts = page.do("return [...document.querySelectorAll('input[name=explorer-workload]')].map("
                     "i => [i.value, i.parentElement.lastElementChild.textContent])")  # fmt: skip
    assert dict(counts) == {"mnist_mlp": "4", "cifar10_cnn": "1"}
    page.tick("workload", "mnist_mlp")
    assert page.status().startswith("4 of 8 cells")
    assert "batch size 128" in page.text(".explorer .same")


def test_sorting_puts_what_has_no_time_last_either_way(page):
    page.open("#workload=mnist_mlp")
    page.sort("time")
    up = page.column("environment")
    page.sort("time")
    down = page.column("environment")
    assert up[-2:] == down[-2:] == ["Green 1.0", "Green 1.0"]
    assert up[:4] == ["Red 1.0", "Red 1.0", "Blue 1.0", "Blue 1.0"]
    assert down[:4] == up[:4][::-1]
    states = page.do("return [...document.querySelectorAll('.explorer th[aria-sort]')].map(h => h.ariaSort)")
    assert states == ["descending"]


def test_ratios_are_those_of_the_chosen_baseline_with_ties_called_ties(page):
    page.open("#workload=mnist_mlp&sort=environment")
    page.compare_with("blue/eager")
    found = page.ratios()
    assert found["Blue 1.0", "eager"] == "1.00\nbaseline"
    assert "▼ faster" in found["Red 1.0", "eager"]
    assert "= tie" in found["Blue 1.0", "compiled"] or "≈ tie" in found["Blue 1.0", "compiled"]
    page.compare_with("red/eager")
    turned = page.ratios()
    assert "▲ slower" in turned["Blue 1.0", "eager"]
    ratio, inverse = (float(text.split("\n")[0]) for text in (found["Red 1.0", "eager"], turned["Blue 1.0", "eager"]))
    assert ratio * inverse == pytest.approx(1, abs=0.02)


def test_the_ratios_of_all_pairs_are_asked_for_once_and_by_who_compares_with_another_than_the_fastest(page):
    page.open("#workload=mnist_mlp&sort=environment")
    page.tick("result", "measured")
    assert "pairs.json" not in page.asked()
    page.compare_with("blue/eager")
    page.compare_with("red/compiled")
    assert page.asked().count("pairs.json") == 1


def test_where_they_cannot_be_had_the_page_says_so_and_goes_on(visitor, tmp_path):
    folder = explored(tmp_path, CASES)
    (folder / "generated" / "explorer" / "pairs.json").write_text("{")
    with served(folder, STRICT) as address:
        page = Exploring(visitor, address).open("#workload=mnist_mlp&baseline=blue/eager")
        assert page.said().startswith("The ratios to this baseline could not be loaded")
        assert any("its ratio is not here yet" in row["ratio"] for row in page.rows())
        page.compare_with("fastest")
        assert page.ratios()


def test_a_cell_whose_question_lacks_the_baseline_says_so(page):
    page.open("#baseline=gold/eager&result=measured")
    why = {row["ratio"] for row in page.rows() if row["workload"] == "Digits with a multilayer perceptron"}
    assert {text.split("\n")[1] for text in why} == {"its question was not asked of the baseline"}


def test_a_link_restores_the_whole_view(page):
    page.open()
    page.tick("environment", "red")
    page.tick("mode", "eager")
    page.tick("columns", "throughput")
    page.tick("columns", "memory")
    page.sort("time")
    page.sort("time")
    page.compare_with("blue/compiled")
    link, rows, headings = page.hash(), page.rows(), page.headings()
    page.open(link)
    assert (page.hash(), page.rows(), page.headings()) == (link, rows, headings)
    assert page.do("return document.querySelector('.explorer select').value") == "blue/compiled"
    assert {"throughput", "memory"} & set(headings) == {"throughput"}
    page.press("Start again")
    assert (page.hash(), len(page.rows())) == ("", 8)


def test_a_link_to_what_the_data_do_not_have_says_so(page):
    page.open("#workload=gone&baseline=gone/eager&sort=-gone&columns=time&columns=gone")
    told = "The link asks for what these data do not have: "
    assert page.said() == f"{told}workload gone, baseline gone/eager, sort -gone, column gone."
    assert page.status().startswith("8 of 8")
    named, _, behind = " ".join(page.headings()).partition(" ratio ")
    assert (named, behind.split()[0]) == ("workload environment mode", "time")  # and then what else the cells differ in
    page.open("#columns=")
    assert (page.said(), "time" in page.headings()) == ("", False)


def test_a_heading_s_link_leaves_the_view_alone(page):
    page.open("#workload=mnist_mlp")
    page.do("location.hash = 'anchor'")
    time.sleep(0.2)
    assert page.status().startswith("6 of 8")


def test_all_chosen_cells_are_copied_as_csv_that_a_spreadsheet_does_not_run(page):
    page.open("#workload=mnist_mlp&baseline=red/eager")
    lines = page.csv()
    assert page.said() == "Copied as CSV."
    assert len(lines) == 6
    blue = next(line for line in lines if (line["environment"], line["mode"]) == ("blue", "eager"))
    assert float(blue["ratio_low"]) < float(blue["ratio"]) < float(blue["ratio_high"])
    assert (blue["version"], blue["claim"], blue["baseline"]) == ("Blue 1.0", "slower", "Red 1.0, eager")
    assert float(blue["time (s)"]) == pytest.approx(0.013, rel=0.2)
    green = next(line for line in lines if line["environment"] == "green")
    assert (green["time (s)"], green["note"]) == ("", f"failed: {HOSTILE}")


def test_copied_markdown_shows_text_as_text(page):
    markdown = pytest.importorskip("markdown")
    page.open("#workload=mnist_mlp")
    page.press("Copy as Markdown")
    made = markdown.markdown(page.clipboard(), extensions=["tables"])
    assert made.count("<tr>") == 7
    assert "<img" not in made
    assert 'href="javascript' not in made
    assert unescape(made).count(f"failed: {HOSTILE}") == 2  # two cells, each with its note


def test_where_the_clipboard_is_closed_the_text_is_there_to_copy_by_hand(chromium, explorer_address):
    with visiting(chromium, permissions=[]) as visitor:
        page = Exploring(visitor, explorer_address).open()
        page.press("Copy as CSV")
        assert "Ctrl+C" in page.said()
        selected = page.do("const t = document.activeElement; return t.value.slice(t.selectionStart, t.selectionEnd)")
        assert selected.count("\n") == 9


def test_hostile_text_of_a_result_stays_text(page):
    page.open("#environment=green")
    shown = page.do("return [...document.querySelectorAll('.explorer .missing')].map(c => c.textContent)")
    assert f"failed: {HOSTILE}" in shown
    assert page.do("return document.querySelectorAll('.explorer img, .explorer script').length") == 0
    assert page.visitor.console == []


def test_the_keyboard_alone_chooses_and_sorts_and_keeps_its_place(page):
    page.open()
    page.reach("e.value === 'red'")
    assert page.outline() == "solid"
    page.push("Space")
    assert page.status().startswith("3 of 8 cells")
    page.reach("e.dataset.sort === 'time'")
    page.push("Enter")
    assert page.do("return document.activeElement.dataset.sort") == "time"
    assert page.do("return document.activeElement.parentElement.ariaSort") == "ascending"


def test_everything_has_a_name_and_a_role(page):
    page.open().check_names()


def test_a_narrow_screen_scrolls_the_table_and_not_the_page(chromium, explorer_address):
    with reading(chromium, TELEPHONE) as visitor:
        page = Exploring(visitor, explorer_address).open()
        assert page.do("return document.documentElement.scrollWidth") <= TELEPHONE.width


def test_without_scripts_every_cell_and_reason_is_in_a_plain_table(chromium, explorer_address):
    with visiting(chromium, java_script_enabled=False) as visitor:
        visitor.open(f"{explorer_address}explorer/")
        assert visitor.tab.is_visible(".static table")
        text = visitor.tab.inner_text(".static table")
        assert text.count("Red 1.0") == 3
        assert HOSTILE in text


def test_where_the_file_cannot_be_read_the_plain_table_stays(visitor, tmp_path):
    folder = explored(tmp_path, CASES)
    (folder / "generated" / "explorer" / "cells.json").write_text("{")
    with served(folder, STRICT) as address:
        assert Exploring(visitor, address).open().is_plain()


def test_tiers_never_stand_in_one_table(visitor, tmp_path):
    with served(explored(tmp_path, CASES + TUNED), STRICT) as address:
        page = Exploring(visitor, address).open()
        assert page.status().startswith("8 of 10 cells")
        page.tick("tier", "tuned")
        assert page.status().startswith("2 of 10 cells")
        assert page.hash() == "#tier=tuned"
        assert page.open("#tier=tuned").status().startswith("2 of 10 cells")
