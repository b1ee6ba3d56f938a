"""The slice of all statements, across modules, that some names use: a hash of it changes where one of them does.

Names are followed through the imports of this repository's modules to the definitions that they mean. In a framework's
own folder, a name is used wherever its spelling is read: as a variable, behind a dot or by a text. The module of a
statement does not change the hash, so a file may be moved and a module renamed.
"""

import hashlib
import os
from collections import Counter
from typing import Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from bench.errors import DefinitionError
from bench.proof import places, statements, syntax
from bench.proof.places import Place

ROUNDS = 4  # how far a statement's label reaches: it holds those of what it uses, these of what they use, and so on
Key = Tuple[str, int]  # a file, and the statement's place in it
Name = Tuple[str, str]  # a file, and a name in it


class Question(NamedTuple):
    """What a slice is made of."""

    place: Place
    roots: Sequence[Name]
    whole: Sequence[str] = ()  # files of the framework's folder of which every statement counts
    near: Sequence[str] = ()  # files outside it of which every statement counts
    visible: Sequence[str] = ()  # files of the framework's folder that see each other's definitions by their names
    words: FrozenSet[str] = frozenset()  # words of the models: of a table of layers, these rows count
    wanted: FrozenSet[str] = frozenset()  # names that are used from elsewhere
    stops: FrozenSet[str] = frozenset()  # names outside the folder that are not followed
    loaded: Sequence[str] = ()  # files that are imported as well: what acts there counts
    stated: FrozenSet[str] = frozenset()  # variables of the process that the environment states


_DIGESTS: Dict[Question, Tuple[Dict[str, Tuple[int, int]], str]] = {}


def digest(question: Question) -> str:
    """Return the hash of a slice; it is made anew if one of its files, or the framework's folder, has changed."""
    stamps, found = _DIGESTS.get(question, ({}, ""))
    if not stamps or any(_stamp(path) != stamp for path, stamp in stamps.items()):
        made = Slice(question)
        found = made.digest()
        stamps = {path: _stamp(path) for path in [*made.modules, *sorted(made.data), question.place.folder] if path}
        _DIGESTS[question] = stamps, found
    return found


def _stamp(path):
    status = os.stat(path) if os.path.exists(path) else None
    return (status.st_mtime_ns, status.st_size) if status else (0, 0)


