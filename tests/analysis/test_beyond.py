"""What other sites and programs get of the site: single figures, a feed, cards, lists of pages and data."""

import io
import json
import re

import campaign
import pytest
from lxml import etree
from PIL import Image
from shown import found

from analysis.figures.style import Saved
from analysis.site import cards, configuration, embed, feed

SITE = "https://example.org/rosetta/"
ATOM = {"a": "http://www.w3.org/2005/Atom"}
SVG = "<svg><title>Time &amp; memory</title></svg>"


@pytest.fixture
def stated(monkeypatch):
    monkeypatch.setenv("SITE_URL", SITE)
    monkeypatch.delenv("PUBLISHED_VERSION", raising=False)
    monkeypatch.delenv("PUBLISHED_VERSIONS", raising=False)


def embedded(alt="Bars.", shown_on="workloads/gpt.md"):
    written = {
        shown_on: '<img src="../../../generated/figures/one.svg">',
        "figures/one.svg": SVG,
        "figures/two.svg": SVG,
    }
    pictures = [Saved("one", SVG, "", (640, 480), alt), Saved("two", SVG, "", (1, 1), "Unused.")]
    return embed.pages(pictures, written)


def test_only_a_figure_that_a_page_shows_has_a_page_of_its_own():
    ((name, page),) = embedded().items()
    assert name == "embed/one/index.html"
    assert '<img src="../../figures/one.svg" alt="Bars.' in page
    assert "<title>Time &amp; memory - Rosetta Bench</title>" in page
    assert '<a href="../../../generated/workloads/gpt/">' in page


@pytest.mark.parametrize(("written", "address"), {
    "fragments/home.md": "../../../", "fragments/lessons.md": "../../../lessons/",
    "fragments/articles/cnn_zoo.md": "../../../articles/cnn_zoo/",
    "fragments/articles/cnn_zoo/claims.md": "../../../articles/cnn_zoo/",
    "fragments/articles/index.md": "../../../articles/",
    "workloads/index.md": "../../../generated/workloads/",
}.items())  # fmt: skip
def test_a_figure_leads_to_the_page_that_shows_it(written, address):
    (page,) = embedded(shown_on=written).values()
    assert f'<a href="{address}">' in page


