"""Find the files that imports and texts mean, and refuse code of a framework's folder that no reading can follow.

With such code, a proof would hold less than what runs.
"""

import ast
import fnmatch
import os
from typing import AbstractSet, Container, List, NamedTuple, Optional, Tuple

from bench.errors import DefinitionError
from bench.proof.syntax import Import, Node, called, is_space, name_of, text_of

PACKAGE = "bench"
FRAMEWORKS = "frameworks"
LEAST = 3  # letters that a text must share with a file's name to name it
DATA = (".py", ".pyc", ".toml", ".md")  # endings of files that are not data files
RUNS_TEXT = frozenset(("exec", "eval", "execfile", "run_path", "run_module"))
IMPORTS = frozenset((
    "import_module", "__import__", "load_module", "spec_from_file_location", "SourceFileLoader", "load_source",
))  # fmt: skip
OPENS = frozenset((
    "open", "read_text", "read_bytes", "loadtxt", "genfromtxt", "fromfile", "memmap", "load_op_library",
))  # fmt: skip
WRITES = ("w", "wb", "a", "x")  # modes of open()
SYSTEM = ("/proc/", "/sys/", "/dev/")  # what a process is, and not what it computes
ADVICE = "%s, line %d: %s, which a proof cannot follow. %s"


class Place(NamedTuple):
    """Where modules lie: the package's folder, a framework's folder (empty: none), and files of it that are hidden."""

    here: str
    folder: str = ""
    hidden: Tuple[str, ...] = ()  # of other environments of the folder

    def holds(self, imported: Import) -> bool:
        """Say whether an import in a file is of this repository."""
        module, _, level = imported
        return bool(level) or module.split(".")[0] == PACKAGE or bool(self.folder and self._in_folder(module))

    def find(self, imported: Import, path: str) -> Tuple[str, Optional[str]]:
        """Return (file, name in it) of an import; no name: the module itself. No file: there is none."""
        module, name, level = imported
        if name is not None:
            within = self.file(".".join(filter(None, (module, name))), path, level)
            if within:
                return within, None
        return self.file(module, path, level), name

    def file(self, dotted: str, path: str, level: int = 0) -> str:
        """Return the file of a module by its dotted name, or an empty text."""
        parts = [part for part in dotted.split(".") if part]
        if level:
            for _ in range(level):
                path = os.path.dirname(path)
            return _module(path, parts)
        if parts[:1] != [PACKAGE]:
            return self._in_folder(dotted) if self.folder else ""
        if self.folder and parts[1:3] == [FRAMEWORKS, os.path.basename(self.folder)]:
            return _module(self.folder, parts[3:])
        return _module(self.here, parts[1:])

    def _in_folder(self, dotted):
        """Return the file of the folder that a module is called by when a folder of it is on Python's path."""
        ends = tuple("/" + dotted.replace(".", "/") + end for end in (".py", "/__init__.py"))
        return next((path for path in self.files() if path.replace(os.sep, "/").endswith(ends)), "")

    def files(self) -> List[str]:
        """Return every file of the framework's folder, at any depth."""
        return sorted(os.path.join(top, name) for top, _, names in os.walk(self.folder) if "__pycache__" not in top
                      for name in names)  # fmt: skip

    def named(self, text: str) -> List[str]:
        """Return the files of the folder that a text names, as `backend_%s.py`, `part/helper.py` or `table.npy`."""
        last = text.replace("\\", "/").rpartition("/")[2]
        if not self.folder or "." not in last or len(last) > 100:
            return []
        pattern = last.replace("%s", "*").replace("{}", "*").replace("[", "?")
        if len(pattern.partition(".")[0].replace("*", "")) < LEAST or pattern.endswith("*"):
            return []
        named = [(path, os.path.basename(path)) for path in self.files()]
        return [path for path, name in named if fnmatch.fnmatchcase(name, pattern) and name not in self.hidden]


def _module(base, parts):
    path = os.path.join(base, *parts)
    return next(filter(os.path.isfile, (path + ".py", os.path.join(path, "__init__.py"))), "")


def named(node: Node, place: Place) -> List[str]:
    """Return the files that a statement names; raises DefinitionError for code that no reading can follow."""
    tree = node.part.whole
    found = [path for text in node.texts for path in place.named(text)]
    for below in ast.walk(tree):
        if isinstance(below, ast.Call):
            found += _called(below, node, place)
        if is_space(below) and not _has_key(below, tree):
            _refuse(node, below, "a name space is read without a constant name", 'Write the name: globals()["name"].')
        if getattr(below, "attr", "") in ("environ", "environb") and not _is_asked(below, tree):
            _refuse(node, below, "os.environ is handed on whole",
                    "Read a variable by its name, and state it in framework.toml.")  # fmt: skip
    return sorted(set(found))


