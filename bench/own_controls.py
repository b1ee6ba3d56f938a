"""A framework's own controls.py: what only it can say about itself, to hold our numbers against."""

import ast
import os
from typing import Any, List

from bench import registry
from bench.registry import Environment

NEEDS = ("MatrixProduct", "Copy")  # what it must define for `measure.ceilings`


def _path(environment: Environment) -> str:
    """Return where it lies, whether it exists or not."""
    return os.path.join(environment.folder, registry.CONTROLS)


def names(environment: Environment) -> List[str]:
    """Return the functions and classes that it defines, without importing the framework."""
    if not os.path.exists(_path(environment)):
        return []
    with open(_path(environment), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    return [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]


def load(environment: Environment) -> Any:
    """Import it, and so the framework."""
    return registry.load_module(_path(environment), "bench_controls_" + environment.framework)
