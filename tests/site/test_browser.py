"""The built site in a real browser: every page opens without an error or a foreign request, and its controls work."""

import time

import pytest
from views import TELEPHONE, read, reading

pytestmark = pytest.mark.browser

WORKLOAD = "generated/workloads/mnist_mlp/"
SCHEME = "return document.body.getAttribute('data-md-color-scheme')"


def test_every_page_opens_cleanly_and_fits_a_telephone(chromium, address, site):
    found = [page.relative_to(site).as_posix() for page in sorted(site.rglob("*.html"))]
    assert len(found) >= 10
    with reading(chromium, TELEPHONE):
        for page in found:
            seen = read(chromium, address + page)
            assert seen.console == seen.refused == seen.failures == [], page
            assert [url for url in seen.requests if not url.startswith(address)] == [], page
            assert (seen.titles, max(seen.width, TELEPHONE.width)) == (1, TELEPHONE.width), page


def test_a_browser_that_hangs_is_started_anew_set_as_it_was_and_the_reader_is_told(chromium, address):
    with reading(chromium, TELEPHONE):
        before = read(chromium, address)
        chromium.set_page_load_timeout(3)
        for process in chromium.processes():
            if "--type=renderer" in process.cmdline():
                process.suspend()
        with pytest.warns(UserWarning, match="the browser hung at .* and was started anew"):
            seen = read(chromium, address)
    assert (seen.colours, seen.width) == (before.colours, before.width)
    assert seen.width <= TELEPHONE.width


def test_the_reader_can_switch_to_dark_and_the_page_darkens(chromium, address):
    chromium.get(address)
    lightness = (
        "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0)"
    )
    toggle = "document.querySelector('form[data-md-component=palette] label:not([hidden])').click()"
    seen = {}
    for _ in range(3):
        chromium.execute_script(toggle)
        time.sleep(0.2)
        seen[chromium.execute_script(SCHEME)] = chromium.execute_script(lightness)
    assert seen["slate"] < 250  # of 3 x 255
    assert seen["default"] > 500


def test_code_tabs_switch(chromium, address):
    chromium.get(address + WORKLOAD)
    blocks = "[...document.querySelectorAll('.tabbed-set .tabbed-block')]"
    visible = f"return {blocks}.filter(block => block.offsetParent).map(block => block.textContent)"
    before = chromium.execute_script(visible)
    chromium.execute_script("document.querySelectorAll('.tabbed-set .tabbed-labels label')[1].click()")
    time.sleep(0.3)
    after = chromium.execute_script(visible)
    assert len(before) == len(after) == 1
    assert before != after


def test_the_problem_unfolds(chromium, address):
    chromium.get(address + WORKLOAD)
    chromium.execute_script("document.querySelector('details.abstract summary').click()")
    assert "def weights" in chromium.execute_script("return document.querySelector('details.abstract[open]').innerText")


def test_a_table_that_scrolls_can_be_reached_by_keyboard(chromium, address):
    chromium.get(address + "lessons/")
    named = "frame => frame.tabIndex === 0 && frame.getAttribute('aria-label').length > 0"
    frames = chromium.execute_script(f"return [...document.querySelectorAll('.frame')].map({named})")
    assert frames
    assert all(frames)


def test_the_site_reads_without_scripts(chromium, address):
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        chromium.get(address + WORKLOAD)
        assert "class Model" in chromium.find_element("css selector", "article").text
    finally:
        chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
