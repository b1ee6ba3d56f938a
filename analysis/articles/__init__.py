"""One file per article: the docstring is a title and what it asked.

SOURCE names it in analysis/published. WORKLOADS are the networks it is about, in its own order; one without a file in
bench/workloads is reported as not measured. docs/articles/<name>.md is its page, written by hand, and includes the
fragments that `parts` names. Where the article's own frameworks were measured here, HAS_THEN says so. SECTIONS are the
means of ours that belong beside its own: the data file means.csv holds them. Standard library only: each
build of the site reads these files.
"""

from collections.abc import Sequence
from types import ModuleType
from typing import NamedTuple

from analysis import plugins


class Section(NamedTuple):
    """A test of an article: what was published, and our tables beside it."""

    published: Sequence[str] = ()  # tables of analysis/published/figures.csv
    ours: Sequence[str] = ()  # kinds of means, see analysis/data/means.py
    workloads: Sequence[str] = ()  # those of the article that it is about
    per_samples: int | None = None  # show a time for so many samples instead of one step


def parts(article: ModuleType) -> list[str]:
    """Return the names of an article's fragments, in the order of its page."""
    return ["claims", *(["then"] if getattr(article, "HAS_THEN", False) else []), "now"]


def found() -> dict[str, ModuleType]:
    """Return every article's module by its name, in the order of their ORDER."""
    return plugins.modules(__name__)


def asking(figure: str) -> dict[str, ModuleType]:
    """Return the articles that show a figure of analysis/figures, as their FIGURES name it."""
    return {name: module for name, module in found().items() if figure in getattr(module, "FIGURES", ())}
