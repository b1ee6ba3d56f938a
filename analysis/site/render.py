"""Draw the figures, and keep each until its data, its code or a library changes."""

import functools
import gc
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, NamedTuple

from analysis import cache, figures
from analysis.figures import style
from analysis.figures.style import Saved
from analysis.found import Found
from analysis.plugins import title

MANY = 8  # new figures: fewer are drawn before other processes have begun

Key = tuple[str, str]  # figure, page


class Wanted(NamedTuple):
    """A figure by its name, with all that it is drawn from; `repr(data)` says whether that changed."""

    figure: str
    data: Sequence[Any]


class Drawn(NamedTuple):
    """A figure's files, its size in CSS pixels and its words."""

    svg: str
    csv: str
    size: tuple[int, int]
    words: str


def wanted(found: Found) -> dict[Key, Wanted]:
    """Return what each page's figures are drawn from."""
    return {(name, page): Wanted(name, data)
            for name, module in figures.found().items() for page, data in module.wanted(found).items()}  # fmt: skip


def draw_all(
    every: Mapping[Key, Wanted], tell: Callable[[str], None], beside: Sequence[Callable[[], object]] = ()
) -> dict[Key, Drawn]:
    """Return every figure; only new ones are drawn, many of them on all cores.

    Meanwhile, other processes do the work of `beside`, whose results they keep.
    """
    new = [each for each in every.values() if not cache.place(*_place(each)).exists()]
    work: list[Callable[[], object]] = [*beside, *(functools.partial(_kept, each) for each in new)]
    if len(work) >= MANY:
        with ProcessPoolExecutor(initializer=gc.freeze) as processes:  # what a process is born with is never garbage
            at_work = [processes.submit(_done, each) for each in work]
            for number, each in enumerate(as_completed(at_work)):
                each.result()
                tell(f"drawing: {number} of {len(work)}")
    return {key: _kept(each) for key, each in every.items()}


def _done(work: Callable[[], object]) -> None:
    work()


def _place(each: Wanted) -> tuple[str, list[str], list[str]]:
    return "figures", [repr(each)], sources(each.figure)


def sources(figure: str) -> list[str]:
    """Return the code that draws a figure: another figure's, or a page's, is none of it."""
    return [f"analysis/figures/{figure}.py", "analysis/site/render.py"]


def _kept(each: Wanted) -> Drawn:
    """Return a figure as it was kept, or draw it."""
    kind, inputs, sources = _place(each)
    return Drawn(*cache.recall(kind, inputs, functools.partial(_drawn, each), sources))


def _drawn(each: Wanted) -> Drawn:
    module = figures.found()[each.figure]
    picture = module.draw(*each.data)
    table = picture.data.to_csv(index=False, lineterminator="\n")
    about = title(module.__doc__)
    return Drawn(style.svg(picture.figure, about, picture.alt), table, style.pixels(picture.figure), picture.alt)


def files(figures: Mapping[Key, Drawn]) -> dict[str, str]:
    """Return the files of all figures by name."""
    named = {_name(key): each for key, each in figures.items()}
    return {f"figures/{name}.{kind}": getattr(each, kind) for name, each in named.items() for kind in ("svg", "csv")}


def by_page(figures: Mapping[Key, Drawn]) -> dict[str, list[Saved]]:
    """Return the figures of each page, in their order."""
    found: dict[str, list[Saved]] = {}
    for key, each in figures.items():
        width, height = each.size
        found.setdefault(key[1], []).append(Saved(_name(key), (width, height), each.words))
    return found


def _name(key: Key) -> str:
    """Return a figure's file name without its ending: "slowdowns-mnist_mlp"."""
    figure, page = key
    own = page.rpartition("/")[2]
    return figure if own == figure else f"{figure}-{own}"
