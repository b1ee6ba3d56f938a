"""Every figure says what it shows to everybody, and follows the reader's colours."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import campaign
import pytest
from drawing import as_svg, drawn, found
from matplotlib.lines import Line2D

from analysis import cache, figures
from analysis.figures import style
from analysis.plugins import explained, title
from bench import registry
from bench.cli import check
from bench.errors import DefinitionError


def test_a_figure_has_title_caption_and_order(name):
    module = figures.found()[name]
    assert title(module.__doc__)
    assert explained(module.__doc__)
    assert module.ORDER >= 0


def test_the_same_data_give_the_same_bytes(tmp_path, name, text):
    assert as_svg(drawn(tmp_path, name)) == text


def test_a_figure_follows_the_readers_colours_and_names_itself(text):
    ET.fromstring(text)  # it is well formed  # noqa: S314
    assert "prefers-color-scheme:dark" in text
    assert "<title>a title</title>" in text
    assert "<desc>" in text
    assert text.count("font-family") == 1  # of all words, as the reader's system has them
    assert not any(stand_in in text for stand_in in (style.INK, style.GRID))


def test_a_figure_writes_each_style_once_and_keeps_what_is_referred_to(text):
    assert 'style="' not in text
    assert set(re.findall(r'class="(\w+)"', text)) <= set(re.findall(r"\.(\w+)\{", text))
    assert set(re.findall(r'(?:href="|url\()#(\w+)', text)) <= set(re.findall(r'id="(\w+)"', text))


def test_a_shorter_figure_keeps_its_words():
    text = '<g id="text_1">\n  <text style="a" x="1.2345" transform="rotate(-0 1)">0.12345  x</text></g><p style="a"/>'
    text += '<g clip-path="b"><g id="line_1"><p style="a"/></g></g>'
    text += '<path id="m0123456789" d="M 1 2 \nL 3 4 \nz\n"/><use href="#m0123456789"/>'
    shorter, styles = style.compact(text)
    assert shorter == (
        '<text class="s0" x="1.23">0.12345  x</text><p class="s0"/><g clip-path="b"><p class="s0"/></g>'
        '<path id="i0" d="M 1 2L3 4z"/><use href="#i0"/>'
    )
    assert styles == ".s0{a}"


def test_without_any_time_no_page_shows_the_figure(tmp_path, name):
    assert figures.found()[name].wanted(found(tmp_path, times=campaign.always("failed"))) == {}


def test_the_words_for_those_who_cannot_see_it_come_from_the_data(tmp_path, name):
    words = drawn(tmp_path, name).alt
    assert 5 < len(words.split()) <= 60
    assert any(told in words for told in ("Blue fastest", "1 comparison", "1 network", "1 series"))


def test_a_legend_never_lies_on_a_chart(tmp_path, name):
    figure = drawn(tmp_path, name).figure
    figure.draw_without_rendering()
    charts = [axes.get_window_extent() for axes in figure.axes]
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
    assert not any(legend.get_window_extent().overlaps(chart) for legend in legends for chart in charts)


def test_environments_differ_by_colour_or_by_marker_and_the_colour_blind_can_tell():
    known = registry.environments()
    assert all(check.looks(name, known) for name in known)
    assert set(check.MARKERS) <= set(Line2D.filled_markers)
    assert style.UNKNOWN.color in check.COLORS
    readme = (Path(registry.FRAMEWORKS) / "README.md").read_text(encoding="utf-8")
    assert [color for color in check.COLORS if f"`{color}`" not in readme] == []


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"color": "#000000"}, 'color = "#000000" is none of: #e69f00'),  # black is the ink, and lost on a dark page
        ({"marker": "x"}, 'marker = "x" is none of'),
        ({"color": "other", "marker": "other"}, "have one colour and marker"),
    ],
)
def test_an_environment_that_could_not_be_told_in_a_figure_is_refused_with_the_reason(changes, why):
    known = registry.environments()
    (name, own), (_, other), *_ = known.items()
    changed = {key: getattr(other, key) if value == "other" else value for key, value in changes.items()}
    with pytest.raises(DefinitionError, match=why):
        check.looks(name, {**known, name: own._replace(**changed)})


def test_looks_are_those_of_the_framework_s_folder_whatever_a_record_says():
    (name, own), *_ = registry.environments().items()
    look = style.look_of(name, style.Look("#d55e00", "o"))
    assert (look.color, look.marker) == (own.color, own.marker)


def test_looks_of_what_has_no_folder_come_from_its_record_if_its_marker_can_be_drawn():
    assert style.look_of("of nobody", style.Look("#d55e00", "X"))[:2] == ("#d55e00", "X")
    assert style.look_of("of nobody", style.Look("#d55e00", "$x"))[:2] == ("#d55e00", "o")
    assert style.look_of("of nobody", None) == style.UNKNOWN


def test_a_file_is_written_only_when_its_bytes_change(tmp_path):
    path = tmp_path / "figure.svg"
    assert [cache.write_if_changed(path, text) for text in ("a", "a", "b")] == [True, False, True]
    assert path.read_text() == "b"
