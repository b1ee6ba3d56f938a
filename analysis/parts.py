"""What one file each stands for, such as a figure, a lesson, an article, a control or a rule, is found in its folder.

Standard library only: each build of the site asks.
"""

import importlib
import pkgutil
from types import ModuleType


def modules(package: str) -> dict[str, ModuleType]:
    """Return the modules of a package by name, in the order of their ORDER, where they have one, and of their names."""
    path = importlib.import_module(package).__path__
    found = {each.name: importlib.import_module(f"{package}.{each.name}") for each in pkgutil.iter_modules(path)}
    return dict(sorted(found.items(), key=lambda item: (getattr(item[1], "ORDER", 0), item[0])))
