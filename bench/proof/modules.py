"""Read a module of this repository as the statements that a slice of it is made of (bench/proof/slices.py).

A statement is its words, as in bench/proof/used.py. Left out are docstrings, comments, texts inside `raise`, and the
paths of this repository's own modules: an import of one is not text, but says which definition a name means.
"""

import ast
import bisect
import functools
from typing import Any, Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Set, Tuple

from bench.proof import purity, used
from bench.proof.places import Place

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MODULE = "@"  # stands for the name under which a module of this repository was imported
REFLECTING = frozenset((
    "getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller", "__getattribute__", "__getattr__",
))  # fmt: skip
SPACES = frozenset(("globals", "locals", "vars"))

Import = Tuple[str, Optional[str], int]  # module, name in it (None: the module itself), level of a relative import


class Node(NamedTuple):
    """A statement of a module's top level, a row of its table of layers, or a member of a class without bases."""

    path: str
    number: int  # its place in the module
    text: str
    binds: FrozenSet[str]
    names: FrozenSet[str]  # variables that it reads
    attributes: FrozenSet[str]  # what it reads behind a dot
    chains: FrozenSet[Tuple[str, str]]  # (variable, attribute behind it)
    strings: FrozenSet[str]  # names that it reads by a text: getattr(x, "name"), globals()["name"]
    texts: FrozenSet[str]  # all of its texts
    imports: Dict[str, Import]  # that stand inside it
    joins: FrozenSet[str]  # its decorators and bases: what they are may keep it
    acts: bool  # whether something happens when the module is imported
    patches: bool  # whether that may change what other modules hold
    layers: FrozenSet[str]
    owner: str  # the class without bases that it is a member of, or empty
    tree: Any


class Module(NamedTuple):
    """A module's statements, in order, and what its imports bind."""

    path: str
    nodes: Sequence[Node]
    imports: Dict[str, Import]
    stars: Sequence[Import]
    bound: FrozenSet[str]  # what its statements bind, without members of classes


def read(path: str, place: Place) -> Module:
    """Read a module; `place` says which imports are of this repository."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return _parsed(path, file.read() + "\n", place)


@functools.lru_cache(maxsize=None)
def _parsed(path, source, place):
    tree = used.parsed(path, source)
    below = list(ast.walk(tree))
    given = {id(node): _imports(node) for node in below if isinstance(node, used.IMPORTS)}
    own = {key: each for key, each in given.items() if all(place.holds(one) for one in each.values())}
    top = [node for node in tree.body if id(node) in own]
    imports: Dict[str, Import] = {}
    for node in top:
        imports.update(own[id(node)])
    silent = _Silent(below, own)
    parts = [part for node in tree.body if not _is_main(node) for part in _parts(node)]
    skipped = [node for node in tree.body if _is_main(node)]
    lines = source.split("\n")
    begins = [used.begin(part.node, lines) for part in parts + [_Part(node, node) for node in skipped]]
    order = sorted(range(len(begins)), key=begins.__getitem__)
    begins = [begins[number] for number in order]
    words: List[List[str]] = [[] for _ in order]
    for position, word in silent.words(source, frozenset(_modules(own, place, path))):
        words[bisect.bisect(begins, position) - 1].append(word)
    texts = {number: " ".join(own_words) for number, own_words in zip(order, words)}
    known = {each.name: each for each in tree.body if isinstance(each, used.DEFINITIONS)}
    imported = frozenset(name for each in given.values() for name in each)
    nodes = [_node(path, number, part, texts[number], own, (known, imported)) for number, part in enumerate(parts)
             if id(part.node) not in own and texts[number]]  # fmt: skip
    bound = frozenset(name for each in nodes if not each.owner for name in each.binds)
    return Module(path, nodes, imports, [each for each in imports.values() if each[1] == "*"], bound)


class _Part(NamedTuple):
    node: Any  # that it begins with
    whole: Any  # whose names count
    binds: FrozenSet[str] = frozenset()
    layers: FrozenSet[str] = frozenset()
    owner: str = ""


def _is_main(node):
    """Say whether a statement is `if __name__ == "__main__"`: nothing that imports the module runs it."""
    return isinstance(node, ast.If) and any(getattr(each, "id", "") == "__name__" for each in ast.walk(node.test))


def _parts(node):
    """Yield the parts of a statement: rows of the table of layers, members of a class without bases, else itself."""
    binds, value = used.binds(node), getattr(node, "value", None)
    if used.TABLE in binds and isinstance(value, ast.Dict):
        head = ast.Module(body=[], type_ignores=[])
        yield _Part(node, head, binds)
        for key, each in zip(value.keys, value.values):
            row = ast.Tuple(elts=[part for part in (key, each) if part], ctx=ast.Load())
            yield _Part(key or each, row, binds, used.layers(key))
    elif isinstance(node, ast.ClassDef) and not node.bases and not node.keywords:
        head = ast.Module(body=list(node.decorator_list), type_ignores=[])
        yield _Part(node, head, binds)
        for each in node.body:
            name = each.name if isinstance(each, FUNCTIONS + (ast.ClassDef,)) else ""
            yield _Part(each, each, frozenset([name] if name else []), frozenset(), node.name)
    elif isinstance(node, purity.BRANCHES):
        yield _Part(node, node, frozenset(_bound_in(node)))
    else:
        yield _Part(node, node, binds)


def _bound_in(node):
    """Yield what a branch or a loop binds."""
    for each in ast.walk(node):
        if isinstance(each, used.IMPORTS + used.DEFINITIONS):
            for name in used.binds(each):
                yield name
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id


def _node(path, number, part, text, own, around):
    parts = list(_walk(part.whole))
    chains = {(each.value.id, each.attr) for each in parts
              if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)}  # fmt: skip
    imports: Dict[str, Import] = {}
    for each in parts:
        imports.update(own.get(id(each), {}))
    text = text.rstrip(" ,}") if part.layers or used.TABLE in part.binds else text
    whole = part.node if part.whole is part.node else None
    joined = getattr(whole, "decorator_list", []) + getattr(whole, "bases", [])
    return Node(
        path, number, text, part.binds,
        frozenset(each.id for each in parts if isinstance(each, ast.Name)),
        frozenset(each.attr for each in parts if isinstance(each, ast.Attribute)),
        frozenset(chains), _reflected(parts), frozenset(filter(None, map(text_of, parts))), imports,
        frozenset(name for each in joined for name in _names(each)),
        purity.acts(part.node) if whole is not None or part.owner else False,
        purity.patches(part.node, *around) if whole is not None or part.owner else False,
        part.layers, part.owner, part.whole,
    )  # fmt: skip


def _walk(node):
    """Yield a node and all below it, without annotations, which nothing runs, and what is inside `raise`."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        for name, value in ast.iter_fields(each):
            if name in ("annotation", "returns") and not isinstance(each, ast.AnnAssign):
                continue
            values = value if isinstance(value, list) else [value]
            waiting.extend(one for one in values if isinstance(one, ast.AST))


