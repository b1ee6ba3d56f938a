"""Keep what was made of inputs that have not changed since: one folder, one key, one function.

The key of an entry is a hash of its inputs and of the code that makes it. The code is a module with all that it
imports, the versions of Python and of the libraries. So what is kept is never out of date, and a page has the same
bytes whether its parts were kept or made anew. An entry that cannot be read is made anew; the folder may be deleted at
any time.
"""

import ast
import contextlib
import functools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from analysis.inputs import LIBRARIES, ROOT, hash_of, hash_of_file, version
from bench import registry

FOLDER = Path(registry.STATE, "analysis")
digest, file = hash_of, hash_of_file
UNUSED_S = 30 * 86400.0  # what was not asked for in so many seconds goes


def recall(kind: str, inputs: Sequence[str], make: Callable[[], Any], sources: Sequence[str]) -> Any:
    """Return what `make` makes, or made an earlier time of the same `inputs`; it must be JSON, and comes back as such.

    `inputs` are all that it depends on, except the code that makes it. That code is `sources` and all that they import:
    files and folders by their paths from the repository's root. Tuples come back as lists, whether kept or new.
    """
    path = place(kind, inputs, sources)
    text = _read(path)
    if text is None:
        text = json.dumps(make())
        with contextlib.suppress(OSError):  # a folder that takes nothing costs time, and no page
            write_whole(path, f"{digest(text.encode())}\n{text}".encode())
    return json.loads(text)


def place(kind: str, inputs: Sequence[str], sources: Sequence[str]) -> Path:
    """Return where an entry is kept, whether it is there or not: two of the same inputs and code are one."""
    return FOLDER / kind / f"{digest(code(tuple(sources)).encode(), *(each.encode() for each in inputs))}.json"


def folder(path: Path) -> str:
    """Return a hash of all files below a folder, with their names; links and byte code are none of them."""
    found = (each for each in sorted(path.rglob("*")) if each.is_file() and not each.is_symlink())
    files = [each for each in found if "__pycache__" not in each.parts]
    return digest(*(part for each in files for part in (each.relative_to(path).as_posix().encode(), each.read_bytes())))


def forget_unused() -> None:
    """Remove the entries that nothing has asked for in UNUSED_S."""
    for path in FOLDER.rglob("*.json"):
        if time.time() - path.stat().st_mtime > UNUSED_S:
            path.unlink(missing_ok=True)


@functools.cache
def code(sources: tuple[str, ...]) -> str:
    """Return a hash of what makes an entry: the files of `sources`, Python, and the libraries."""
    found = files(sources)
    versions = [sys.version, *map(version, LIBRARIES)]
    texts = [*versions, *(path.relative_to(ROOT).as_posix() for path in found)]
    return digest(*(text.encode() for text in texts), *(path.read_bytes() for path in found))


def files(sources: Sequence[str]) -> list[Path]:
    """Return the files that `sources` are or hold, with all of this repository that they import, and so on."""
    found: set[Path] = set()
    waiting = [path for name in sources for path in (ROOT / name, *(ROOT / name).rglob("*")) if path.is_file()]
    while waiting:
        path = waiting.pop()
        if path not in found and "__pycache__" not in path.parts:
            found.add(path)
            waiting += _imported(path) if path.suffix == ".py" else ()
    return sorted(found)


@functools.cache
def _imported(module: Path) -> tuple[Path, ...]:
    """Return the files that a module imports, wherever in it it does, with the packages that they and it are in."""
    found: set[Path] = set()
    own = ".".join(module.relative_to(ROOT).parent.parts)
    for name in (*([own] if own else []), *_names(ast.parse(module.read_bytes()))):
        parts = name.split(".")
        for depth in range(1, len(parts) + 1):
            place = ROOT.joinpath(*parts[:depth])
            found.update((place.with_suffix(".py"), place / "__init__.py"))
    return tuple(path for path in found if path.is_file())


def _names(tree: ast.Module) -> Iterator[str]:
    """Yield the dotted names of what is imported: of a module's part as well, which may be a module itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{each.name}" for each in node.names)


def _read(path: Path) -> str | None:
    """Return an entry's text, or None where there is none, or what is there is not what was written."""
    try:
        seal, _, text = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    if seal != digest(text.encode()):
        return None
    with contextlib.suppress(OSError):  # a folder of somebody else's
        os.utime(path)  # it was asked for
    return text


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all. Raises OSError where a folder takes nothing."""
    partial = path.with_name(f"{path.name}.partial-{os.getpid()}")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_if_changed(path: Path, content: str) -> bool:
    """Write a file, whole or not at all, and only when its bytes change: watchers would build again without an end."""
    data = content.encode("utf-8")
    if path.exists() and path.read_bytes() == data:
        return False
    write_whole(path, data)
    return True
