"""The slice of all statements, across modules, that some names use: a hash of it changes where one of them does.

Names are followed through the imports of this repository's modules to the definitions that they mean. In a framework's
own folder a name is used wherever one of its spelling is read, as a variable, behind a dot or by a text. Which module a
statement is in does not change the hash: a file may be moved, and a module renamed.
"""

import hashlib
import os
from collections import Counter
from typing import Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from bench.errors import DefinitionError
from bench.proof import modules, places, statements
from bench.proof.places import Place

ROUNDS = 4  # how far a statement's label reaches: it holds those of what it uses, these of what they use, and so on
Key = Tuple[str, int]
Edge = Tuple[str, Key]  # the name as it is spelled, and what it means


class Question(NamedTuple):
    """Of what a slice is made."""

    place: Place
    roots: Sequence[Tuple[str, str]]  # (file, name in it)
    whole: Sequence[str] = ()  # files of the framework's folder of which every statement counts
    near: Sequence[str] = ()  # files outside it of which every statement counts
    visible: Sequence[str] = ()  # files of the framework's folder that see each other's definitions by their names
    words: FrozenSet[str] = frozenset()  # what a model names: of a table of layers, these rows
    wanted: FrozenSet[str] = frozenset()  # names that are used from elsewhere
    stops: FrozenSet[str] = frozenset()  # names outside the folder that are not followed
    loaded: Sequence[str] = ()  # files that are imported as well: what acts there counts
    stated: FrozenSet[str] = frozenset()  # variables of the process that the environment states


_KNOWN: Dict[Question, Tuple[Dict[str, Tuple[int, int]], str]] = {}


def digest(question: Question) -> str:
    """Return the hash of a slice; it is made anew when a file that it was made of, or its folder, has changed."""
    stamps, found = _KNOWN.get(question, ({}, ""))
    if not stamps or any(_stamp(path) != stamp for path, stamp in stamps.items()):
        made = Slice(question)
        found = made.digest()
        folders = [question.place.folder] if question.place.folder else []
        stamps = {path: _stamp(path) for path in list(made.modules) + sorted(made.data) + folders}
        _KNOWN[question] = stamps, found
    return found


def _stamp(path: str) -> Tuple[int, int]:
    about = os.stat(path) if os.path.exists(path) else None
    return (about.st_mtime_ns, about.st_size) if about else (0, 0)


