"""Find the file that an import of this repository means, and the files that a text in a framework's folder names."""

import fnmatch
import os
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

PACKAGE = "bench"
FRAMEWORKS = "frameworks"
LEAST = 3  # letters of a file's name that a text must hold to name it: "%s.%s" names nothing
DATA = (".py", ".pyc", ".toml", ".md")  # what is no data file of a framework's folder


class Place(NamedTuple):
    """Where modules lie: the package's folder, a framework's folder (empty: none), and files of it that are hidden."""

    here: str
    folder: str = ""
    hidden: Tuple[str, ...] = ()  # of other environments of the folder

    def holds(self, imported: Tuple[str, Optional[str], int]) -> bool:
        """Say whether an import in a file is of this repository."""
        module, _, level = imported
        return bool(level) or module.split(".")[0] == PACKAGE or bool(self.folder and self._in_folder(module))

    def find(self, imported: Tuple[str, Optional[str], int], path: str) -> Tuple[str, Optional[str]]:
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
        wanted = dotted.replace(".", "/")
        ends = (wanted + ".py", wanted + "/__init__.py")
        return next((each for each in self.files() if ("/" + each.replace(os.sep, "/")).endswith(
            tuple("/" + end for end in ends))), "")  # fmt: skip

    def files(self) -> List[str]:
        """Return every file of the framework's folder, at any depth."""
        return _files(self.folder)

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


_KNOWN: Any = {}


def _files(folder: str) -> List[str]:
    stamp = tuple(os.stat(each).st_mtime_ns for each in _folders(folder))
    if _KNOWN.get(folder, (None,))[0] != stamp:
        found = [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names
                 if "__pycache__" not in top]  # fmt: skip
        _KNOWN[folder] = stamp, sorted(found)
    files: List[str] = _KNOWN[folder][1]
    return files


def _folders(folder: str) -> Sequence[str]:
    return [top for top, _, _ in os.walk(folder) if "__pycache__" not in top]


def _module(base, parts):
    path = os.path.join(base, *parts)
    for each in (path + ".py", os.path.join(path, "__init__.py")):
        if os.path.isfile(each):
            return each
    return ""