def _names(node):
    return {getattr(each, "id", getattr(each, "attr", "")) for each in ast.walk(node)} - {""}


def text_of(node: Any) -> Optional[str]:
    """Return the text that a node is, or None; Python before 3.8 has another class for it."""
    value = getattr(node, "value", None) if type(node).__name__ == "Constant" else getattr(node, "s", None)
    return value if isinstance(value, str) else None


def _reflected(parts):
    """Return the names that texts stand for: arguments of getattr and its like, keys of a name space."""
    found: Set[str] = set()
    for each in parts:
        if isinstance(each, ast.Call) and called(each) in REFLECTING:
            found.update(filter(None, map(text_of, each.args)))
        elif isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and is_space(each.func.value):
            found.update(filter(None, map(text_of, each.args)))  # globals().get("name")
        elif isinstance(each, ast.Subscript) and is_space(each.value):
            found.update(filter(None, map(text_of, ast.walk(each.slice))))
    return frozenset(part for name in found for part in name.split("."))


def is_space(node: Any) -> bool:
    """Say whether a node is a name space: globals(), vars(x), x.__dict__."""
    return getattr(node, "attr", "") == "__dict__" or (isinstance(node, ast.Call) and called(node) in SPACES)


def called(node: Any) -> str:
    """Return the last part of what a call calls."""
    return str(getattr(node.func, "id", getattr(node.func, "attr", "")))


def _imports(node):
    """Return {local name: import} of an import statement."""
    if isinstance(node, ast.ImportFrom):
        return {each.asname or each.name: (node.module or "", each.name, node.level) for each in node.names}
    return {each.asname or each.name.partition(".")[0]: (each.name, None, 0) for each in node.names}


def _modules(own, place, path):
    """Yield the names under which a file imports modules of this repository."""
    for imports in own.values():
        for name, each in imports.items():
            if each[1] is None or place.find(each, path)[1] is None:
                yield name


class _Silent:
    """Which words of a file are no part of any statement's text."""

    def __init__(self, nodes, own):
        self.imports = {node.lineno for node in nodes if id(node) in own}
        self.messages = {each.lineno for node in nodes if isinstance(node, FUNCTIONS) for each in _messages(node)}

    def words(self, source, modules):
        """Yield (position, word); a line's first word brings its indentation."""
        for line in used.lines_of(source):
            if line[0][1][0] in self.imports:
                continue
            is_message, before, first = line[0][1][0] in self.messages, "", True
            for kind, position, word in line:
                is_message = is_message or word == "raise"
                if "STRING" in kind and is_message:
                    continue
                shown = MODULE if word in modules and before != "." else word
                yield position, "\n" + " " * position[1] + shown if first else shown
                before, first = word, False


def _messages(function):
    """Return the assignments of texts that only a `raise` of the same function reads."""
    nodes = list(ast.walk(function))
    assigned = [each for each in nodes if isinstance(each, ast.Assign) and text_of(each.value) is not None]
    raised = {id(each) for node in nodes if assigned and isinstance(node, ast.Raise) for each in ast.walk(node)}
    read = {each.id for each in nodes
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and id(each) not in raised}  # fmt: skip
    return [each for each in assigned
            if all(isinstance(to, ast.Name) and to.id not in read for to in each.targets)]  # fmt: skip
