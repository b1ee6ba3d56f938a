"""A Markdown extension: a table written in Markdown gets the frame and the looks of a generated one.

The frame lets a keyboard scroll a wide table.
"""

from typing import Any
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor

FRAME = {"class": "frame", "role": "region", "tabindex": "0", "aria-label": "Table"}


class Framing(Treeprocessor):  # type: ignore[misc] # Markdown has no types
    """Puts each table into a frame."""

    def run(self, root: Element) -> None:
        """Change the page's tree."""
        for parent in list(root.iter()):
            for place, child in enumerate(parent):
                if child.tag == "table":
                    parent[place] = _framed(child)


def _framed(table: Element) -> Element:
    frame = Element("div", FRAME)
    frame.tail, table.tail = table.tail, None
    table.set("class", "measured")
    frame.append(table)
    return frame


class Tables(Extension):  # type: ignore[misc]
    """Registers the frames, after all that makes tables."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Markdown's name
        """Add the frames to a converter."""
        md.treeprocessors.register(Framing(md), "framed_tables", 1)


def makeExtension(**options: Any) -> Tables:  # noqa: N802 - Markdown's name
    """Return the extension, as Markdown asks for it."""
    return Tables(**options)
