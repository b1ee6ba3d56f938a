"""One site of all hostile files that reading accepts: their text is in data files, and on no page."""

import csv
import io
import re
import unicodedata
import warnings
from html import unescape
from xml.etree import ElementTree as ET

import campaign
import corpus
import pytest

from analysis.site import build
from analysis.text import html

ACCEPTED = corpus.accepted()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return every generated file of one site that is built from all accepted files, by name."""
    results, output = tmp_path_factory.mktemp("results"), tmp_path_factory.mktemp("generated")
    for hostile in ACCEPTED:
        hostile.write(results)
    drawn = campaign.lines([campaign.case(name) for name in ("red", "blue")], campaign.always(0.01), machine="drawn")
    campaign.write(results, drawn)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning)  # a letter that no font has
        warnings.filterwarnings("ignore", category=RuntimeWarning)  # numbers that no machine has
        build.write(results, output)
    return {path.relative_to(output).as_posix(): path.read_text(encoding="utf-8") for path in output.rglob("*")
            if path.is_file()}  # fmt: skip


def values(pages):
    """Yield each value of the data files that are tables."""
    for name, content in pages.items():
        if name.endswith(".csv"):
            for row in csv.reader(io.StringIO(content)):
                yield from row


@pytest.mark.nightly
def test_all_accepted_files_together_make_a_site(pages):
    data = {"data/cells.csv", "data/results.json"}
    assert {"fragments/home.md", "fragments/machines.md", "fragments/controls.md", *data} <= set(pages)
    assert "figures/slowdowns-mnist_mlp.svg" in pages


@pytest.mark.nightly
def test_a_payload_is_text_in_a_data_file_and_on_no_page(pages):
    text = "\n".join(content for name, content in pages.items() if name.endswith(".md"))
    data = "\n".join(values(pages))
    for hostile in ACCEPTED:
        for payload in hostile.shown:
            assert html.visible(payload)[:40].strip() in data, hostile.name
        for payload in hostile.payloads:
            for raw in (payload, html.visible(payload), html.visible(payload)[:40]):
                assert set(raw) <= html.PLAIN or raw not in text, hostile.name


@pytest.mark.nightly
def test_no_generated_file_holds_what_cannot_be_seen(pages):
    for name, content in pages.items():
        hidden = {character for character in content if unicodedata.category(character)[0] == "C"} - {"\n"}
        assert not hidden, (name, hidden)


@pytest.mark.nightly
def test_titles_headings_and_file_names_are_the_project_s_own(pages):
    headings = [line for name, content in pages.items() if name.endswith(".md")
                for line in content.split("\n") if re.match(r"#+ |title:|=== |\?\?\? |!!! ", line)]  # fmt: skip
    assert headings
    texts = [unescape(line) for line in headings]
    assert [line for line in texts if re.search(r"alert|evil|[<>]|\{\{|javascript", line)] == []
    own = re.compile(r"[a-z]+/[\w/-]+(\.schema)?\.(md|svg|csv|json|html)")
    assert [name for name in pages if not own.fullmatch(name)] == []


@pytest.mark.nightly
def test_a_drawn_figure_is_xml_that_runs_nothing(pages):
    for name, content in pages.items():
        if name.endswith(".svg"):
            tags = {element.tag.split("}")[1] for element in ET.fromstring(content).iter()}  # noqa: S314
            assert not tags & {"script", "foreignObject", "a", "image", "iframe"}, name


@pytest.mark.nightly
def test_a_spreadsheet_finds_no_formula(pages):
    for name, content in pages.items():
        if name.endswith(".csv"):
            assert not re.search(r'(^|[,\n])"?[=+@]', content), name
