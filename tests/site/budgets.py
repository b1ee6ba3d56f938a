"""How many words and figures the pages of a built site hold, and which pages are over their budget.

    python tests/site/budgets.py site/

Words are what a reader can see or unfold in a page's article, its alternative texts and tooltips, and the text inside
its figures. Code (`pre`) and the table of the Results page are not counted, nor are decision records. The command
prints a line for each page over its budget and one for the whole site. Its exit code is 1 if anything is over.
"""

import functools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

WORDS, FIGURES = 60_000, 120  # of the whole site
HTML = 150_000  # bytes of a page
ALTERNATIVE = 60  # words of an alternative text
METHOD = 3_000  # words of the pages of METHOD_PAGES together
METHOD_PAGES = ("method", "parity", "controls", "limits")
OTHERS = 600  # words of a page that LIMITS does not name
LIMITS = {  # of a page, by its address; * is one folder
    "": 400, "lessons": 3_000, "get_started": 800, "then_and_now": 900, "articles/*": 1_500,
    "generated/workloads/*": 900, "generated/frameworks/*": 900, **dict.fromkeys(METHOD_PAGES, METHOD),
}  # fmt: skip
UNCOUNTED = ("decisions", "embed")  # folders: records of decisions, and figures that other pages show already
RESULTS = "results"  # the page whose table is not counted

WORD = re.compile(r"\S*\w\S*")
SILENT = {"pre", "script", "style", "template", "metadata", "head", "nav", "header", "footer"}  # and comments
SPOKEN = ("alt", "title")
OF_THEME = {"headerlink", "md-content__button", "md-clipboard"}  # classes of what the theme adds to an article

Element = Any  # of lxml, which has no types of its own


class Page(NamedTuple):
    """What one page holds; `address` is below the site's, without a slash at its end."""

    address: str
    words: int
    figures: int
    size: int  # bytes of HTML
    longest: int  # words of its longest alternative text

    @property
    def is_counted(self) -> bool:
        """Say whether the page counts for the whole site."""
        return self.address.partition("/")[0] not in UNCOUNTED

    @property
    def limit(self) -> int:
        """Return the most words that it may hold."""
        return LIMITS.get(self.address, LIMITS.get(f"{self.address.rpartition('/')[0]}/*", OTHERS))

    def faults(self) -> Iterator[str]:
        """Yield what is over its budget."""
        if self.is_counted and self.words > self.limit:
            yield f"{self.words:,} words, at most {self.limit:,}"
        if self.size > HTML:
            yield f"{self.size / 1e3:,.0f} KB of HTML, at most {HTML / 1e3:,.0f}"
        if self.longest > ALTERNATIVE:
            yield f"an alternative text of {self.longest} words, at most {ALTERNATIVE}"


def pages(site: Path) -> list[Page]:
    """Return every page of a built site, by address."""
    return [_page(site, path) for path in sorted(site.rglob("*.html")) if path.name != "404.html"]


def over(found: list[Page]) -> list[str]:
    """Return a line for each page over its budget, the longest page first, and for the sums that are over theirs."""
    longest = sorted(found, key=lambda page: -page.words)
    lines = [f"{page.address or 'home'}: {fault}" for page in longest for fault in page.faults()]
    counted = [page for page in found if page.is_counted]
    method = sum(page.words for page in counted if page.address in METHOD_PAGES)
    sums = (
        ("method, all its pages", method, METHOD, "words"),
        ("the site", sum(page.words for page in counted), WORDS, "words"),
        ("the site", sum(page.figures for page in counted), FIGURES, "figures"),
    )
    return lines + [f"{name}: {sum_:,} {unit}, at most {most:,}" for name, sum_, most, unit in sums if sum_ > most]


def _page(site: Path, path: Path) -> Page:
    address = path.relative_to(site).as_posix().removesuffix("index.html").removesuffix(".html").rstrip("/")
    tree = etree.fromstring(path.read_bytes(), etree.HTMLParser(encoding="utf-8", remove_comments=True))
    own = tree.find(".//article")
    seen = _Seen(site, path.parent, is_results=address == RESULTS)
    seen.read(tree.find("body") if own is None else own)
    return Page(address, seen.words, seen.figures, path.stat().st_size, seen.longest)


class _Seen:
    """What was counted so far of one page."""

    def __init__(self, site: Path, folder: Path, is_results: bool) -> None:
        self.site, self.folder = site, folder
        self.silent = SILENT | {"table"} if is_results else SILENT
        self.words = self.figures = self.longest = 0

    def read(self, element: Element) -> None:
        """Count an element and all that it holds; not the text after it."""
        if element.tag in self.silent or OF_THEME & set((element.get("class") or "").split()):
            return
        self.words += sum(count(element.get(name)) for name in SPOKEN)
        self.longest = max(self.longest, count(element.get("alt")))
        if element.tag in ("img", "svg", "canvas"):
            self.figures += 1
            self.words += self._words_of_file(element.get("src") or "")
        self.words += count(element.text)
        for child in element:
            self.read(child)
            self.words += count(child.tail)

    def _words_of_file(self, address: str) -> int:
        path = (self.folder / address.partition("#")[0]).resolve()
        return _words_in_svg(path) if path.suffix == ".svg" and path.is_file() else 0


@functools.cache
def _words_in_svg(path: Path) -> int:
    tree = etree.parse(path, etree.XMLParser(recover=True))
    return sum(count(" ".join(text.itertext())) for text in tree.iter("{*}text"))


def count(text: str | None) -> int:
    """Return the number of words: what spaces separate and has a letter or a digit."""
    return len(WORD.findall(text or ""))


def main(folder: str) -> int:
    """Print what is over its budget, and what the site holds."""
    found = pages(Path(folder))
    counted = [page for page in found if page.is_counted]
    lines, words, figures = over(found), sum(p.words for p in counted), sum(p.figures for p in counted)
    print(*lines, f"{len(found)} pages, {words:,} words and {figures:,} figures counted", sep="\n")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
