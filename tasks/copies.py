"""Copies of framework folders with further rows: other versions are measured without an edit of the originals."""

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from analysis.groups import grouped
from bench import registry
from bench.errors import DefinitionError
from bench.registry import Environment


def write_rows(rows: Sequence[tuple[Environment, Environment, Mapping[str, str]]], frameworks: Path) -> Path:
    """Write copies of frameworks with further rows, and return their folder.

    Each row is given with the row that it is like, and with texts of the adapter that it needs replaced. Rows with the
    same texts share a copy. Raises DefinitionError if the adapter lacks such a text.
    """
    shutil.rmtree(frameworks, ignore_errors=True)
    places = grouped(rows, lambda each: (each[0].folder, tuple(sorted(each[2].items()))))
    for place, ((source, patch), own) in enumerate(places.items()):
        copy = frameworks / (f"{os.path.basename(source)}_{place}" if patch else os.path.basename(source))
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
        file = os.path.join(source, "framework.toml")
        framework = dict(registry.read_toml(file))
        known = framework["environments"]
        added = {
            row.name: {**registry.whole(known, base.name, file), **_stated(row)}
            for base, row, _ in own
            if base.name != row.name
        }
        framework["environments"] = added if patch else {**known, **added}
        (copy / "framework.toml").write_text("\n".join(_toml(framework)), encoding="utf-8")
        _replace(copy / "adapter.py", patch)
    return frameworks


def _stated(row: Environment) -> dict[str, Any]:
    fields = ("title", "python", "released", "packages", "cpu", "gpu")
    return {"default": False, **{name: getattr(row, name) for name in fields}}


def _toml(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the lines of a table: values but tables are the same in JSON and TOML."""
    if path:
        yield f"[{'.'.join(map(json.dumps, path))}]"
    for name, value in table.items():
        if not isinstance(value, dict):
            yield f"{json.dumps(name)} = {json.dumps(value)}"
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _toml(value, (*path, name))


def _replace(file: Path, texts: Sequence[tuple[str, str]]) -> None:
    code = file.read_text(encoding="utf-8")
    for text, other in texts:
        if text not in code:
            raise DefinitionError(f"{file} has no {text!r}, which a release needs replaced by {other!r}.")
        code = code.replace(text, other)
    file.write_text(code, encoding="utf-8")
