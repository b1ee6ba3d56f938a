"""Count what a reader sees of a built page: words outside code, with alternative texts, and figures."""

import re
from html.parser import HTMLParser
from pathlib import Path

WORD = re.compile(r"\w[\w.,'%/-]*")
UNSEEN = {"script", "style", "pre", "nav", "header", "footer", "head", "template", "title"}
VOID = {"img", "br", "hr", "input", "meta", "link", "source", "wbr", "col", "path", "use", "area", "base", "embed"}
FIGURES = {"img", "canvas"}


class Page(HTMLParser):
    """The words and figures of a page's article."""

    def __init__(self) -> None:
        super().__init__()
        self.words = self.figures = 0
        self.longest_alt = 0
        self._article = self._unseen = 0
        self._stack: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note where the article and what is unseen begin, and count alternative texts and figures."""
        known = dict(attributes)
        if self._article and not self._unseen:
            alt = known.get("alt") or ""
            self.words += len(WORD.findall(alt)) + len(WORD.findall(known.get("title") or ""))
            self.longest_alt = max(self.longest_alt, len(WORD.findall(alt)))
            self.figures += tag in FIGURES
        if tag in VOID:
            return
        self._stack.append(tag)
        self._article += tag == "article"
        self._unseen += tag in UNSEEN

    def handle_endtag(self, tag: str) -> None:
        """Note where they end; an element that nobody closed ends with the one around it."""
        while tag in self._stack:
            closed = self._stack.pop()
            self._article -= closed == "article"
            self._unseen -= closed in UNSEEN
            if closed == tag:
                break

    def handle_data(self, data: str) -> None:
        """Count the words of text that is seen."""
        if self._article and not self._unseen:
            self.words += len(WORD.findall(data))


def read(path: Path) -> Page:
    """Return what a reader sees of a built page."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def svg_words(path: Path) -> int:
    """Return how many words a figure's file shows: its `text` elements."""
    shown = re.findall(r"<text[^>]*>(.*?)</text>", path.read_text(encoding="utf-8"), re.DOTALL)
    return sum(len(WORD.findall(re.sub("<[^>]+>", "", text))) for text in shown)
