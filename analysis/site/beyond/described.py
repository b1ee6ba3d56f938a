"""What each page is about: its address, its title and one sentence, read from its Markdown file."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
TITLE = re.compile(r"^# (.+?)(?: \{.*\})?$", re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
NO_PROSE = ("<", "#", "-", "|", "```", "{", "?", "!", ">", "*")  # what begins a block that is no plain paragraph
SENTENCE = re.compile(r"(?<=[.?!])(?<!al\.) (?=[A-Z\"`])")


class Described(NamedTuple):
    """A page; `sentence` is empty where the page has none of this project's own words."""

    address: str  # below the site's
    title: str
    sentence: str


def pages(docs: Path, nav: list[Any]) -> Iterator[Described]:
    """Yield the pages of a navigation in its order."""
    for item in nav:
        if isinstance(item, dict):
            yield from pages(docs, list(item.values()))
        elif isinstance(item, list):
            yield from pages(docs, item)
        elif (docs / item).exists():
            yield page(docs, item)


def page(docs: Path, name: str) -> Described:
    """Return what a page is about.

    The sentence is the `description` of its front matter, or the first one below the title. A paragraph with character
    references is skipped, because text from results is written so.
    """
    text = (docs / name).read_text(encoding="utf-8")
    front = FRONT.match(text)
    stated = yaml.safe_load(front[1]) if front else {}
    body = text[front.end() :] if front else text
    title = TITLE.search(body)
    prose = (body[title.end() :] if title else body).strip().partition("\n\n")[0]
    is_ours = not prose.startswith(NO_PROSE) and "&#" not in prose
    sentence = stated.get("description") or (SENTENCE.split(_plain(prose))[0] if is_ours else "")
    return Described(_address(name), _plain(title[1]) if title else stated.get("title", ""), sentence)


def _address(name: str) -> str:
    place = name.removesuffix(".md")
    return "" if place == "index" else f"{place.removesuffix('/index')}/"


def _plain(text: str) -> str:
    """Return Markdown as plain text on one line."""
    return html.unescape(" ".join(LINK.sub(r"\1", text).replace("`", "").replace("**", "").split()))
