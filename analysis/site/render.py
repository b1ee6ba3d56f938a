"""Draw the figures, and keep each until its data, its code or a library changes."""

import functools
import gc
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

from analysis import cache, figures
from analysis.figures import style
from analysis.figures.style import Saved
from analysis.found import Found
from analysis.groups import collected
from analysis.plugins import title

MANY = 8  # new figures: fewer are drawn before other processes have begun

Key = tuple[str, str]  # figure, page
Data = Sequence[Any]  # all that a figure is drawn from; its `repr` says whether that changed


def wanted(found: Found) -> dict[Key, Data]:
    """Return the data of each page's figures."""
    return {(name, page): data
            for name, module in figures.found().items() for page, data in module.wanted(found).items()}  # fmt: skip


def draw_all(
    every: Mapping[Key, Data], tell: Callable[[str], None], beside: Sequence[Callable[[], object]] = ()
) -> dict[Key, Saved]:
    """Return every figure; only new ones are drawn, many of them on all cores.

    Meanwhile, other processes do the work of `beside`, whose results they keep.
    """
    entries = {key: (key[0], data) for key, data in every.items()}
    new = [entry for entry in entries.values() if not cache.place(*_kept_by(*entry)).exists()]
    work: list[Callable[[], object]] = [*beside, *(functools.partial(_drawn, *entry) for entry in new)]
    if len(work) >= MANY:
        with ProcessPoolExecutor(initializer=gc.freeze) as processes:  # what a process is born with is never garbage
            at_work = [processes.submit(make) for make in work]
            for number, finished in enumerate(as_completed(at_work)):
                finished.result()
                tell(f"drawing: {number} of {len(work)}")
    return {key: Saved(_name(key), *_drawn(*entry)) for key, entry in entries.items()}


def _kept_by(figure: str, data: Data) -> tuple[str, list[str], list[str]]:
    """Return the kind, the inputs and the sources of a figure's entry in the cache."""
    return "figures", [figure, repr(data)], sources(figure)


def sources(figure: str) -> list[str]:
    """Return the code that draws a figure: another figure's, or a page's, is none of it."""
    return [f"analysis/figures/{figure}.py", "analysis/site/render.py"]


def _drawn(figure: str, data: Data) -> list[Any]:
    """Return the files, the size and the words of a figure, from the cache or newly drawn."""
    kind, inputs, code = _kept_by(figure, data)
    drawn: list[Any] = cache.recall(kind, inputs, functools.partial(_draw, figure, data), code)
    return drawn


def _draw(figure: str, data: Data) -> tuple[str, str, tuple[int, int], str]:
    module = figures.found()[figure]
    picture = module.draw(*data)
    table = picture.data.to_csv(index=False, lineterminator="\n")
    svg = style.svg(picture.figure, title(module.__doc__), picture.alt)
    return svg, table, style.pixels(picture.figure), picture.alt


def files(figures: Mapping[Key, Saved]) -> dict[str, str]:
    """Return the files of all figures by name."""
    return {f"figures/{saved.name}.{kind}": getattr(saved, kind)
            for saved in figures.values() for kind in ("svg", "csv")}  # fmt: skip


def by_page(figures: Mapping[Key, Saved]) -> dict[str, list[Saved]]:
    """Return the figures of each page, in their order."""
    return collected((page, saved) for (_, page), saved in figures.items())


def _name(key: Key) -> str:
    """Return a figure's file name without its ending: "slowdowns-mnist_mlp"."""
    figure, page = key
    shown_on = page.rpartition("/")[2]
    return figure if shown_on == figure else f"{figure}-{shown_on}"
