"""A page as one reader sees it, read to its end, and what the browser and axe have to say about it."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from driven import Browser, open_anew, persist

STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
TALLEST = 6000  # pixels of a picture; a longer page is cut

# Runs before a page's own scripts. No colours chosen earlier: a reader's first visit.
WATCH = """
if (location.protocol.startsWith('http')) {
  localStorage.clear();
  window.watched = {refused: [], moved: [], shift: 0};
  addEventListener('securitypolicyviolation', refused => watched.refused.push(
    `${refused.effectiveDirective}: ${refused.blockedURI} (${refused.sourceFile}:${refused.lineNumber})`));
  // The columns of a long table find their widths while its rows arrive, as those of any table do.
  const inTable = ({node}) => (node?.closest ? node : node?.parentElement)?.closest('table');
  const counts = entry => !entry.hadRecentInput && !(entry.sources.length && entry.sources.every(inTable));
  new PerformanceObserver(list => list.getEntries().filter(counts).forEach(entry => {
    const what = entry.sources.map(({node}) => node?.outerHTML?.replace(/\\s+/g, ' ').slice(0, 120)).join(', ');
    watched.shift += entry.value;
    watched.moved.push(`moved by ${entry.value.toFixed(4)}: ${what}`);
  })).observe({type: 'layout-shift', buffered: true});
}
"""
READ = """
const done = arguments[0];
const end = performance.now() + 15000;
const wait = milliseconds => new Promise(next => setTimeout(next, milliseconds));
const frame = () => new Promise(requestAnimationFrame).then(() => wait(0));
const isLoading = () => document.querySelector('.explorer:not(.ready, .failed)')
  || [...document.images].some(image => image.checkVisibility() && !image.complete);
const scroll = top => scrollTo({top, behavior: 'instant'});
(async () => {
  for (let top = 0; top < document.body.scrollHeight && performance.now() < end; top += innerHeight) {
    scroll(top);
    await frame();
  }
  while (isLoading() && performance.now() < end) await frame();
  scroll(0);
  await wait(200);
  const colours = document.body.dataset.mdColorScheme;
  const titles = document.querySelectorAll('h1').length;
  return {...watched, colours, titles, width: document.documentElement.scrollWidth};
})().then(done, error => done({problem: String(error)}));
"""
UNFOLD = """
const done = arguments[0];
document.querySelectorAll('details').forEach(each => { each.open = true; });
document.querySelectorAll('.tabbed-block').forEach(each => each.style.setProperty('display', 'block', 'important'));
setTimeout(done, 300);  // the theme lets a keyboard scroll code that has come into view
"""
ASK_AXE = """
const [tags, done] = arguments;
const told = ({id, help, nodes}) => `${id}: ${help}. ${nodes.length} times, first ${nodes[0].html.slice(0, 200)}: `
  + nodes[0].any.concat(nodes[0].all, nodes[0].none).map(check => check.message).join('; ');
axe.run(document, {runOnly: {type: 'tag', values: tags}, resultTypes: ['violations']}).then(
  ({violations}) => done(violations.map(told)), error => done([`axe failed: ${error}`]));
"""


class View(NamedTuple):
    """The colours that a reader's system has, and the width of the window in pixels."""

    scheme: str
    width: int

    def __str__(self) -> str:
        return f"{self.scheme}-{self.width}"


VIEWS = [View(scheme, width) for scheme in ("light", "dark") for width in (1280, 390)]
TELEPHONE = View("light", 390)


class Seen(NamedTuple):
    """What a page was like; the lists are empty where nothing is wrong."""

    requests: list[str]  # every address that was asked for
    failures: list[str]
    console: list[str]  # errors and warnings
    refused: list[str]  # by the page's content security policy
    moved: list[str]  # layout shifts: how far, and what
    shift: float  # all of them together
    colours: str  # the theme's name of them
    titles: int  # headings of the first level
    width: int  # pixels that the content takes


@contextmanager
def reading(chromium: Browser, view: View) -> Iterator[None]:
    """Let the browser be that of a reader who comes for the first time."""
    size = {"width": view.width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    colours = {"name": "prefers-color-scheme", "value": view.scheme}
    still = {"name": "prefers-reduced-motion", "value": "reduce"}
    settings = (
        ("Emulation.setDeviceMetricsOverride", size),
        ("Emulation.setEmulatedMedia", {"features": [colours, still]}),
        ("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH}),
    )
    try:
        with chromium.set(*settings):
            yield
    finally:
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def read(chromium: Browser, page: str) -> Seen:
    """Open a page, scroll through it so that all of it loads, and return what happened; within `reading`."""
    return persist(chromium, page, lambda: _read(chromium, page))


def _read(chromium: Browser, page: str) -> Seen:
    open_anew(chromium, page)
    found = chromium.execute_async_script(READ)
    assert "problem" not in found, found["problem"]
    messages = [json.loads(entry["message"])["message"] for entry in chromium.get_log("performance")]
    console = [entry["message"] for entry in chromium.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    return Seen(_requests(messages), _failures(messages), console, **found)


def _requests(messages: list[dict[str, Any]]) -> list[str]:
    urls = [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]
    return [url for url in urls if not url.startswith(("data:", "blob:", "about:"))]


def _failures(messages: list[dict[str, Any]]) -> list[str]:
    told = []
    for each in messages:
        about = each["params"]
        if each["method"] == "Network.loadingFailed" and not about.get("canceled"):
            told.append(f"{about['type']}: {about['errorText']}")
        if each["method"] == "Network.responseReceived" and about["response"]["status"] >= 400:
            told.append(f"{about['response']['url']}: {about['response']['status']}")
    return told


def ask(axe: str, chromium: Any) -> list[str]:
    """Unfold all of the page that is open; return what of it breaks WCAG 2.0 to 2.2, levels A and AA."""
    chromium.execute_async_script(UNFOLD)
    chromium.execute_script(axe)
    return list(chromium.execute_async_script(ASK_AXE, STANDARD))


def picture(chromium: Any, width: int, file: Path) -> None:
    """Keep a picture of the whole page that is open."""
    height = min(chromium.execute_script("return document.documentElement.scrollHeight"), TALLEST)
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    taken = chromium.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(base64.b64decode(taken["data"]))