def test_text_of_a_figure_stays_text_in_its_page():
    (page,) = embedded(alt='"><script>alert(1)</script>').values()
    assert "<script" not in page
    policy = re.search('Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; img-src 'self'; style-src 'self'")


CASES = [campaign.case("red"), campaign.case("blue")]


def measured(name, version, factor=1.0):
    """Return a campaign of some version, whose times are `factor` times the usual ones."""
    times = campaign.noisy({"red": 0.01 * factor, "blue": 0.02 * factor}, 0.005, 1)
    lines = campaign.lines(CASES, times, rounds=6, seed=int(name[-4:]), campaign=name)
    return [{**each, "loaded": {each["environment"]: version}} if each["kind"] == "environment" else each
            for each in lines]  # fmt: skip


@pytest.mark.usefixtures("stated")
def test_the_feed_tells_of_times_that_changed_significantly_and_of_nothing_else(tmp_path):
    """Each case is compared with the newest campaign before: the third has the times of the second."""
    made = [measured("2026-11-18 0900", "1.0"), measured("2026-11-19 0900", "2.0", 1.5),
            measured("2026-11-20 0900", "2.0", 1.5)]  # fmt: skip
    root = etree.fromstring(feed.files(found(tmp_path, *made))["feed.xml"].encode())
    ((title, updated, content),) = (
        [entry.findtext(f"a:{name}", None, ATOM) for name in ("title", "updated", "content")]
        for entry in root.iterfind("a:entry", ATOM)
    )
    assert title.startswith("2 times changed significantly on ")
    assert updated == "2026-11-19T09:00:00Z"
    assert len(re.findall(r"1\.[45]\d times the earlier time \(1\.\d\d to 1\.\d\d\)", content)) == 2


@pytest.mark.usefixtures("stated")
def test_another_number_of_threads_is_no_change(tmp_path):
    bench, *rest = measured("2026-11-19 0900", "1.0", 1.5)
    made = found(tmp_path, measured("2026-11-18 0900", "1.0"), [{**bench, "threads": bench["threads"] + 1}, *rest])
    assert feed.files(made) == {}


def test_without_an_address_there_is_no_feed(tmp_path, monkeypatch):
    monkeypatch.delenv("SITE_URL", raising=False)
    monkeypatch.setenv("PUBLISHED_VERSIONS", json.dumps([("2026.11", "2026.11 H200", "2026-11-28T12:00:00Z")]))
    assert feed.files(found(tmp_path)) == {}


@pytest.mark.usefixtures("stated")
def test_the_feed_lists_versions_the_newest_first(tmp_path, monkeypatch):
    versions = [("2026.10", "2026.10 <b>", "2026-10-30T12:00:00Z"), ("2026.11", "2026.11 H200", "2026-11-28T12:00:00Z")]
    monkeypatch.setenv("PUBLISHED_VERSIONS", json.dumps(versions))
    made = etree.fromstring(feed.files(found(tmp_path))["feed.xml"].encode())
    titles = [each.text for each in made.iterfind("a:entry/a:title", ATOM)]
    assert titles == ["Version 2026.11 H200 is published", "Version 2026.10 <b> is published"]
    assert made.findtext("a:updated", None, ATOM) == "2026-11-28T12:00:00Z"
    assert [each.get("href") for each in made.iterfind("a:entry/a:link", ATOM)] == [
        f"{SITE}2026.11/",
        f"{SITE}2026.10/",
    ]


ABOUT = cards.Described("generated/workloads/gpt/", "A small GPT", "Six decoder blocks of 384 numbers.")


def test_a_card_is_small_and_the_same_each_time():
    card = cards.draw(ABOUT)
    assert card == cards.draw(ABOUT)
    assert len(card) <= 12_000
    with Image.open(io.BytesIO(card)) as image:
        assert image.size == cards.SIZE
        assert len(image.getcolors()) <= 4


def test_a_card_of_the_longest_text_is_within_its_budget():
    assert len(cards.draw(cards.Described("x/", "Word " * 60, "Another word " * 90))) <= 15_000


def test_a_card_is_drawn_again_only_if_its_page_changed_and_removed_with_it(tmp_path, monkeypatch):
    cards.write(tmp_path, [ABOUT, ABOUT._replace(address="")])
    assert {path.name for path in (tmp_path / "cards").iterdir()} == {"workloads-gpt.png", "home.png"}
    monkeypatch.setattr(cards, "draw", lambda page: page.title.encode())
    cards.write(tmp_path, [ABOUT])
    assert [path.name for path in (tmp_path / "cards").iterdir()] == ["workloads-gpt.png"]
    assert (tmp_path / "cards" / "workloads-gpt.png").read_bytes().startswith(b"\x89PNG")
    cards.write(tmp_path, [ABOUT._replace(title="Another")])
    assert (tmp_path / "cards" / "workloads-gpt.png").read_bytes() == b"Another"


@pytest.mark.parametrize(("text", "sentence"), {
    "# A title\n\nOne `sentence`, as in [a link](x.md). Another.\n": "One sentence, as in a link.",
    "---\ndescription: What it is.\n---\n\n# A title\n\nMore.": "What it is.",
    "# A title\n\nHe et al. 2015 made it. More.": "He et al. 2015 made it.",
    "# A title { data-search-exclude }\n\n<p>of results</p>\n\nMore.": "",
    "# A title\n\nA machine called &#120;. More.": "",
}.items())  # fmt: skip
def test_a_page_is_described_by_its_title_and_first_sentence(tmp_path, text, sentence):
    (tmp_path / "page.md").write_text(text)
    assert configuration.page(tmp_path, "page.md") == ("page/", "A title", sentence)


@pytest.mark.usefixtures("stated")
def test_programs_find_pages_and_data_at_whole_addresses(monkeypatch):
    assert f"- [A small GPT]({SITE}generated/workloads/gpt/): Six decoder" in configuration.llms(
        [ABOUT], ["generated/data/a.csv"]
    )
    monkeypatch.setenv("PUBLISHED_VERSION", "2026.11")
    about = configuration.dataset(
        configuration.Archive("results-1.tar.xz", 12, "ab"), ["generated/data/a.csv"], "2026-11-27"
    )
    assert about["distribution"] == [
        {"@type": "DataDownload", "contentUrl": f"{SITE}2026.11/results-1.tar.xz", "encodingFormat": "application/x-xz",
         "contentSize": "12 B", "sha256": "ab"},
        {"@type": "DataDownload", "contentUrl": f"{SITE}2026.11/generated/data/a.csv", "encodingFormat": "text/csv"},
    ]  # fmt: skip


def test_the_newest_day_is_that_of_the_newest_campaign(tmp_path):
    assert configuration.newest(tmp_path) == ""
    for machine, name in (("a", "20261127-193537"), ("b", "20251127-193537")):
        (tmp_path / machine).mkdir()
        (tmp_path / machine / f"{name}.jsonl").touch()
    assert configuration.newest(tmp_path) == "2026-11-27"
