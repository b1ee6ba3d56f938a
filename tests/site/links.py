"""Where the addresses in a built site lead: to files and anchors that are there; and nothing is fetched elsewhere.

Read from the files alone: pages, style sheets and SVG images. What scripts ask for is seen in a browser only.
`python tests/site/links.py FOLDER` prints what is wrong with a built site.
"""

import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

FETCHED = {"src", "srcset", "poster", "data", "xlink:href"}  # a browser asks for these by itself
NAMES = {"canonical", "prev", "next", "alternate", "author", "license"}  # of a link element: nothing is fetched
CSS_URL = re.compile(r"""url\(\s*["']?([^"')]+)""")
INLINE = ("data", "mailto", "tel")  # schemes that are not places


class Link(NamedTuple):
    """An address as written, and whether a browser asks for it without a reader's doing."""

    address: str
    is_fetched: bool


class Document(HTMLParser):
    """The links and the anchors of a page or an SVG image."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[Link] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element's links and its anchor."""
        named = {name: value for name, value in attrs if value}
        self.anchors.update(named[name] for name in ("id", *(("name",) if tag == "a" else ())) if name in named)
        is_fetched = (tag == "link" and named.get("rel") not in NAMES) or tag in ("use", "image")
        for name in ("href", *sorted(FETCHED)):
            if name in named:
                parts = named[name].split(",") if name == "srcset" else [named[name]]
                self.links += [Link(part.split()[0], is_fetched or name in FETCHED) for part in parts if part.strip()]
        self.links += [Link(each, is_fetched=True) for value in named.values() for each in CSS_URL.findall(value)]

    def handle_data(self, data: str) -> None:
        """Note what an embedded style sheet asks for."""
        if self.lasttag == "style":
            self.links += [Link(each, is_fetched=True) for each in CSS_URL.findall(data)]


class Sheet:
    """The links of a style sheet."""

    anchors: frozenset[str] = frozenset()

    def __init__(self, text: str) -> None:
        self.links = [Link(each, is_fetched=True) for each in CSS_URL.findall(text)]


READERS = {".html": Document, ".svg": Document, ".css": Sheet}


def broken(site: Path, root: str = "/") -> list[str]:
    """Return a line for each address that leads nowhere, or that a page fetches from elsewhere.

    `root` is the path under which a server shows the site: what an address such as /rosetta/x/ begins with.
    """
    site = site.resolve()
    found = {path: READERS[path.suffix](path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*"))
             if path.suffix in READERS}  # fmt: skip
    return [
        f"{path.relative_to(site)}: {link.address} {why}"
        for path, document in found.items()
        for link in dict.fromkeys(document.links)
        if (why := _problem(site, root, path, link, found))
    ]


def _problem(site: Path, root: str, path: Path, link: Link, found: dict[Path, Document | Sheet]) -> str | None:
    """Return what is wrong with a link of the file at `path`."""
    parts = urlsplit(link.address)
    if parts.scheme in INLINE:
        return None
    if parts.scheme or parts.netloc:
        return "is fetched from elsewhere" if link.is_fetched else None
    target = _target(site, root, path, unquote(parts.path))
    if not target.is_relative_to(site) or not target.exists():
        return "does not exist"
    is_state = "=" in parts.fragment  # what a page with a script is to show; no anchor has this sign
    if parts.fragment and not is_state and target in found and unquote(parts.fragment) not in found[target].anchors:
        return "has no such anchor"
    return None


def _target(site: Path, root: str, path: Path, address: str) -> Path:
    if address.startswith("/"):
        start, address = site, address.removeprefix(root).lstrip("/")
    else:
        start = path.parent if address else path
    target = Path(os.path.normpath(start / address))
    return target / "index.html" if target.is_dir() else target


if __name__ == "__main__":
    problems = broken(Path(sys.argv[1]))
    print(*problems, f"{len(problems)} addresses are wrong", sep="\n")
    sys.exit(bool(problems))
