"""Write a stand-alone script of a changed time, to paste into an issue: it needs only the packages that it names.

The framework's own_programs.py has the code of the training steps (bench/frameworks/README.md).
"""

import ast
import json
import os
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from packaging.requirements import Requirement

from analysis.__main__ import AGAINST
from bench import registry
from bench.registry import Environment
from tasks.installing import index_of

ABOUT = '''"""{title}

{sentence}

Run this file after each of these lines:

    pip install {slower}
    pip install {faster}
"""

'''
CODE = """import os
import time
from importlib.metadata import version

{settings}

import numpy as np


{batch}


x, y = batch(np.random.RandomState(0), {batch_size})

{model}

{steps}


def timed(count):
    begun = time.perf_counter()
    steps(count)
    return time.perf_counter() - begun


timed(10)  # compiles, and warms up
count = 1
while timed(count) < 0.5:
    count *= 2
blocks = sorted(timed(count) / count * 1e3 for _ in range(20))
print(", ".join(name + " " + version(name) for name in {names}.split()))
print("%.3f ms per step (median of %d blocks of %d steps)" % (blocks[len(blocks) // 2], len(blocks), count))
"""
THREADS = """if hasattr(os, "sched_setaffinity"):  # libraries make as many threads as there are cores
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:{threads}])"""


class Side(NamedTuple):
    """One of the two versions: what a reader calls it, its pins, and its time divided by that of the row."""

    title: str
    packages: Sequence[str]
    ratio: float


def write(
    row: Environment, package: str, verdict: Mapping[str, Any], sides: Sequence[Side], folder: Path = AGAINST
) -> Path | None:
    """Write the script of a verdict (analysis/compare/against.py, as JSON), and return its path; the slower side first.

    Returns None if it cannot be made: only training steps can, in modes that the framework's own_programs.py knows.
    """
    about = verdict["about"]
    source = Path(registry.model_path(row, about["workload"])).read_text(encoding="utf-8").strip()
    steps = _steps(row, verdict["mode"], about["optimizer"], source)
    if about["task"] != "train" or about["precision"] == registry.MIXED or not steps:
        return None
    settings = _settings(row, about["device"], about["threads"])
    code = f"{settings}\n{source}\n{steps}\nnumpy"
    slower, faster = (side._replace(packages=_used(side.packages, code)) for side in sides)
    title = f"A training step takes {slower.ratio / faster.ratio:.2f} times as long with {slower.title}"
    text = (ABOUT + CODE).format(
        title=f"{title} as with {faster.title}.", sentence=textwrap.fill(verdict["sentence"], 100),
        slower=_install(slower.packages, index_of(row)), faster=_install(faster.packages, index_of(row)),
        settings=settings, batch=batch(about["workload"]), batch_size=about["batch_size"], model=source,
        steps=steps.strip("\n"), names=json.dumps(" ".join(Requirement(pin).name for pin in slower.packages)),
    )  # fmt: skip
    path = folder / f"regression_{package}_{about['workload']}_{row.name}_{verdict['mode']}.py"
    path.write_text(text, encoding="utf-8")
    return path


def _steps(row: Environment, mode: str, optimizer: str, source: str) -> str:
    """Return the framework's code of training steps; empty if it has none for the mode."""
    path = os.path.join(row.folder, registry.OWN_PROGRAMS)
    if not os.path.exists(path):
        return ""
    own = registry.load_module(path, f"regression_{row.framework}")
    return (own.script(mode, optimizer, source) or "") if hasattr(own, "script") else ""


def _settings(row: Environment, device: str, threads: int) -> str:
    """Return the lines before the framework is imported: variables and the number of cores."""
    variables = {name: value for name, value in row.variables.items() if "{" not in value}
    if device == "cpu":
        variables["CUDA_VISIBLE_DEVICES"] = ""
    lines = [f"os.environ[{json.dumps(name)}] = {json.dumps(value)}" for name, value in variables.items()]
    return "\n".join([*lines, *([THREADS.format(threads=threads)] if device == "cpu" else [])])


def _used(packages: Sequence[str], code: str) -> list[str]:
    """Return the pins of packages that the code names: others of the row load images."""
    names = {pin: Requirement(pin).name.removesuffix("-cpu") for pin in packages}
    return [pin for pin, name in names.items() if re.search(rf"\b{re.escape(name)}\b", code)]


def _install(packages: Sequence[str], index: str) -> str:
    words = [f"'{pin}'" if " " in pin or "[" in pin else pin for pin in packages]
    return " ".join(words + ([f"--extra-index-url {index}"] if index else []))


def batch(workload: str) -> str:
    """Return the statement's function that makes a random batch, after all that it uses of this project."""
    path = Path(registry.WORKLOADS, f"{workload}.py")
    return "\n\n\n".join(dict.fromkeys(_with_needs(path, "batch")))


def _with_needs(path: Path, name: str) -> Iterator[str]:
    """Yield the code of a name that a file defines or imports from this project, after the code that it needs."""
    text = path.read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bench"):
            if name in [alias.name for alias in node.names]:
                yield from _with_needs(Path(registry.ROOT, *str(node.module).split(".")).with_suffix(".py"), name)
        elif name in _defined(node):
            names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
            for other in sorted({part.id for part in names if isinstance(part.ctx, ast.Load)} - {name}):
                yield from _with_needs(path, other)
            yield str(ast.get_source_segment(text, node))


def _defined(node: ast.stmt) -> set[str]:
    """Return the names that a statement of a file defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else []
    return {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
