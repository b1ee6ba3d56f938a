"""A page as one reader sees it, read to its end, and what the browser and axe have to say about it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from driven import HEIGHT, Visitor, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser

STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
TALLEST = 6000  # pixels of a picture; a longer page is cut

WATCH = """
if (location.protocol.startsWith('http')) {
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
const end = performance.now() + 15000;
const wait = milliseconds => new Promise(next => setTimeout(next, milliseconds));
const frame = () => new Promise(requestAnimationFrame).then(() => wait(0));
const isLoading = () => document.querySelector('.explorer:not(.ready, .failed)')
  || [...document.images].some(image => image.checkVisibility() && !image.complete);
const scroll = top => scrollTo({top, behavior: 'instant'});
return (async () => {
  for (let top = 0; top < document.body.scrollHeight && performance.now() < end; top += innerHeight) {
    scroll(top);
    await frame();
  }
  while (isLoading() && performance.now() < end) await frame();
  scroll(0);
  await wait(200);
  const colours = document.body.dataset.mdColorScheme ?? null;
  const titles = document.querySelectorAll('h1').length;
  return {...watched, colours, titles, width: document.documentElement.scrollWidth};
})();
"""
# A list of pages is scrolled to the one that is open, which leaves another half under the list's heading: it is
# scrolled back, so that a link is judged by its own size.
UNFOLD = """
document.querySelectorAll('.md-sidebar__scrollwrap').forEach(each => { each.scrollTop = 0; });
document.querySelectorAll('details').forEach(each => { each.open = true; });
document.querySelectorAll('.tabbed-block').forEach(each => each.style.setProperty('display', 'block', 'important'));
return new Promise(done => setTimeout(done, 300));  // the theme lets a keyboard scroll code that has come into view
"""
ASK_AXE = """
const [tags] = arguments;
const told = ({id, help, nodes}) => `${id}: ${help}. ${nodes.length} times, first ${nodes[0].html.slice(0, 200)}: `
  + nodes[0].any.concat(nodes[0].all, nodes[0].none).map(check => check.message).join('; ');
return axe.run(document, {runOnly: {type: 'tag', values: tags}, resultTypes: ['violations']}).then(
  ({violations}) => violations.map(told), error => [`axe failed: ${error}`]);
"""


class View(NamedTuple):
    """The colours that a reader's system has, and the width of the window in pixels."""

    scheme: str
    width: int

    def __str__(self) -> str:
        return f"{self.scheme}-{self.width}"


DESK, TELEPHONE = View("light", 1280), View("dark", 390)
VIEWS = [pytest.param(view, id=str(view)) for view in (DESK, TELEPHONE)]
VIEWS += [pytest.param(view, id=str(view), marks=pytest.mark.nightly)
          for view in (View("light", 390), View("dark", 1280))]  # fmt: skip


class Seen(NamedTuple):
    """What a page was like; the lists are empty where nothing is wrong."""

    requests: list[str]  # every address that was asked for
    failures: list[str]
    console: list[str]  # errors and warnings
    refused: list[str]  # by the page's content security policy
    moved: list[str]  # layout shifts: how far, and what
    shift: float  # all of them together
    colours: str | None  # the theme's name of them; a figure alone has no theme
    titles: int  # headings of the first level
    width: int  # pixels that the content takes


@contextmanager
def reading(chromium: "Browser", view: View) -> Iterator[Visitor]:
    """Let someone with that view come for the first time."""
    size = {"width": view.width, "height": HEIGHT}
    with visiting(chromium, WATCH, viewport=size, color_scheme=view.scheme, reduced_motion="reduce") as visitor:
        yield visitor


def read(visitor: Visitor, page: str) -> Seen:
    """Open a page, scroll through it so that all of it loads, and return what happened; within `reading`."""
    visitor.open(page)
    found = visitor.do(READ)
    return Seen([*visitor.requests], [*visitor.failures], [*visitor.console], **found)


def ask(axe: str, visitor: Visitor) -> list[str]:
    """Unfold all of the page that is open; return what of it breaks WCAG 2.0 to 2.2, levels A and AA."""
    visitor.do(UNFOLD)
    visitor.do(axe)
    return list(visitor.do(ASK_AXE, STANDARD))


def picture(visitor: Visitor, width: int, file: Path) -> None:
    """Keep a picture of the whole page that is open."""
    height = min(visitor.do("return document.documentElement.scrollHeight"), TALLEST)
    visitor.tab.screenshot(full_page=True, clip={"x": 0, "y": 0, "width": width, "height": height}, path=file)


def nothing(found: dict[str, list[str]]) -> None:
    """Fail with a line for each problem, by kind of page."""
    lines = [f"{kind}: {line}" for kind, own in found.items() for line in own]
    assert not lines, "\n".join(["", *lines])
