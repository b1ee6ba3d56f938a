"""A Markdown extension: code is marked up only where a colour helps, so that a page of code is half as long.

Pygments puts each name, bracket and operator into an element of its own, which looks like the text around it.
"""

import re
from typing import Any

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor

NEEDLESS = re.compile(r'<span class="(?:n|nn|bp|p|o|w)">([^<]*)</span>')  # names, self, brackets, operators, spaces


class Plain(Postprocessor):  # type: ignore[misc] # Markdown has no types
    """Takes the needless elements off highlighted code."""

    def run(self, text: str) -> str:
        """Return the page's HTML with the same text."""
        return NEEDLESS.sub(r"\1", text)


class Code(Extension):  # type: ignore[misc]
    """Registers the change, after highlighted code is in its place."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Markdown's name
        """Add the change to a converter."""
        md.postprocessors.register(Plain(md), "plain_code", 1)


def makeExtension(**options: Any) -> Code:  # noqa: N802 - Markdown's name
    """Return the extension, as Markdown asks for it."""
    return Code(**options)
