"""The page that compares sets in a real browser, under a strict policy: choose, read, link, and without scripts."""

import campaign
import pytest
from driven import visiting
from reader import Reader
from served import STRICT, publish, served, spoilt
from views import TELEPHONE, reading

from analysis.site.pages import compare

pytestmark = pytest.mark.browser

CASES = [campaign.case(name, workload=each) for name in ("red", "blue") for each in ("mnist_mlp", "linear")]
ON_GPU = [campaign.case("red", device="gpu")]
NAMES = ("2026-11-18 0900", "2026-11-19 0900", "2026-11-20 0900")
TWO = "#base=laptop/2026-11-18+0900&with=laptop/2026-11-20+0900"
BACK = "#base=laptop/2026-11-20+0900&with=laptop/2026-11-18+0900"


def times(factor, seed, failing=()):
    noisy = campaign.noisy({"red": 0.010 * factor, "blue": 0.013 * factor}, seed=seed)
    return lambda about, number: "failed" if about["environment"] in failing else noisy(about, number)


def compared(folder):
    """Write the page that compares a laptop's campaigns, a cluster, and a GPU that shares no task with them."""
    own = [campaign.lines(CASES, times(factor, seed), seed=seed, campaign=name, machine="laptop")
           for seed, (name, factor) in enumerate(zip(NAMES, (1.0, 1.0, 1.5), strict=True))]  # fmt: skip
    own.append(campaign.lines(CASES, times(0.5, 7, ("blue",)), seed=7, machine="cluster"))
    gpu = campaign.lines(ON_GPU, times(0.1, 8), seed=8, machine="accelerated")
    gpu[0] |= {"threads": 4, "machine": {**gpu[0]["machine"], "gpu": "NVIDIA H100 80GB HBM3"}}
    return publish(folder, compare, *map(spoilt, own), gpu)


@pytest.fixture(scope="module")
def compare_address(tmp_path_factory):
    with served(compared(tmp_path_factory.mktemp("compare")), STRICT) as address:
        yield address


@pytest.fixture
def page(visitor, compare_address):
    return Reader(visitor, compare_address, "compare")


def test_it_asks_for_nothing_but_its_file_and_begins_with_two_machines(page):
    page.open()
    assert page.asked() == ["", "compare.json", "overview.png", "site.css", "table.js", "tabulator.js", "theme.css"]
    assert page.visitor.console == []
    assert page.status().startswith("4 of ")
    assert [chip.split(":")[0] for chip in page.chips()] == ["first set", "second set"]


def test_a_ratio_is_turned_over_with_its_interval_and_its_word(visitor, tmp_path):
    """Of two campaigns alone: three tell how far any two differ, and make a ratio of that size not significant."""
    own = [campaign.lines(CASES, times(factor, seed), seed=seed, campaign=name, machine="laptop")
           for seed, (name, factor) in enumerate(zip(NAMES[::2], (1.0, 1.5), strict=True))]  # fmt: skip
    with served(publish(tmp_path, compare, *own), STRICT) as address:
        page = Reader(visitor, address, "compare")
        there, back = ([row["ratio"] for row in page.open(which).rows()] for which in (TWO, BACK))
    assert all("longer (1." in text for text in there)
    assert all("shorter (0." in text for text in back)
    products = [float(one.split(" ")[0]) * float(other.split(" ")[0]) for one, other in zip(there, back, strict=True)]
    assert products == pytest.approx([1] * 4, abs=0.02)


def test_times_stand_with_the_set_that_they_are_of(page):
    (row, *_) = page.open(TWO + "&environment=red").rows()
    first, second = (float(row[name].split(" ")[0]) for name in ("time_first", "time_second"))
    assert second / first == pytest.approx(float(row["ratio"].split(" ")[0]), abs=0.05)


def test_another_set_takes_the_place_of_the_chosen_one(page):
    page.open(TWO)
    page.choose("second set", "2026-11-19 0900")
    assert page.status().startswith("4 of ")
    assert page.hash().count("with=") == 1
    assert "tie" not in page.status()


def test_a_gpu_machine_is_in_the_list_and_says_why_it_has_no_comparison(page):
    page.open()
    page.choose("second set", "H100 80GB (0)")
    assert "These filters exclude each other" in page.text(".advice")
    assert "Without a comparison, because no task was measured there and on another machine: H100 80GB" in page.text(
        "main"
    )


def test_a_link_restores_the_whole_view(page):
    page.open(TWO)
    page.sort("second over first")
    link, rows = page.hash(), page.rows()
    page.open(link)
    assert (page.hash(), page.rows()) == (link, rows)


def test_a_link_to_what_the_data_do_not_have_says_so(page):
    assert "what is not here: first set gone" in page.open("#base=gone").status()


def test_on_a_telephone_the_ratio_is_on_the_screen(chromium, compare_address):
    with reading(chromium, TELEPHONE) as visitor:
        page = Reader(visitor, compare_address, "compare").open()
        assert list(page.rows()[0]) == ["environment", "ratio"]
        assert page.edge() <= TELEPHONE.width
        assert page.do("return document.documentElement.scrollWidth") <= TELEPHONE.width


def test_everything_has_a_name_and_a_role(page):
    assert page.open().has_names()


def test_without_scripts_a_plain_table_counts_how_each_two_machines_came_out(chromium, compare_address):
    with visiting(chromium, java_script_enabled=False) as visitor:
        visitor.open(f"{compare_address}compare/")
        assert "tasks in both" in visitor.tab.inner_text(".static table")


def test_where_the_file_cannot_be_read_the_plain_table_stays(visitor, tmp_path):
    folder = compared(tmp_path)
    (folder / "generated" / "data" / "compare.json").write_text("{")
    with served(folder, STRICT) as address:
        assert Reader(visitor, address, "compare").open().is_plain()