class Slice:
    """The statements that count, found by following names until no new statement comes."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.modules: Dict[str, statements.Module] = {}
        self.counted: Dict[Key, syntax.Node] = {}
        self.visible: Set[str] = set()  # files whose definitions are seen by their names
        self.data: Set[str] = set()
        self._bound: Dict[Name, List[Key]] = {}  # what counted statements bind, without members of classes
        self._reached: Set[Name] = set()  # names that were followed
        self._found: Dict[Tuple[syntax.Import, str], Tuple[str, Optional[str]]] = {}  # what imports of a file mean
        self._meant: Dict[Key, List[Tuple[str, Name]]] = {}  # the names in a statement, as spelled, and their meaning
        self._behind: Set[str] = set(question.wanted)  # names behind a dot anywhere: a member of that name counts
        self._near: Set[str] = set(question.wanted)  # names in the folder, or behind a dot outside it
        for path in [path for path, _ in question.roots] + list(question.loaded):
            self._load(path)
        for path in [*question.whole, *question.visible]:
            self._see(path)
        for path, name in question.roots:
            if name not in self.modules[path].bound.union(self.modules[path].imports):
                raise DefinitionError("%s: expected a definition of %s, which a proof is to hold." % (path, name))
            self._reach(path, name)
        for path in [*question.whole, *question.near]:
            for node in self._load(path).nodes:
                self._count(node)
        self._close()

    def _close(self):
        """Count what is reached, until nothing new is."""
        before = -1
        while before != len(self.counted):
            before = len(self.counted)
            for path in sorted(self.modules):
                for node in filter(self._is_reached, self.modules[path].nodes):
                    self._count(node)

    def _is_reached(self, node):
        part, is_near = node.part, node.path in self.visible
        if part.layers and not part.layers & self.question.words:
            return False
        if node.acts if is_near else node.patches:
            return True
        if part.owner:
            names = part.binds
            is_called = not names or names & self._behind or any(name.startswith("__") for name in names)
            return is_called and (node.path, part.owner) in self._bound
        return is_near and bool(self._near & (part.binds | (node.joins & self.modules[node.path].bound)))

    def _is_near(self, path):
        """Say whether a file is in the framework's folder."""
        return bool(self.question.place.folder) and path.startswith(self.question.place.folder)

    def _place(self, path):
        """Return where the modules are that a file may import."""
        return self.question.place if self._is_near(path) else Place(self.question.place.here)

    def _load(self, path):
        if path not in self.modules:
            self.modules[path] = statements.read(path, self._place(path))
            if "*" in self.modules[path].imports:
                raise DefinitionError("%s imports * from a module of this repository: import the names that it uses, "
                                      "since a proof follows names." % path)  # fmt: skip
            self._load_imports(path, self.modules[path].imports)
        return self.modules[path]

    def _load_imports(self, path, imports):
        for name, imported in imports.items():
            module, attribute, _ = imported
            found, _ = self._find(imported, path)
            if attribute is None and "." in module and module.split(".")[0] == name:
                raise DefinitionError("%s imports %s whole: write `from %s import` and the names that it uses, since a "
                                      "proof follows names." % (path, module, module))  # fmt: skip
            if not found:
                raise DefinitionError("%s imports %s, which is not a module of this repository: name one, or remove "
                                      "the import." % (path, ".".join(filter(None, (module, attribute)))))  # fmt: skip
            self._see(found) if self._is_near(found) else self._load(found)

    def _find(self, imported, path):
        if (imported, path) not in self._found:
            self._found[imported, path] = self._place(path).find(imported, path)
        return self._found[imported, path]

    def _see(self, path):
        self.visible.add(path)
        self._load(path)

    def _count(self, node):
        key = node.path, node.number
        if key in self.counted:
            return
        self.counted[key] = node
        module = self.modules[node.path]
        for name in node.part.binds if not node.part.owner else ():
            self._bound.setdefault((node.path, name), []).append(key)
        if "getattr" in node.names:
            places.check_reflection(node, {*module.imports, *node.imports})
        if node.path in self.visible:
            places.check_variables(node, self.question.stated)
            named = places.named(node, self.question.place)
            self.data.update(path for path in named if not path.endswith(places.DATA))
            for path in named:
                if path.endswith(".py"):
                    self._see(path)
            self._near |= node.names
        self._near |= node.attributes
        self._behind |= node.attributes
        self._load_imports(node.path, node.imports)
        self._meant[key] = list(self._meanings_of(node, module))
        for _, (path, name) in self._meant[key]:
            self._reach(path, name)

    def _reach(self, path, name):
        """Count what binds a name in a module, or what that module imports under it."""
        if (path, name) in self._reached or (name in self.question.stops and not self._is_near(path)):
            return
        self._reached.add((path, name))
        found = [node for node in self._load(path).nodes if name in node.part.binds and not node.part.owner
                 and (not node.part.layers or node.part.layers & self.question.words)]  # fmt: skip
        for node in found:
            self._count(node)
        target = None if found else self._imported(path, name)
        if target:
            self._reach(*target)

    def _imported(self, path, name):
        """Return the file and name that a module imports under a name, or None."""
        imported = self.modules[path].imports.get(name)
        target = self._find(imported, path) if imported else ("", None)
        return target if target[1] is not None else None

    def _meanings_of(self, node, module) -> Iterator[Tuple[str, Name]]:
        for name in node.names | node.strings:
            if name not in node.imports:
                yield name, (node.path, name)
        for name, imported in dict(module.imports, **node.imports).items():
            if name not in node.names:
                continue
            path, attribute = self._find(imported, node.path)
            if attribute is not None:
                yield name, (path, attribute)
            else:
                for behind in {behind for variable, behind in node.chains if variable == name} | node.strings:
                    yield "." + behind, (path, behind)

    def _edges(self, node, shared) -> Iterator[Tuple[str, Key]]:
        """Yield the names in a statement as they are spelled, and the statements that they mean."""
        for spelling, name in self._meant[node.path, node.number]:
            meant: Optional[Name] = name
            for _ in self.modules:  # at most so many import the name from one another
                if meant and meant[0] in self.modules and meant not in self._bound:
                    meant = self._imported(*meant)
            for target in self._bound.get(meant, ()) if meant else ():
                yield spelling, target
        if node.path in self.visible:
            for name in node.names | node.attributes:
                for target in shared.get(name, ()):
                    yield name, target

    def digest(self) -> str:
        """Return the hash of the slice: of each statement with what its names mean, and of the order of what acts."""
        shared: Dict[str, List[Key]] = {}  # what files bind that see each other
        for key, node in self.counted.items():
            for name in node.part.binds if node.path in self.visible else ():
                shared.setdefault(name, []).append(key)
        own = labels = {key: hash_of(node.text) for key, node in self.counted.items()}
        edges = {key: list(self._edges(node, shared)) for key, node in self.counted.items()}
        for _ in range(ROUNDS):
            labels = {
                key: hash_of(own[key], *sorted(hash_of(spelling, labels[target]) for spelling, target in edges[key]))
                for key in self.counted
            }
        content = [file_hash(path) for path in sorted(self.data)]
        return hash_of(*sorted(labels.values()), "", *sorted(self._orders(labels)), "", *sorted(content))

    def _orders(self, labels: Dict[Key, str]) -> Iterator[str]:
        """Yield a hash of what acts in each module, in its order, and of what binds a name that is bound twice."""
        for module in self.modules.values():
            counted = [node for node in module.nodes if (node.path, node.number) in self.counted]
            parts = [node.part for node in counted]
            often = Counter(name for part in parts if not part.layers and not part.owner for name in part.binds)
            twice = {name for name, times in often.items() if times > 1}
            acting = [labels[node.path, node.number] for node in counted if node.patches or node.part.binds & twice]
            if len(acting) > 1:
                yield hash_of(*acting)


def hash_of(*parts: str) -> str:
    """Return the SHA-256 of some texts, in hexadecimal digits."""
    total = hashlib.sha256()
    for part in parts:
        total.update(hashlib.sha256(part.encode("utf-8", "surrogateescape")).digest())
    return total.hexdigest()


def file_hash(path: str) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()
