"""Chromium, driven by a test or a benchmark: each visitor comes for the first time, and what happens is noted."""

import importlib.util
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request, Response

FLAGS = (
    # A mouse, which a headless browser lacks: without one, the theme lets no keyboard scroll code.
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
    # Composed by the processor alone, one page in some 200 stops to draw, and its scripts wait for ever (Chromium 150,
    # two busy cores); by the graphics driver that Chromium brings along for machines without one, none in 500 did.
    "--ignore-gpu-blocklist",
    "--enable-gpu-compositing",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--disable-gpu-rasterization",  # the processor draws faster than a driver that imitates a graphics card
)
HEIGHT = 900
USUAL = {"viewport": {"width": 1280, "height": HEIGHT}, "permissions": ["clipboard-read", "clipboard-write"]}
OWN = ("data:", "blob:", "about:")  # addresses that ask nobody for anything
CANCELLED = "net::ERR_ABORTED"


class Missing(Exception):  # noqa: N818 - a reason to skip, not an error
    """What the browser needs and this machine lacks."""


class Visitor:
    """Someone with one tab, and what has happened in it since they last opened a page; empty where nothing has."""

    def __init__(self, tab: "Page") -> None:
        self.tab = tab
        self.requests: list[str] = []  # every address that was asked for
        self.failures: list[str] = []
        self.console: list[str] = []  # errors and warnings
        self.dialogs: list[str] = []
        tab.on("request", self._asked)
        tab.on("response", self._answered)
        tab.on("requestfailed", self._failed)
        tab.on("console", lambda said: said.type in ("error", "warning") and self.console.append(said.text))
        tab.on("pageerror", lambda error: self.console.append(str(error)))
        tab.on("dialog", lambda dialog: (self.dialogs.append(f"{dialog.type} {dialog.message}"), dialog.dismiss()))

    def _asked(self, request: "Request") -> None:
        if not request.url.startswith(OWN):
            self.requests.append(request.url)

    def _answered(self, response: "Response") -> None:
        if response.status >= 400:
            self.failures.append(f"{response.url}: {response.status}")

    def _failed(self, request: "Request") -> None:
        if request.failure != CANCELLED:
            self.failures.append(f"{request.url}: {request.failure}")

    def open(self, address: str) -> None:
        """Open a page as if none had been open, and return when it has loaded."""
        self.tab.goto("about:blank")
        for told in (self.requests, self.failures, self.console, self.dialogs):
            told.clear()
        self.tab.goto(address)

    def do(self, script: str, *values: object) -> Any:
        """Run the body of a function in the page, with values as its arguments; return what it gives or promises."""
        return self.tab.evaluate(f"values => (function() {{ {script}\n }})(...values)", list(values))


@contextmanager
def browser() -> Iterator["Browser"]:
    """Start Chromium; raises Missing where it or what drives it is not installed."""
    binary = shutil.which("chromium")
    if not binary:
        raise Missing("the browser tests need Debian's package chromium")
    if not importlib.util.find_spec("playwright"):
        raise Missing("pip install -r tests/requirements-browser.txt")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=binary, args=FLAGS)
        try:
            yield chromium
        finally:
            chromium.close()


@contextmanager
def visiting(chromium: "Browser", watch: str = "", **options: Any) -> Iterator[Visitor]:
    """Let someone come for the first time; `watch` is a script that runs before any of a page's own.

    Options are those of Playwright's contexts, as `java_script_enabled`; see USUAL for what is not said.
    """
    with chromium.new_context(**{**USUAL, **options}) as context:
        if watch:
            context.add_init_script(watch)
        yield Visitor(context.new_page())
