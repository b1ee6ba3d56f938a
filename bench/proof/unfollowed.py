"""Refuse code of a framework's folder that no reading can follow: a proof would hold less than what runs."""

import ast
import os
from typing import AbstractSet, Any, Dict, List, Sequence, Tuple

from bench.errors import DefinitionError
from bench.proof.modules import Node, called, is_space, text_of
from bench.proof.places import DATA, PACKAGE, Place

RUNS_TEXT = frozenset(("exec", "eval", "execfile", "run_path", "run_module"))
IMPORTS = frozenset((
    "import_module", "__import__", "load_module", "spec_from_file_location", "SourceFileLoader", "load_source",
))  # fmt: skip
OPENS = frozenset((
    "open", "read_text", "read_bytes", "loadtxt", "genfromtxt", "fromfile", "memmap", "load_op_library",
))  # fmt: skip
SYSTEM = ("/proc/", "/sys/", "/dev/")  # what a process is, and not what it computes
ADVICE = "%s, line %d: %s, which a proof cannot follow. %s"


_NAMED: Dict[Tuple[int, Place], Tuple[Node, List[str], List[str]]] = {}  # what reads a statement keeps it: one id each


def named(node: Node, place: Place, files: List[str]) -> List[str]:
    """Return the files that a statement names; raises DefinitionError for what it does that cannot be followed.

    `files` are those of the folder: when one came or went, the statement is read again.
    """
    known, beside, found = _NAMED.get((id(node), place), (None, [], []))
    if known is not node or beside is not files:
        found = _named(node, place)
        _NAMED[id(node), place] = node, files, found
    return found


def _named(node, place):
    found = [path for text in node.texts for path in place.named(text)]
    for each in ast.walk(node.tree):
        if isinstance(each, ast.Call):
            found.extend(_called(each, node, place))
        if is_space(each) and not _has_key(each, node.tree):
            _refuse(node, each, "a name space is read without a constant name", 'Write the name: globals()["name"].')
        if isinstance(each, ast.Attribute) and each.attr in ("environ", "environb"):
            _variable(each, node)
    return sorted(set(found))


def _called(call, node, place):
    name = called(call)
    if (name in RUNS_TEXT and isinstance(call.func, ast.Name)) or name in ("run_path", "run_module"):
        _refuse(node, call, "%s() runs a text" % name, "Write that code as a function.")
    texts = [text for text in map(text_of, ast.walk(call)) if text] if name in IMPORTS or name in OPENS else []
    if name in IMPORTS:
        return _imported(call, texts, node, place)
    if name in OPENS:
        found = [path for text in texts for path in place.named(text)]
        if not found and not any(text.startswith(SYSTEM) for text in texts) and not _is_written(texts):
            _refuse(node, call, "%s() reads a file that no text in it names" % name,
                    "Name a file of the framework's folder, or write its content as code.")  # fmt: skip
        return found
    return []


def check_reflection(node: Node, followed: AbstractSet[str]) -> None:
    """Refuse a member of an object by a computed name, where the object is of code that a proof follows.

    `followed` are the names under which a module imports such code. A framework's own objects may be asked so.
    """
    for each in ast.walk(node.tree):
        is_open = isinstance(each, ast.Call) and called(each) == "getattr" and len(each.args) > 1
        if is_open and text_of(each.args[1]) is None and _own(each.args[0], followed | {"self", "cls"}):
            _refuse(node, each, "getattr() takes a name that is no constant", "Write the name behind a dot.")


def _own(of, followed):
    """Say whether an object is followed itself, or the class of one."""
    is_class = isinstance(of, ast.Call) and called(of) == "type" and of.args
    inner = of.args[0] if is_class else of.value if getattr(of, "attr", "") == "__class__" else of
    return getattr(inner, "id", "") in followed


def _is_written(texts):
    """Say whether a call opens a file for writing."""
    return any(text in ("w", "wb", "a", "x") for text in texts)


