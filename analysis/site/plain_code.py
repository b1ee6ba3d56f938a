"""A Markdown extension: code is marked up only where a colour helps, so that a page of code is half as long.

Pygments puts each name, number, bracket and operator into an element of its own. Keywords, strings, comments and the
names of functions keep theirs.
"""

import re
from typing import Any

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor

PLAIN = "n|nn|nb|nc|bp|fm|p|o|ow|w|m[ifh]|s[ia]"  # names, brackets, operators, spaces, numbers, what is within strings
NEEDLESS = re.compile(rf'<span class="(?:{PLAIN})">([^<]*)</span>')


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
