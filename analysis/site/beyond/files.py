"""The generated files of this package: a page for each shown figure, and the feed."""

from collections.abc import Mapping

from analysis.site.beyond import embed, feed
from analysis.site.pages import Found


def files(found: Found, written: Mapping[str, str]) -> dict[str, str]:
    """Return the files to generate beside the `written` ones, by name."""
    return {**embed.pages(found.pictures.values(), written), **feed.files(found)}
