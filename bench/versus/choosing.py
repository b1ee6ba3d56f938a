"""Choose the interpreter of each compared program; standard library only, because Nox calls this before it installs.

Order: `--python`, `--environment`, the backend that the script or `--set` sets, the script's imports.
"""

import argparse
import ast
import os
import re
import shlex
import string
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bench import machine, registry
from bench.errors import DefinitionError
from bench.versus import options

PACKAGES = {"PIL": "pillow", "skimage": "scikit-image", "sklearn": "scikit-learn", "cv2": "opencv-python"}
EVERYWHERE = ("numpy",)  # a script that imports nothing else runs in this interpreter


class VersusError(DefinitionError):
    """The command names something that cannot be compared; the message says what to do."""


class Choice(NamedTuple):
    """One of the compared programs, and how it is started."""

    letter: str  # a, b, ... in the order of the command
    path: str
    python: str
    environment: str  # of this project; empty: the user's own interpreter
    settings: Mapping[str, str]  # variables that --set gives, or that choose the environment's backend
    loop: str  # what the script's loop is over; empty: the script has step()
    arguments: Sequence[str]
    source: str

    @property
    def name(self) -> str:
        """What reports call it."""
        return f"{self.letter}: {os.path.basename(self.path)}"


def read(words: Sequence[str], folder: str) -> list[Choice]:
    """Return how the programs of a command are started, if relative paths begin in `folder`."""
    parser = argparse.ArgumentParser(prog="versus", allow_abbrev=False)
    options.add(parser)
    return choose(parser.parse_args([f"--folder={folder}", *words]))


def choose(arguments: argparse.Namespace) -> list[Choice]:
    """Return how each program is started; raises VersusError if a file does not exist or settings clash."""
    paths = _paths(arguments)
    letters = string.ascii_lowercase[: len(paths)]
    for option in ("python", "environment", "set", "arguments"):
        for key, *_ in getattr(arguments, option):
            _of(key, paths, f"--{option}")
    return [_choice(letter, path, paths, arguments) for letter, path in zip(letters, paths)]


def _paths(arguments: argparse.Namespace) -> list[str]:
    """Return the script of each program; a single file is repeated for the letters that options name."""
    paths = [os.path.join(arguments.folder, os.path.expanduser(file)) for file in arguments.files]
    for path in paths:
        if not os.path.isfile(path):
            raise VersusError(f"There is no file {os.path.relpath(path, arguments.folder)} in the working directory.")
    named = [key for option in ("python", "environment", "set", "arguments") for key, *_ in getattr(arguments, option)]
    named += [loop.partition("=")[0] for loop in arguments.loop if "=" in loop]
    if len(paths) == 1:
        letters = {"a"} | {key for key in named if key in string.ascii_lowercase}
        paths *= next(count for count, letter in enumerate(string.ascii_lowercase) if letter not in letters)
    if len(paths) < 2:
        raise VersusError(
            "Give two or more files. To compare one file with two settings: --set a:KERAS_BACKEND=torch "
            "--set b:KERAS_BACKEND=jax."
        )
    return [os.path.normpath(path) for path in paths]


def _of(key: str, paths: Sequence[str], option: str) -> int:
    """Return the place of the program that an option names, by its letter or its file's name."""
    places = {letter: place for place, letter in enumerate(string.ascii_lowercase[: len(paths)])}
    if key in places:
        return places[key]
    named = [place for place, path in enumerate(paths) if key in (os.path.basename(path), _stem(path))]
    if len(named) == 1:
        return named[0]
    known = ", ".join(f"{letter} ({os.path.basename(paths[place])})" for letter, place in places.items())
    raise VersusError(f"{option} names the program {key!r}. Name one of: {known}.")


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


def _choice(letter: str, path: str, paths: Sequence[str], arguments: argparse.Namespace) -> Choice:
    place = string.ascii_lowercase.index(letter)

    def given(option: str) -> list[Any]:
        return [values for key, *values in getattr(arguments, option) if _of(key, paths, f"--{option}") == place]

    def last(option: str) -> str:
        return "".join(value for (value,) in given(option)[-1:])

    with open(path, encoding="utf-8", errors="replace") as file:
        source = file.read()
    tree, settings = _parsed(source, path), dict(given("set"))
    _check_settings(tree, settings, letter, path)
    row = registry.environment(last("environment")) if last("environment") else None
    if row is None and not last("python"):
        row = fitting(imports(tree, path), {**os.environ, **_variables_set(tree), **settings})
    if row is not None:
        own = _variables_set(tree)
        settings = {**{key: value for key, value in _backend(row).items() if key not in own}, **settings}
    return Choice(
        letter, path, os.path.expanduser(last("python")), row.name if row else "", settings,
        _loop(arguments, paths, place), shlex.split(last("arguments")), source,
    )  # fmt: skip


