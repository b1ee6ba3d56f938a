"""One file per figure: the docstring is its title and, below, its caption. ORDER is its place on a page.

`wanted(found)` returns what the figure is drawn from, for each page that shows it, by the page's name: "home",
"then_and_now", "workloads/<name>" or "articles/<name>". `draw(*data)` returns a style.Picture. The data are plain
values: a figure is drawn again when they, its code or a library change, and any process can draw it.
"""

from types import ModuleType

from analysis import plugins


def found() -> dict[str, ModuleType]:
    """Return every figure's module by its name, in the order of their ORDER."""
    return plugins.modules(__name__)