class Slice:
    """The statements that count, found by following names until no new one comes."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.modules: Dict[str, modules.Module] = {}
        self.counted: Dict[Key, statements.Node] = {}
        self._held: Set[Tuple[str, str]] = set()  # (file, name) of what counts, without members of classes
        self._reached: Set[Tuple[str, str]] = set()  # (file, name) that were followed
        self._found: Dict[Tuple[statements.Import, str], Tuple[str, Optional[str]]] = {}  # what imports of a file mean
        self._meant: Dict[Key, List[Tuple[str, Tuple[str, str]]]] = {}  # (spelling, (file, name in it)) of its names
        self.visible: Set[str] = set()
        self.data: Set[str] = set()
        self._words: Set[str] = set(question.wanted)  # read anywhere behind a dot: a member of that name counts
        self._near: Set[str] = set(question.wanted)  # read in the folder, or behind a dot outside
        for path in [path for path, _ in question.roots] + list(question.loaded):
            self._load(path)
        for path in list(question.whole) + list(question.visible):
            self._see(path)
        for path, name in question.roots:
            if name not in self.modules[path].bound | set(self.modules[path].imports):
                raise DefinitionError("%s: expected a definition of %s, which a proof is to hold." % (path, name))
            self._reach(path, name)
        for path in list(question.whole) + list(question.near):
            for node in self._load(path).nodes:
                self._count(node)
        self._close()

    def _close(self):
        before = -1
        while before != len(self.counted):
            before = len(self.counted)
            for path in sorted(self.modules):
                for node in self.modules[path].nodes:
                    if (node.path, node.number) not in self.counted and self._is_reached(node):
                        self._count(node)

    def _is_reached(self, node):
        if node.layers and not node.layers & self.question.words:
            return False
        is_near = node.path in self.visible
        if node.acts if is_near else node.patches:
            return True
        if node.owner:
            names = node.binds
            is_called = not names or names & self._words or any(name.startswith("__") for name in names)
            return bool(is_called) and (node.path, node.owner) in self._held
        near = node.binds | (node.joins & self.modules[node.path].bound)
        return is_near and bool(near & self._near)

    def _is_near(self, path):
        """Say whether a file is in the framework's folder."""
        return bool(self.question.place.folder) and path.startswith(self.question.place.folder)

    def _place(self, path):
        """Return where the modules lie that a file may import."""
        return self.question.place if self._is_near(path) else Place(self.question.place.here)

    def _load(self, path):
        if path not in self.modules:
            self.modules[path] = modules.read(path, self._place(path))
            if "*" in self.modules[path].imports:
                raise DefinitionError("%s imports * from a module of this repository: import the names that it uses, "
                                      "since a proof follows names." % path)  # fmt: skip
            for name, imported in self.modules[path].imports.items():
                self._load_imported(name, imported, path)
        return self.modules[path]

    def _load_imported(self, name, imported, path):
        found, _ = self._find(imported, path)
        if imported[1] is None and "." in imported[0] and imported[0].split(".")[0] == name:
            raise DefinitionError("%s imports %s whole: write `from %s import` and the names that it uses, since a "
                                  "proof follows names." % (path, imported[0], imported[0]))  # fmt: skip
        if not found:
            raise DefinitionError("%s imports %s, which is not a module of this repository: name one, or remove the "
                                  "import." % (path, ".".join(filter(None, imported[:2]))))  # fmt: skip
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
        if not node.owner:
            self._held.update((node.path, name) for name in node.binds)
        if "getattr" in node.names:
            places.check_reflection(node, set(self.modules[node.path].imports) | set(node.imports))
        if node.path in self.visible:
            places.check_variables(node, self.question.stated)
            named = places.named(node, self.question.place)
            self.data.update(path for path in named if not path.endswith(places.DATA))
            for path in named:
                if path.endswith(".py"):
                    self._see(path)
            self._near |= node.names
        self._near |= node.attributes | node.strings
        self._words |= node.attributes | node.strings
        for name, imported in node.imports.items():
            self._load_imported(name, imported, node.path)
        self._meant[key] = self._meanings_of(node)
        for _, (path, name) in self._meant[key]:
            self._reach(path, name)

    def _reach(self, path, name):
        """Count what binds a name in a module, or what that module imports under it."""
        if (path, name) in self._reached or (name in self.question.stops and not self._is_near(path)):
            return
        self._reached.add((path, name))
        module = self._load(path)
        found = [node for node in module.nodes if name in node.binds and not node.owner
                 and (not node.layers or node.layers & self.question.words)]  # fmt: skip
        for node in found:
            self._count(node)
        if not found and name in module.imports:
            target, attribute = self._find(module.imports[name], path)
            if attribute is not None:
                self._reach(target, attribute)

    def _meanings_of(self, node):
        module = self.modules[node.path]
        imports = dict(module.imports, **node.imports)
        found = [(name, (node.path, name)) for name in node.names | node.strings if name not in node.imports]
        for name, imported in imports.items():
            if name not in node.names:
                continue
            path, attribute = self._find(imported, node.path)
            if attribute is not None:
                found.append((name, (path, attribute)))
            else:
                read = {behind for variable, behind in node.chains if variable == name} | node.strings
                found += [("." + behind, (path, behind)) for behind in read]
        return found

    def _edges(self, key, held, shared) -> Iterable[Edge]:
        node = self.counted[key]
        for spelling, (path, name) in self._meant[key]:
            for target in self._targets(path, name, held):
                yield spelling, target
        if node.path in self.visible:
            for name in node.names | node.attributes | node.strings:
                for other in shared.get(name, ()):
                    yield name, other

    def _targets(self, path, name, held, depth=0):
        if path not in self.modules or depth > 9:
            return []
        found = held.get((path, name), [])
        module = self.modules[path]
        if not found and name in module.imports:
            target, attribute = self._find(module.imports[name], path)
            return self._targets(target, attribute, held, depth + 1) if attribute is not None else []
        return found

    def _binding(self):
        """Return {(file, name): statements that bind it}, and {name: those of files that see each other}."""
        held: Dict[Tuple[str, str], List[Key]] = {}
        shared: Dict[str, List[Key]] = {}
        for key, node in self.counted.items():
            for name in node.binds:
                if not node.owner:
                    held.setdefault((node.path, name), []).append(key)
                if node.path in self.visible:
                    shared.setdefault(name, []).append(key)
        return held, shared

    def digest(self) -> str:
        """Return the hash of the slice: of each statement with what its names mean, and of the order of what acts."""
        labels = {key: hash_of(node.text) for key, node in self.counted.items()}
        own = dict(labels)
        held, shared = self._binding()
        edges = {key: list(self._edges(key, held, shared)) for key in self.counted}
        for _ in range(ROUNDS):
            labels = {
                key: hash_of(own[key], *sorted(hash_of(spelling, labels[target]) for spelling, target in edges[key]))
                for key in self.counted
            }
        content = [file_hash(path) for path in sorted(self.data)]
        return hash_of(*sorted(labels.values()), "", *sorted(self._orders(labels)), "", *sorted(content))

    def _orders(self, labels):
        """Yield a hash of what acts in each module, in its order, and of what binds a name that another one binds."""
        for module in self.modules.values():
            keys = [(node.path, node.number) for node in module.nodes if (node.path, node.number) in self.counted]
            counted = [self.counted[key] for key in keys]
            often = Counter(name for node in counted if not node.layers and not node.owner for name in node.binds)
            twice = {name for name, times in often.items() if times > 1}
            acting = [labels[key] for key, node in zip(keys, counted) if node.patches or node.binds & twice]
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