def _check_settings(tree: ast.Module, settings: Mapping[str, str], letter: str, path: str) -> None:
    overwritten = _variables_set(tree, only_assigned=True)
    for name, value in settings.items():
        if overwritten.get(name, value) != value:
            raise VersusError(
                f"{os.path.basename(path)} sets {name} to {overwritten[name]!r} itself, so --set "
                f"{letter}:{name}={value} has no effect. Remove that line, or write os.environ.setdefault."
            )


def _loop(arguments: argparse.Namespace, paths: Sequence[str], place: int) -> str:
    """Return what a program's loop is over: `--loop b=NAME` for one program, `--loop NAME` for all."""
    own = [loop.partition("=") for loop in arguments.loop if "=" in loop]
    mine = [name for key, _, name in own if _of(key, paths, "--loop") == place]
    return str((mine or [loop for loop in arguments.loop if "=" not in loop] or [""])[-1])


def _parsed(source: str, path: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise VersusError(f"{os.path.basename(path)}, line {error.lineno}: {error.msg}.") from None


def _variables_set(tree: ast.Module, only_assigned: bool = False) -> dict[str, str]:
    """Return the environment variables that a script sets to literal values: by os.environ[...] = or setdefault."""
    parts: list[tuple[Any, Any, Any]] = []  # (what is set, name, value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            parts.append((node.targets[0].value, node.targets[0].slice, node.value))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not only_assigned:
            is_setting = node.func.attr == "setdefault" and len(node.args) == 2
            parts += [(node.func.value, node.args[0], node.args[1])] if is_setting else []
    return {
        str(name.value): str(value.value) for target, name, value in parts
        if isinstance(name, ast.Constant) and isinstance(value, ast.Constant)
        and getattr(target, "attr", getattr(target, "id", "")) == "environ"
    }  # fmt: skip


def imports(tree: ast.Module, path: str, seen: Iterable[str] = ()) -> set[str]:
    """Return the top-level modules that a script imports, and those of modules in its folder that it imports."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    for name in sorted(found - set(seen)):
        local = os.path.join(os.path.dirname(path), name + ".py")
        if os.path.isfile(local) and local != path:
            with open(local, encoding="utf-8", errors="replace") as file:
                found |= imports(_parsed(file.read(), local), local, {*seen, *found})
    return found


def fitting(imported: Iterable[str], variables: Mapping[str, str]) -> registry.Environment | None:
    """Return the smallest default environment with all imported packages that are pinned, and with the set backend.

    None if a script imports none of them, or only what every interpreter here has.
    """
    rows = [row for row in registry.environments().values() if row.is_default]
    pinned = {row.name: set(_pins(row)) for row in rows}
    wanted = {PACKAGES.get(name, name).lower().replace("_", "-") for name in imported}
    wanted &= set().union(*pinned.values())
    if not wanted - set(EVERYWHERE):
        return None
    fits = [row for row in rows if wanted <= pinned[row.name] and _agrees(row, variables)]
    if not fits:
        raise VersusError(
            f"No environment has {', '.join(sorted(wanted))} together. Give an interpreter that has them: "
            "--python a=PATH."
        )
    return min(fits, key=lambda row: len(pinned[row.name]))


def _pins(row: registry.Environment) -> Iterator[str]:
    """Yield the names of an environment's packages; tensorflow-cpu and jax[cuda13] are tensorflow and jax."""
    for pin in row.packages + (row.gpu if machine.gpu()[0] else row.cpu):
        name = re.split(r"[=<>\[;! ]", pin)[0].lower()
        yield name.removesuffix("-cpu")


def _backend(row: registry.Environment) -> dict[str, str]:
    """Return the variables by which environments differ, as KERAS_BACKEND, with this environment's values."""
    values: dict[str, set[str]] = {}
    for other in registry.environments().values():
        for name, value in other.variables.items():
            values.setdefault(name, set()).add(value)
    return {name: value for name, value in row.variables.items() if "{" not in value and len(values[name]) > 1}


def _agrees(row: registry.Environment, variables: Mapping[str, str]) -> bool:
    return all(variables.get(name, value) == value for name, value in _backend(row).items())


def interpreter(choice: Choice) -> str:
    """Return the interpreter that starts a program: the given one, or this one."""
    return choice.python or sys.executable
