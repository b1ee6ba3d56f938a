"""One file per article: the docstring is a title and what it asked; SECTIONS are the parts of its page.

SOURCE names it in analysis/published. WORKLOADS are the networks it is about, in its own order; one without a file in
bench/workloads is shown as a gap. docs/articles/<name>.md is its page, written by hand, and includes each section as
docs/generated/fragments/articles/<name>/<section>.md. Where the article's own frameworks were measured here, HAS_THEN
says so: its page includes `then.md`, what became of them. Standard library only: each build of the site reads these
files.
"""

from collections.abc import Sequence
from types import ModuleType
from typing import NamedTuple

from analysis import plugins


class Section(NamedTuple):
    """A part of an article's page: what was published, our tables beside it, figures, and what cannot be here."""

    published: Sequence[str] = ()  # tables of analysis/published/figures.csv
    ours: Sequence[str] = ()  # tables of analysis/site/pages/ours.py
    figures: Sequence[str] = ()  # names in analysis/figures
    workloads: Sequence[str] = ()  # those of the article that it is about
    gaps: Sequence[str] = ()  # what the article has and this project has not, each with its reason
    per_samples: int | None = None  # show a time for so many samples instead of one step


def parts(article: ModuleType) -> list[str]:
    """Return the names of an article's fragments, in the order of its page."""
    return ["overview", "claims", *(["then"] if getattr(article, "HAS_THEN", False) else []), *article.SECTIONS]


def found() -> dict[str, ModuleType]:
    """Return every article's module by its name, in the order of their ORDER."""
    return plugins.modules(__name__)


def asking(figure: str) -> dict[str, ModuleType]:
    """Return the articles that show a figure."""
    return {
        name: module
        for name, module in found().items()
        if any(figure in section.figures for section in module.SECTIONS.values())
    }
