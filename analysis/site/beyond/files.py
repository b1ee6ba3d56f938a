"""The generated files of this package: a page for each shown figure, and the feed."""

from collections.abc import Mapping

from analysis.found import Found
from analysis.site.beyond import embed, feed


def files(found: Found, written: Mapping[str, str]) -> dict[str, str]:
    """Return the files to generate beside the `written` ones, by name."""
    pictures = [each for own in found.pictures.values() for each in own]
    return {**embed.pages(pictures, written), **feed.files(found)}
