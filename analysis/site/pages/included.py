"""Markdown that lies elsewhere in the repository and is shown as a page: its links are made to fit the site."""

import os
import re
from pathlib import Path

from bench import registry

LINK = re.compile(r"\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?\)")
DOCS = "docs/"


def page(path: str) -> str:
    """Return a Markdown file for a page directly below docs/, or a sentence when it does not exist yet.

    A link to a page of docs/ stays one; a link to any other file becomes its text, since the site does not hold it.
    """
    file = Path(registry.ROOT, path)
    if not file.exists():
        return f"`{path}` is not there yet.\n"
    text = file.read_text(encoding="utf-8")
    return LINK.sub(lambda found: _fitted(found, os.path.dirname(path)), text)


def _fitted(found: re.Match[str], folder: str) -> str:
    text, target, anchor = found[1], found[2], found[3] or ""
    if "://" in target or target.startswith("mailto:"):
        return found[0]
    place = os.path.normpath(os.path.join(folder, target)).replace(os.sep, "/")
    return f"[{text}]({place[len(DOCS) :]}{anchor})" if place.startswith(DOCS) and place.endswith(".md") else text