def _imported(call, texts, node, place):
    found = [path for text in texts for path in _of_import(text, node, place)]
    outside = [text for text in texts if text.replace(".", "").isidentifier() and not text.endswith(".")
               and text.split(".")[0] != PACKAGE]  # fmt: skip
    if not found and not outside:
        _refuse(node, call, "%s() takes a module whose name no text says" % called(call),
                "Name its file in a text, as backend_%s.py, or import it by a statement.")  # fmt: skip
    return found


def _of_import(text, node, place):
    direct = place.file(text, node.path) if "/" not in text and text.strip(".") else ""
    return [direct] if direct else [path for path in place.named(text) if path.endswith(".py")]


def _has_key(space, tree):
    """Say whether a name space is read by a constant: globals()["name"], vars(x).get("name"), dict(vars(x), ...)."""
    call = space if isinstance(space, ast.Call) else None
    if call is not None and called(call) == "vars" and call.args:
        return not isinstance(call.args[0], ast.Subscript)
    for each in ast.walk(tree):
        if isinstance(each, ast.Subscript) and each.value is space:
            return all(text_of(part) is not None for part in _keys(each))
        if isinstance(each, ast.Attribute) and each.value is space:
            return any(isinstance(outer, ast.Call) and outer.func is each and outer.args
                       and text_of(outer.args[0]) is not None for outer in ast.walk(tree))  # fmt: skip
    return False


def _keys(subscript) -> Sequence[Any]:
    inner = getattr(subscript.slice, "value", subscript.slice)  # an Index, in Python before 3.9
    return [subscript.slice if isinstance(inner, str) else inner]


def _variable(environ, node):
    """Refuse a variable of the process whose name is no constant: what is stated of it is part of the proof."""
    for each in ast.walk(node.tree):
        parts = (
            [each.value, getattr(each.value, "value", None)] if isinstance(each, (ast.Subscript, ast.Attribute)) else ()
        )
        if environ in parts:
            return
    _refuse(
        node, environ, "os.environ is handed on whole", "Read a variable by its name, and state it in framework.toml."
    )


_READ: Dict[int, Tuple[Node, List[Tuple[str, int]]]] = {}


def read_variables(node: Node) -> List[Tuple[str, int]]:
    """Return (name, line) of the variables of the process that a statement reads."""
    known, found = _READ.get(id(node), (None, []))
    if known is not node:
        found = list(_read_variables(node))
        _READ[id(node)] = node, found
    return found


def _read_variables(node):
    for each in ast.walk(node.tree):
        holder = getattr(each, "value", None) if isinstance(each, ast.Subscript) else None
        if getattr(holder, "attr", "") == "environ":
            for text in filter(None, map(text_of, ast.walk(each.slice))):
                yield text, each.lineno
        if isinstance(each, ast.Call) and each.args:
            is_get = (
                called(each) in ("get", "pop", "setdefault")
                and getattr(getattr(each.func, "value", None), "attr", "") == "environ"
            )
            if is_get or called(each) == "getenv":
                yield text_of(each.args[0]) or "", each.lineno


def check_variables(node: Node, stated: Any) -> None:
    """Refuse a variable that an adapter reads and framework.toml does not state: the user's would change the answer."""
    advice = (
        "State it in `variables` of framework.toml: that is part of the proof. Or state its whole name in `listens`: "
        "it is recorded then."
    )
    for name, line in read_variables(node):
        if name not in stated:
            what = "it reads the variable %s of the user's shell" % (name or "that it computes")
            raise DefinitionError(ADVICE % (_shown(node), line, what, advice))


def data(paths: Sequence[str]) -> List[str]:
    """Return those of some files that are data: no code, and no text about it."""
    return [path for path in paths if not path.endswith(DATA)]


def _shown(node):
    return "/".join(node.path.replace(os.sep, "/").split("/")[-2:])


def _refuse(node, at, what, advice):
    raise DefinitionError(ADVICE % (_shown(node), getattr(at, "lineno", 0), what, advice))
