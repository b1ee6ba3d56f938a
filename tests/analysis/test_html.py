"""Text of a result file reaches a page only as text."""

from html import unescape
from html.parser import HTMLParser

import markdown
import pytest

from analysis.site import template
from analysis.text import html

HOSTILE = [
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "*a*{ onclick=alert(1) }",
    "<img src=x onerror=alert(1)>",
    '--8<-- "mkdocs.yml"',
    "# heading",
    "{{ 7 * 7 }}",
    "`code` | pipe",
    "</td></table><h1>",
    "&lt;b&gt;",
    "$\\frac{1}{$",
]


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.attributes, self.text = [], [], ""

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        self.attributes.extend(name for name, _ in attrs)

    def handle_data(self, data):
        self.text += data


def table(caption, header, rows):
    return template.render("table.html", caption=caption, header=header, rows=rows, kind="")


def rendered(cell):
    page = markdown.markdown(
        f"before\n\n{table('a table', ('name', 'why'), [('x', cell)])}\n\nafter", extensions=["attr_list", "tables"]
    )
    elements = Elements()
    elements.feed(page)
    return elements


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_a_cell_stays_text(text):
    usual, found = rendered("plain"), rendered(text)
    assert (found.found, found.attributes) == (usual.found, usual.attributes)
    assert text in found.text


def test_text_that_turns_the_reading_direction_loses_that_power():
    assert html.safe("abc\u202edef\u200b\x07") == "abcdef"


def test_lines_become_one_and_long_text_is_cut():
    assert unescape(html.safe("a\nb\t c", 80)) == "a b c"
    assert len(unescape(html.safe("x" * 500, 80))) == 80


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Red 1.0 takes 2.5 ms. Blue 1.0 takes 3.5 ms, as before. Green", "Red 1.0 takes 2.5 ms"),
        ("Times: Red 1.0 takes 2.5 ms; Blue takes 3.5, 4.5 and 5.5 ms", "Times: Red 1.0 takes 2.5 ms"),
        ("Times: Red 1.0 takes 2.5 ms, Blue takes 3.5 and 4.5 ms in all", "Times: Red 1.0 takes 2.5 ms"),
    ],
)
def test_words_for_a_picture_end_where_a_sentence_or_a_part_of_it_does(text, kept):
    assert html.whole(text, 58) == kept + html.MORE
    assert len(html.whole(text, 58)) <= 58
    assert html.whole(text, len(text)) == text
    assert "Red" in html.image("a.svg", text, (1, 1))


def test_own_markup_is_not_escaped_twice():
    assert html.join([html.element("b", "1 < 2"), " & more"]) == "<b>1 &#60; 2</b> &#38; more"


def test_a_table_can_be_read_by_keyboard_and_by_a_screen_reader():
    text = table("the caption", ("name", "value"), [("a", "1")])
    for part in (
        'tabindex="0"',
        'aria-label="the caption"',
        "<caption>the caption</caption>",
        'scope="col"',
        'scope="row"',
    ):
        assert part in text


def test_a_table_is_one_block_without_a_blank_line():
    assert "\n\n" not in table("caption", ("a", "b"), [("1", "x\n\ny"), ("2", "z")]).strip()
