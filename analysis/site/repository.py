"""Where the repository is shown on the web, and links to its files."""

import os
from collections.abc import Mapping
from urllib.parse import quote

from analysis.text import html
from analysis.text.html import Markup


def address(variables: Mapping[str, str] = os.environ) -> str:
    """Return the repository's address: REPOSITORY_URL, or the one that a GitHub workflow knows, or nothing."""
    on_github = "/".join(variables.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY"))
    known = variables.get("REPOSITORY_URL") or (on_github if variables.get("GITHUB_REPOSITORY") else "")
    return known.rstrip("/")


def revision(variables: Mapping[str, str] = os.environ) -> str:
    """Return the commit whose files are linked."""
    return variables.get("PUBLISHED_REVISION") or variables.get("GITHUB_SHA") or "HEAD"


def linked(path: str) -> Markup:
    """Return the path of a file of the repository, with a link to the file if the repository's address is known.

    The address is GitHub's: `REPOSITORY/blob/COMMIT/PATH`.
    """
    code = html.element("code", html.safe(path, len(path)))
    place = address()
    return html.link(f"{place}/blob/{revision()}/{quote(path)}", code) if place else code