def _called(call, node, place):
    """Return the modules that a call imports by texts; other files are found by any text that names them."""
    name, texts = called(call), [text for text in map(text_of, ast.walk(call)) if text]
    if name in RUNS_TEXT and (isinstance(call.func, ast.Name) or name.startswith("run_")):
        _refuse(node, call, "%s() runs a text" % name, "Write that code as a function.")
    if name in IMPORTS:
        direct = filter(None, (place.file(text, node.path) for text in texts if "/" not in text and text.strip(".")))
        found = [*direct, *(path for text in texts for path in place.named(text) if path.endswith(".py"))]
        is_outside = any(text.replace(".", "").isidentifier() and not text.endswith(".")
                         and text.split(".")[0] != PACKAGE for text in texts)  # fmt: skip
        if not found and not is_outside:
            _refuse(node, call, "%s() takes a module whose name no text says" % name,
                    "Name its file in a text, as backend_%s.py, or import it by a statement.")  # fmt: skip
        return found
    if name in OPENS and not any(text.startswith(SYSTEM) or text in WRITES or place.named(text) for text in texts):
        _refuse(node, call, "%s() reads a file that no text in it names" % name,
                "Name a file of the framework's folder, or write its content as code.")  # fmt: skip
    return []


def check_reflection(node: Node, followed: AbstractSet[str]) -> None:
    """Refuse a computed name of a member, if the object is of code that a proof follows.

    `followed` are the names under which a module imports such code. Objects of the framework itself are free.
    """
    for below in ast.walk(node.part.whole):
        is_open = isinstance(below, ast.Call) and called(below) == "getattr" and len(below.args) > 1
        if is_open and text_of(below.args[1]) is None and _is_of(below.args[0], followed | {"self", "cls"}):
            _refuse(node, below, "getattr() takes a name that is not constant", "Write the name behind a dot.")


def _is_of(value, names):
    """Say whether a value is one of these variables, or the class of one."""
    if isinstance(value, ast.Call) and called(value) == "type" and value.args:
        value = value.args[0]
    elif getattr(value, "attr", "") == "__class__":
        value = value.value
    return getattr(value, "id", "") in names


def _has_key(space, tree):
    """Say whether a name space is read by a constant: globals()["name"], vars(x).get("name"), dict(vars(x), ...)."""
    if isinstance(space, ast.Call) and called(space) == "vars" and space.args:
        return not isinstance(space.args[0], ast.Subscript)
    keys = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and node.value is space:
            keys += [node.slice, getattr(node.slice, "value", None)]  # the value of an Index, before Python 3.9
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.value is space:
            keys += node.args[:1]
    return any(text_of(key) is not None for key in keys)


def _is_asked(environ, tree):
    """Say whether the process's variables are read by names."""
    holders = [node.value for node in ast.walk(tree) if isinstance(node, (ast.Subscript, ast.Attribute))]
    return any(environ in (holder, getattr(holder, "value", None)) for holder in holders)


def check_variables(node: Node, stated: Container[str]) -> None:
    """Refuse a variable that an adapter reads and framework.toml does not state: the user's would change the answer."""
    for below in ast.walk(node.part.whole):
        names: List[str] = []
        if isinstance(below, ast.Subscript) and name_of(below.value) == "environ":
            names = list(filter(None, map(text_of, ast.walk(below.slice))))
        elif isinstance(below, ast.Call) and below.args:
            is_get = called(below) in ("get", "pop", "setdefault")
            if (is_get and name_of(getattr(below.func, "value", None)) == "environ") or called(below) == "getenv":
                names = [text_of(below.args[0]) or ""]
        for name in names:
            if name not in stated:
                _refuse(node, below, "it reads the variable %s of the user's shell" % (name or "that it computes"),
                        "State it in `variables` of framework.toml: that is part of the proof. Or state its whole name "
                        "in `listens`: it is recorded then.")  # fmt: skip


def _refuse(node, below, what, advice):
    shown = "/".join(node.path.replace(os.sep, "/").split("/")[-2:])
    raise DefinitionError(ADVICE % (shown, getattr(below, "lineno", 0), what, advice))
