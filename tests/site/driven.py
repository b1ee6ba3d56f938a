"""A browser that a test or a benchmark drives, with a profile of its own."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--disable-dev-shm-usage", "--window-size=1280,900",
    # Pages left behind stay alive for the way back, and their workers now and then stop the driver until it times out.
    "--disable-features=BackForwardCache",
    # A mouse, which a headless browser lacks: without one, the theme lets no keyboard scroll code.
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
)  # fmt: skip

HAS_LOADED = "return location.href !== 'about:blank' && document.readyState === 'complete'"
LONGEST_S = 30


class Missing(Exception):  # noqa: N818 - a reason to skip, not an error
    """What the browser needs and this machine lacks."""


@contextmanager
def browser() -> Iterator[object]:
    """Start Chromium; raises Missing where it or its driver is not installed."""
    binary, driver = (shutil.which(name) for name in ("chromium", "chromedriver"))
    if not binary or not driver:
        raise Missing("the browser tests need Debian's packages chromium and chromium-driver")
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        raise Missing("pip install -r tests/requirements-browser.txt") from None

    profile = tempfile.mkdtemp(prefix="rosetta-browser-")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driven = webdriver.Chrome(options=options, service=Service(driver))
    try:
        # A window that nobody sees has no focus, and copies nothing without.
        driven.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
        yield driven
    finally:
        driven.quit()
        shutil.rmtree(profile, ignore_errors=True)


def open_anew(chromium: Any, page: str) -> None:
    """Open a page as if none had been open, and return when it has loaded.

    The driver may take the end of the empty page's loading for that of the next, and return when nothing is there yet.
    """
    chromium.get("about:blank")
    chromium.get_log("performance"), chromium.get_log("browser")
    chromium.get(page)
    end = time.monotonic() + LONGEST_S
    while chromium.execute_script(HAS_LOADED) is not True:
        assert time.monotonic() < end, f"{page} has not loaded within {LONGEST_S} s"
        time.sleep(0.02)
