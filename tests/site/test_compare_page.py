"""The page that compares sets in a real browser, under a strict policy: choose, read, link, and without scripts."""

import campaign
import pytest
from driven import visiting
from reader import Reader
from served import HOSTILE, STRICT, publish, served, spoilt
from views import TELEPHONE, reading

from analysis.site.pages import compare

pytestmark = pytest.mark.browser

CASES = [campaign.case(name, workload=each) for name in ("red", "blue") for each in ("mnist_mlp", "linear")]
NAMES = ("2026-11-18 0900", "2026-11-19 0900", "2026-11-20 0900")


def times(factor, seed, failing=()):
    noisy = campaign.noisy({"red": 0.010 * factor, "blue": 0.013 * factor}, seed=seed)
    return lambda about, number: "failed" if about["environment"] in failing else noisy(about, number)


def compared(folder):
    """Write the page that compares these campaigns; returns the folder to serve."""
    own = [campaign.lines(CASES, times(factor, seed), seed=seed, campaign=name, machine="laptop")
           for seed, (name, factor) in enumerate(zip(NAMES, (1.0, 1.0, 1.5), strict=True))]  # fmt: skip
    own.append(campaign.lines(CASES, times(0.5, 7, ("blue",)), seed=7, machine="cluster"))
    return publish(folder, compare, *map(spoilt, own))


class Comparing(Reader):
    """Someone who compares sets."""

    name = "compare"

    def tick(self, group, title):
        boxes = f"[...document.querySelectorAll('input[name=compare-{group}]')]"
        self.do(f"{boxes}.find(b => b.parentElement.textContent.includes(arguments[0])).click()", title)

    def headings(self):
        return self.do("return [...document.querySelectorAll('.results thead th')].map(h => h.textContent)")


@pytest.fixture(scope="module")
def compare_address(tmp_path_factory):
    with served(compared(tmp_path_factory.mktemp("compare")), STRICT) as address:
        yield address


@pytest.fixture
def page(visitor, compare_address):
    return Comparing(visitor, compare_address)


def test_it_asks_for_nothing_but_its_file_and_says_how_the_newest_two_came_out(page):
    page.open()
    assert page.asked() == ["", "compare.js", "overview.png", "pairs.json", "parts.js", "site.css", "theme.css"]
    assert page.visitor.console == []
    assert "of 4 cases in both" in page.status()


def test_a_ratio_is_turned_over_with_its_interval_and_its_word(page):
    page.open("#kind=campaigns&base=laptop/2026-11-18+0900&with=laptop/2026-11-20+0900")
    assert page.status() == "2026-11-20 0900, begun 2026-11-20, on laptop: of 4 cases in both, 4 longer."
    there = [float(row[-1].split(" ")[0]) for row in page.rows()]
    page.open("#kind=campaigns&base=laptop/2026-11-20+0900&with=laptop/2026-11-18+0900")
    assert page.status() == "2026-11-18 0900, begun 2026-11-18, on laptop: of 4 cases in both, 4 shorter."
    back = [float(row[-1].split(" ")[0]) for row in page.rows()]
    assert [one * other for one, other in zip(there, back, strict=True)] == pytest.approx([1] * 4, abs=0.02)
    assert all(1.3 < ratio < 1.7 for ratio in there)


def test_more_than_two_sets_stand_side_by_side(page):
    page.open("#kind=campaigns&base=laptop/2026-11-18+0900&with=laptop/2026-11-20+0900")
    page.tick("with", NAMES[1])
    titles = page.headings()
    assert titles[-3].startswith("time in 2026-11-18 0900")
    assert {titles[-2][:15], titles[-1][:15]} == set(NAMES[1:])
    assert page.status().count("of 4 cases in both") == 2
    assert page.hash().count("with=") == 2


def test_the_last_set_stays_chosen(page):
    page.open("#kind=campaigns&base=laptop/2026-11-18+0900&with=laptop/2026-11-20+0900")
    page.tick("with", NAMES[2])
    assert page.headings()[-1].startswith(NAMES[2])


