"""A browser that a test or a benchmark drives, with a profile of its own."""

import importlib.util
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import psutil

Done = TypeVar("Done")

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


class Browser:
    """Chromium with its driver, whose methods are its own; started anew where it hangs, and set as it was."""

    def __init__(self, binary: str, driver: str) -> None:
        self._programs = binary, driver
        self._settings: list[tuple[str, dict[str, Any]]] = []
        self._scripts: list[dict[str, Any]] = []
        self._start()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._driven, name)

    def _start(self) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        binary, driver = self._programs
        self._profile = tempfile.mkdtemp(prefix="rosetta-browser-")
        options = webdriver.ChromeOptions()
        options.binary_location = binary
        for flag in (*FLAGS, f"--user-data-dir={self._profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self._driven = webdriver.Chrome(options=options, service=Service(driver))
        self._driven.set_page_load_timeout(2 * LONGEST_S)
        self._driven.set_script_timeout(2 * LONGEST_S)
        # A window that nobody sees has no focus, and copies nothing without.
        self._driven.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
        self._apply()

    def _apply(self) -> None:
        answers = [self._driven.execute_cdp_cmd(*each) for each in self._settings]
        self._scripts = [answer for answer in answers if "identifier" in answer]

    @contextmanager
    def set(self, *settings: tuple[str, dict[str, Any]]) -> Iterator[None]:
        """Send commands of the protocol, to a browser started anew as well; scripts are taken back at the end."""
        self._settings = [*settings]
        self._apply()
        try:
            yield
        finally:
            self._settings = []
            for script in self._scripts:
                self._driven.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)

    def processes(self) -> list[psutil.Process]:
        """Return the driver's process and all below it."""
        top = psutil.Process(self._driven.service.process.pid)
        return [top, *top.children(recursive=True)]

    def restart(self) -> None:
        """Kill the browser, which may hang, and start another."""
        found = self.processes()
        for each in found:
            with suppress(psutil.NoSuchProcess):
                each.kill()
        psutil.wait_procs(found, timeout=LONGEST_S)
        shutil.rmtree(self._profile, ignore_errors=True)
        self._start()

    def stop(self) -> None:
        """End the browser."""
        self._driven.quit()
        shutil.rmtree(self._profile, ignore_errors=True)


@contextmanager
def browser() -> Iterator[Browser]:
    """Start Chromium; raises Missing where it or its driver is not installed."""
    binary, driver = (shutil.which(name) for name in ("chromium", "chromedriver"))
    if not binary or not driver:
        raise Missing("the browser tests need Debian's packages chromium and chromium-driver")
    if not importlib.util.find_spec("selenium"):
        raise Missing("pip install -r tests/requirements-browser.txt")
    driven = Browser(binary, driver)
    try:
        yield driven
    finally:
        driven.stop()


def persist(chromium: Browser, where: str, act: Callable[[], Done]) -> Done:
    """Do what a browser does not end where it hangs; then once more in another, and say so."""
    from selenium.common.exceptions import TimeoutException

    try:
        return act()
    except TimeoutException as hung:
        warnings.warn(f"the browser hung at {where} and was started anew: {hung.msg}", stacklevel=2)
        chromium.restart()
        return act()


def open_anew(chromium: Browser, page: str) -> None:
    """Open a page as if none had been open, and return when it has loaded."""
    persist(chromium, page, lambda: _open(chromium, page))


def _open(chromium: Browser, page: str) -> None:
    """Open a page.

    The driver may take the end of the empty page's loading for that of the next, and return when nothing is there yet.
    """
    chromium.get("about:blank")
    chromium.get_log("performance"), chromium.get_log("browser")
    chromium.get(page)
    end = time.monotonic() + LONGEST_S
    while chromium.execute_script(HAS_LOADED) is not True:
        assert time.monotonic() < end, f"{page} has not loaded within {LONGEST_S} s"
        time.sleep(0.02)
