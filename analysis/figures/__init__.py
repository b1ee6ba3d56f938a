"""One file per figure: the docstring is title and caption, `draw(results, answers)` returns a drawing.Picture.

`answers` are the estimates that the figure is about, all of one machine: those of a workload, those of an article's
workloads, or all, as SCOPE is "workload", "article" or "machine". TASKS names the tasks where they are not steps on one
batch; with AMONG_DEFAULTS, documented modes compete among themselves, as on the home page.
batch. `results` hold the runs of these answers and the looks of their environments, nothing else: a figure is drawn
again when one of these changes.
"""

import importlib
import pkgutil
from types import ModuleType


def found() -> dict[str, ModuleType]:
    """Return every figure's module by its name, in the order of their ORDER."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in names}
    return dict(sorted(modules.items(), key=lambda item: (item[1].ORDER, item[0])))


def title(module: ModuleType) -> str:
    """Return a figure's title: the first line of its docstring."""
    return str(module.__doc__).strip().split("\n")[0]


def caption(module: ModuleType) -> str:
    """Return a figure's caption: the rest of its docstring, on one line."""
    return " ".join(str(module.__doc__).strip().split("\n")[1:]).strip()
