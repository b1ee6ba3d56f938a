"""Parts of pages as HTML. Text of a result file is untrusted: here it becomes numeric character references.

No Markdown, attribute list, snippet or template can come of `&#60;`. `html.escape` alone leaves `[x](y)` and
`*a*{ onclick=... }` alive, because pages pass through Markdown after it.
"""

import functools
import hashlib
import re
import string
import unicodedata
from collections.abc import Iterable

NAME_LENGTH = 80
REASON_LENGTH = 400
ALT_LENGTH = 1000
UNSEARCHED = frozenset({"source", "missing", "changed", "again"})  # kinds of paragraphs that other pages show, too
MORE = ". The rest is in the CSV file."
PLAIN = frozenset(string.ascii_letters + string.digits + " .-")


class Markup(str):
    """HTML made by this project: the only text that a table or a template does not escape."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def visible(text: object, length: int = REASON_LENGTH) -> str:
    """Return any text as one line, cut at `length`, control and direction characters removed: not yet HTML."""
    line = re.sub(r"\s+", " ", str(text))
    kept = [character for character in line if unicodedata.category(character)[0] != "C"]
    return "".join(kept if len(kept) <= length else [*kept[: length - 1], "…"])


def safe(text: object, length: int = REASON_LENGTH) -> Markup:
    """Return any text as harmless HTML: what is visible of it, as numeric character references."""
    return _references(str(text), length)


@functools.lru_cache(maxsize=1 << 14)  # pages repeat names, units and small numbers
def _references(text: str, length: int) -> Markup:
    kept = visible(text, length)
    return Markup("".join(character if character in PLAIN else f"&#{ord(character)};" for character in kept))


def slug(text: object) -> str:
    """Return what stands for a text in addresses: the same whatever else there is, and nothing of its words."""
    return hashlib.sha256(str(text).encode()).hexdigest()[:8]


def markup(cell: str) -> Markup:
    """Return a cell's HTML, escaping it unless it is Markup already."""
    return cell if isinstance(cell, Markup) else safe(cell)


def join(parts: Iterable[str], glue: str = "") -> Markup:
    """Join cells, each escaped unless it is Markup."""
    return Markup(glue.join(markup(part) for part in parts))


def element(name: str, content: str, **attributes: str) -> Markup:
    """Return one element; attributes are escaped, `kind` is the class."""
    stated = {"class" if key == "kind" else key: safe(value) for key, value in sorted(attributes.items())}
    opened = " ".join([name, *(f'{key}="{value}"' for key, value in stated.items())])
    return Markup(f"<{opened}>{markup(content)}</{name}>")


def link(target: str, text: str) -> Markup:
    """Return a link to a page of this site; `target` is the project's own."""
    return Markup(f'<a href="{target}">{markup(text)}</a>')


def paragraph(text: str, kind: str = "finding") -> Markup:
    """Return one paragraph as an HTML block that Markdown leaves alone; of UNSEARCHED kinds no search knows."""
    unsearched = " data-search-exclude" * (kind in UNSEARCHED)
    return Markup(f'<p class="{kind}"{unsearched}>{markup(text)}</p>\n')


def image(path: str, alt: str, size: tuple[int, int]) -> Markup:
    """Return an image of this site that reserves its place and loads when it comes near."""
    words = safe(whole(alt, ALT_LENGTH), ALT_LENGTH)
    return Markup(f'<img src="{path}" alt="{words}" width="{size[0]}" height="{size[1]}" loading="lazy">')


def whole(text: str, length: int) -> str:
    """Return as many of a text's sentences as fit; of a first one that does not, as many of its parts."""
    if len(text) <= length:
        return text
    room = length - len(MORE)
    ends = [text.rfind(end, 0, room + len(end)) for end in (". ", "; ", ", ")]
    return text[: next((place for place in ends if place > 0), room)] + MORE