def test_machines_are_compared_and_what_is_missing_keeps_its_reason(page):
    page.open()
    page.tick("kind", "machine with machine")
    page.compare_with("laptop")
    assert page.status() == "cluster: of 4 cases in both, 2 shorter, 2 no ratio."
    assert len([row for row in page.rows() if f"failed: {HOSTILE}" in row[-1]]) == 2
    assert page.do("return document.querySelectorAll('#compare img, #compare script').length") == 0
    assert page.visitor.console == []


def test_versions_of_one_campaign_say_that_they_are_paired(page):
    page.open("#kind=versions")
    page.compare_with("Red 1.0 (red 1.0.0), on laptop")
    assert "within rounds of one campaign" in page.text(".results tbody")


def test_a_link_to_a_set_that_shares_no_case_says_so_and_leaves_a_table(page):
    page.open("#kind=campaigns&base=cluster/2026-11-20+0900")
    assert "another set that has a case of 2026-11-20 0900, begun 2026-11-20, on cluster" in page.said()
    assert page.rows()
    page.open("#kind=campaigns&base=laptop/2026-11-18+0900&with=cluster/2026-11-20+0900")
    assert "a case in both 2026-11-18 0900, begun" in page.said()
    assert page.rows()
    page.open("#kind=campaigns&base=laptop/2026-11-18+0900&with=laptop/2026-11-20+0900")
    assert page.said() == ""


def test_a_link_restores_the_whole_view(page):
    page.open()
    page.tick("kind", "campaign with campaign")
    page.compare_with(NAMES[0])
    page.tick("with", NAMES[1])
    link, rows, headings = page.hash(), page.rows(), page.headings()
    page.open(link)
    assert (page.hash(), page.rows(), page.headings()) == (link, rows, headings)
    page.press("Start again")
    assert page.hash() == ""


def test_a_link_to_what_the_data_do_not_have_says_so(page):
    page.open("#kind=campaigns&base=gone")
    assert page.said() == "The link asks for what these data do not have: gone."
    page.open("#kind=weather")
    assert "weather" in page.said()


def test_all_rows_are_copied_as_csv_that_a_spreadsheet_does_not_run(page):
    page.open()
    page.tick("kind", "machine with machine")
    lines = page.csv()
    assert len(lines) == 4
    assert {line["verdict"] for line in lines} <= {"shorter", "longer", "no ratio"}
    measured = next(line for line in lines if line["ratio"])
    assert float(measured["ratio_low"]) < float(measured["ratio"]) < float(measured["ratio_high"])
    assert float(measured["set_s"]) / float(measured["base_s"]) == pytest.approx(float(measured["ratio"]), rel=1e-3)


def test_the_keyboard_alone_chooses_and_keeps_its_place(page):
    page.open("#kind=campaigns&base=laptop/2026-11-18+0900&with=laptop/2026-11-20+0900")
    page.reach("e.name === 'compare-with' && !e.checked")
    page.push("Space")
    assert page.do("return document.activeElement.name + document.activeElement.checked") == "compare-withtrue"
    assert page.outline() == "solid"
    assert page.status().count("cases in both") == 2


def test_everything_has_a_name_and_a_role(page):
    page.open().check_names()


def test_a_narrow_screen_scrolls_the_table_and_not_the_page(chromium, compare_address):
    with reading(chromium, TELEPHONE) as visitor:
        page = Comparing(visitor, compare_address).open()
        assert page.do("return document.documentElement.scrollWidth") <= TELEPHONE.width


def test_without_scripts_plain_tables_say_what_there_is(chromium, compare_address):
    with visiting(chromium, java_script_enabled=False) as visitor:
        visitor.open(f"{compare_address}compare/")
        shown = visitor.tab.inner_text("main")
        assert "Campaign with campaign" in shown
        assert "Sets to compare, machine with machine" in shown
        assert HOSTILE in shown


def test_where_the_file_cannot_be_read_the_plain_tables_stay(visitor, tmp_path):
    folder = compared(tmp_path)
    (folder / "generated" / "compare" / "pairs.json").write_text("{")
    with served(folder, STRICT) as address:
        assert Comparing(visitor, address).open().is_plain()
