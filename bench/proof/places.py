"""Find the files that imports and texts mean, and refuse code of a framework's folder that no reading can follow.

A proof would hold less than what runs.
"""

import ast
import fnmatch
import os
from typing import AbstractSet, Container, List, NamedTuple, Optional, Tuple

from bench.errors import DefinitionError
from bench.proof.syntax import Import, Node, called, is_space, name_of, text_of

PACKAGE = "bench"
FRAMEWORKS = "frameworks"
LEAST = 3  # letters of a file's name that a text must hold to name it: "%s.%s" names nothing
DATA = (".py", ".pyc", ".toml", ".md")  # what is no data file of a framework's folder
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
            base = path
            for _ in range(level):
                base = os.path.dirname(base)
            return _module(base, parts)
        if parts[:1] != [PACKAGE]:
            return self._in_folder(dotted) if self.folder else ""
        if self.folder and parts[1:3] == [FRAMEWORKS, os.path.basename(self.folder)]:
            return _module(self.folder, parts[3:])
        return _module(self.here, parts[1:])

    def _in_folder(self, dotted):
        """Return the file of the folder that a module is called by when a folder of it is on Python's path."""
        ends = tuple("/" + dotted.replace(".", "/") + end for end in (".py", "/__init__.py"))
        return next((each for each in self.files() if each.replace(os.sep, "/").endswith(ends)), "")

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
        return [each for each in self.files() if fnmatch.fnmatchcase(os.path.basename(each), pattern)
                and os.path.basename(each) not in self.hidden]  # fmt: skip


def _module(base, parts):
    path = os.path.join(base, *parts)
    for each in (path + ".py", os.path.join(path, "__init__.py")):
        if os.path.isfile(each):
            return each
    return ""


def named(node: Node, place: Place) -> List[str]:
    """Return the files that a statement names; raises DefinitionError for what it does that cannot be followed."""
    found = [path for text in node.texts for path in place.named(text)]
    for each in ast.walk(node.part.whole):
        if isinstance(each, ast.Call):
            found.extend(_called(each, node, place))
        if is_space(each) and not _has_key(each, node.part.whole):
            _refuse(node, each, "a name space is read without a constant name", 'Write the name: globals()["name"].')
        if isinstance(each, ast.Attribute) and each.attr in ("environ", "environb"):
            _check_environ(each, node)
    return sorted(set(found))


def _called(call, node, place):
    """Return the modules that a call imports by texts; other files are found by any text that names them."""
    name, texts = called(call), [text for text in map(text_of, ast.walk(call)) if text]
    if (name in RUNS_TEXT and isinstance(call.func, ast.Name)) or name in ("run_path", "run_module"):
        _refuse(node, call, "%s() runs a text" % name, "Write that code as a function.")
    if name in IMPORTS:
        direct = filter(None, (place.file(text, node.path) for text in texts if "/" not in text and text.strip(".")))
        found = [*direct, *(path for text in texts for path in place.named(text) if path.endswith(".py"))]
        outside = [text for text in texts if text.replace(".", "").isidentifier() and not text.endswith(".")
                   and text.split(".")[0] != PACKAGE]  # fmt: skip
        if not found and not outside:
            _refuse(node, call, "%s() takes a module whose name no text says" % name,
                    "Name its file in a text, as backend_%s.py, or import it by a statement.")  # fmt: skip
        return found
    if name in OPENS and not any(text.startswith(SYSTEM) or text in WRITES or place.named(text) for text in texts):
        _refuse(node, call, "%s() reads a file that no text in it names" % name,
                "Name a file of the framework's folder, or write its content as code.")  # fmt: skip
    return []


def check_reflection(node: Node, followed: AbstractSet[str]) -> None:
    """Refuse a member of an object by a computed name, where the object is of code that a proof follows.

    `followed` are the names under which a module imports such code. A framework's own objects may be asked so.
    """
    for each in ast.walk(node.part.whole):
        is_open = isinstance(each, ast.Call) and called(each) == "getattr" and len(each.args) > 1
        if is_open and text_of(each.args[1]) is None and _own(each.args[0], followed | {"self", "cls"}):
            _refuse(node, each, "getattr() takes a name that is no constant", "Write the name behind a dot.")


def _own(of, followed):
    """Say whether an object is followed itself, or the class of one."""
    is_class = isinstance(of, ast.Call) and called(of) == "type" and of.args
    inner = of.args[0] if is_class else of.value if getattr(of, "attr", "") == "__class__" else of
    return getattr(inner, "id", "") in followed


def _has_key(space, tree):
    """Say whether a name space is read by a constant: globals()["name"], vars(x).get("name"), dict(vars(x), ...)."""
    if isinstance(space, ast.Call) and called(space) == "vars" and space.args:
        return not isinstance(space.args[0], ast.Subscript)
    for each in ast.walk(tree):
        if isinstance(each, ast.Subscript) and each.value is space:
            index = getattr(each.slice, "value", None)  # of an Index, in Python before 3.9
            return any(text_of(key) is not None for key in (each.slice, index))
        if isinstance(each, ast.Attribute) and each.value is space:
            return any(isinstance(outer, ast.Call) and outer.func is each and outer.args
                       and text_of(outer.args[0]) is not None for outer in ast.walk(tree))  # fmt: skip
    return False


def _check_environ(environ, node):
    """Refuse variables of the process whose names are no constants: what is stated of them is part of the proof."""
    holders = [each.value for each in ast.walk(node.part.whole) if isinstance(each, (ast.Subscript, ast.Attribute))]
    if not any(environ in (holder, getattr(holder, "value", None)) for holder in holders):
        _refuse(node, environ, "os.environ is handed on whole",
                "Read a variable by its name, and state it in framework.toml.")  # fmt: skip


def check_variables(node: Node, stated: Container[str]) -> None:
    """Refuse a variable that an adapter reads and framework.toml does not state: the user's would change the answer."""
    advice = (
        "State it in `variables` of framework.toml: that is part of the proof. Or state its whole name in `listens`: "
        "it is recorded then."
    )
    for name, at in _read_variables(node):
        if name not in stated:
            _refuse(node, at, "it reads the variable %s of the user's shell" % (name or "that it computes"), advice)


def _read_variables(node):
    """Yield the variables of the process that a statement reads, and where."""
    for each in ast.walk(node.part.whole):
        if isinstance(each, ast.Subscript) and name_of(each.value) == "environ":
            for text in filter(None, map(text_of, ast.walk(each.slice))):
                yield text, each
        if isinstance(each, ast.Call) and each.args:
            is_get = called(each) in ("get", "pop", "setdefault")
            if (is_get and name_of(getattr(each.func, "value", None)) == "environ") or called(each) == "getenv":
                yield text_of(each.args[0]) or "", each


def _refuse(node, at, what, advice):
    shown = "/".join(node.path.replace(os.sep, "/").split("/")[-2:])
    raise DefinitionError(ADVICE % (shown, getattr(at, "lineno", 0), what, advice))
