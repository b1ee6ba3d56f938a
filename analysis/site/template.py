"""Render pages from Jinja2 templates. Values are escaped unless this project made them as HTML."""

from pathlib import Path
from typing import Any

import jinja2

from analysis.text import html


def _escaped(value: object) -> object:
    """Return a value as a page may hold it; macros and templates return text that was escaped within them."""
    if hasattr(value, "__html__"):
        return value
    return "" if value is None else html.safe(value, len(str(value)))


ENVIRONMENT = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    finalize=_escaped,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
ENVIRONMENT.globals["raw"] = ENVIRONMENT.filters["raw"] = html.Markup


def render(name: str, **values: Any) -> str:
    """Return the text of a template of analysis/site/templates, filled with `values`.

    Values other than `html.Markup` are written as numeric character references, so they are neither HTML nor Markdown.

    Raises:
        jinja2.UndefinedError: the template uses a value that is absent.
    """
    return ENVIRONMENT.get_template(name).render(**values)
