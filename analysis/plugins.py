"""What one file each stands for, such as a figure, a lesson, a control or a rule, is found in its folder.

Standard library only: each build of the site asks.
"""

import importlib
import pkgutil
from types import ModuleType


def modules(package: str) -> dict[str, ModuleType]:
    """Return the modules of a package that state their ORDER, by name, in that order; others beside them help them."""
    path = importlib.import_module(package).__path__
    found = {each.name: importlib.import_module(f"{package}.{each.name}") for each in pkgutil.iter_modules(path)}
    placed = [(module.ORDER, name) for name, module in found.items() if hasattr(module, "ORDER")]
    return {name: found[name] for _, name in sorted(placed)}


def title(docstring: str | None) -> str:
    """Return a file's title: the first line of its docstring."""
    return str(docstring).strip().split("\n")[0]


def explained(docstring: str | None) -> str:
    """Return what a file says below its title, on one line."""
    return " ".join(str(docstring).strip().split("\n")[1:]).strip()
