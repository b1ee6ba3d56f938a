"""What unfolds below a line on a page."""

from analysis.text import html
from analysis.text.html import Markup


def unfolding(title: str, content: Markup) -> Markup:
    """Return content that unfolds below its title."""
    return Markup(
        f'<details class="more" data-search-exclude>\n{html.element("summary", title)}\n{content}</details>\n'
    )
