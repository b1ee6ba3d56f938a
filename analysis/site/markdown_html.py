"""A Markdown extension: tables get a frame and the style of generated tables, and code is marked up only for colours.

The frame lets a keyboard scroll a wide table. Pygments puts each name, number, bracket and operator into an element.
These elements are removed, and a page of code is half as long. Keywords, strings, comments and the names of functions
keep their elements.
"""

import re
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor
from markdown.treeprocessors import Treeprocessor

FRAME = {"class": "frame", "role": "region", "tabindex": "0", "aria-label": "Table"}
PLAIN = "n|nn|nb|nc|bp|fm|p|o|ow|w|m[ifh]|s[ia]"  # names, brackets, operators, spaces, numbers, what is within strings
NEEDLESS = re.compile(rf'<span class="(?:{PLAIN})">([^<]*)</span>')


class Framing(Treeprocessor):  # type: ignore[misc] # Markdown has no types
    """Puts each table into a frame."""

    def run(self, root: Element) -> None:
        """Change the page's tree."""
        for parent in list(root.iter()):
            for place, child in enumerate(parent):
                if child.tag == "table":
                    parent[place] = frame = Element("div", FRAME)
                    frame.tail, child.tail = child.tail, None
                    child.set("class", "measured")
                    frame.append(child)


class Plain(Postprocessor):  # type: ignore[misc]
    """Removes elements without a colour of their own from highlighted code."""

    def run(self, text: str) -> str:
        """Return the page's HTML with the same text."""
        return NEEDLESS.sub(r"\1", text)


class Changes(Extension):  # type: ignore[misc]
    """Registers both, to run after the extensions that make tables and highlighted code."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Markdown's name
        """Add them to a converter."""
        md.treeprocessors.register(Framing(md), "framed_tables", 1)
        md.postprocessors.register(Plain(md), "plain_code", 1)


def makeExtension(**options: Any) -> Changes:  # noqa: N802 - Markdown's name
    """Return the extension, as Markdown asks for it."""
    return Changes(**options)
