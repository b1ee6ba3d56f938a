"""The built site in a real browser: every page opens without an error or a foreign request, and its controls work."""

import time

import pytest
from views import TELEPHONE, read, reading

pytestmark = pytest.mark.browser

WORKLOAD = "generated/workloads/mnist_mlp/"
SCHEME = "return document.body.getAttribute('data-md-color-scheme')"


@pytest.mark.nightly  # the gate reads a page of each kind: test_views.py
@pytest.mark.long
def test_every_page_opens_cleanly_and_fits_a_telephone(chromium, address, site):
    found = [page.relative_to(site).as_posix() for page in sorted(site.rglob("*.html"))]
    assert len(found) >= 10
    with reading(chromium, TELEPHONE) as reader:
        for page in found:
            seen = read(reader, address + page)
            assert seen.console == seen.refused == seen.failures == [], page
            assert [url for url in seen.requests if not url.startswith(address)] == [], page
            assert (seen.titles, max(seen.width, TELEPHONE.width)) == (1, TELEPHONE.width), page


def test_the_reader_can_switch_to_dark_and_the_page_darkens(visitor, address):
    visitor.open(address)
    lightness = (
        "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0)"
    )
    toggle = "document.querySelector('form[data-md-component=palette] label:not([hidden])').click()"
    seen = {}
    for _ in range(3):
        visitor.do(toggle)
        time.sleep(0.2)
        seen[visitor.do(SCHEME)] = visitor.do(lightness)
    assert seen["slate"] < 250  # of 3 x 255
    assert seen["default"] > 500


def test_boxes_choose_the_code_that_is_shown_side_by_side(visitor, address):
    visitor.open(address + WORKLOAD)
    shown = "return [...document.querySelectorAll('.stone > .highlight')].filter(each => each.checkVisibility()).length"
    before = visitor.do(shown)
    visitor.do("document.querySelector('.choose .pick-2').click()")
    assert (before, visitor.do(shown)) == (2, 1)


def test_a_box_shows_the_statement(visitor, address):
    visitor.open(address + WORKLOAD)
    statement = visitor.tab.locator(".stone > .code-1")
    assert not statement.is_visible()
    visitor.do("document.querySelector('.choose .pick-1').click()")
    assert "def weights" in statement.inner_text()


def test_a_table_that_scrolls_can_be_reached_by_keyboard(visitor, address):
    visitor.open(address + "lessons/")
    named = "frame => frame.tabIndex === 0 && frame.getAttribute('aria-label').length > 0"
    frames = visitor.do(f"return [...document.querySelectorAll('.frame')].map({named})")
    assert frames
    assert all(frames)
