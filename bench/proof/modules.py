"""Read a module of this repository as the statements that a slice of it is made of (bench/proof/slices.py).

A statement is its words (bench/proof/statements.py). Left out are docstrings, comments, texts inside `raise`, and the
paths of this repository's own modules: an import of one is not text, but says which definition a name means.
"""

import ast
import functools
from typing import Any, Dict, FrozenSet, NamedTuple, Sequence, Set

from bench.proof import statements
from bench.proof.statements import FUNCTIONS, IMPORTS, Import, Node, acts, called, is_space, name_of, patches, text_of

REFLECTING = frozenset((
    "getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller", "__getattribute__", "__getattr__",
))  # fmt: skip
MODULE = "@"  # stands for the name under which a module of this repository was imported


class Module(NamedTuple):
    """A module's statements, in order, and what its imports bind."""

    path: str
    nodes: Sequence[Node]
    imports: Dict[str, Import]
    bound: FrozenSet[str]  # what its statements bind, without members of classes
    words: FrozenSet[str]  # names, and words within its strings


def read(path: str, place: Any) -> Module:
    """Read a module; `place` (bench/proof/places.py) says which imports are of this repository."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return _parsed(path, file.read() + "\n", place)


@functools.lru_cache(maxsize=None)
def _parsed(path, source, place):
    tree, lines = statements.parsed(path, source), list(statements.lines_of(source))
    below = list(ast.walk(tree))
    given = {id(node): _imports(node) for node in below if isinstance(node, IMPORTS)}
    own = {key: each for key, each in given.items() if all(map(place.holds, each.values()))}
    imports: Dict[str, Import] = {}
    for node in tree.body:
        imports.update(own.get(id(node), {}))
    modules = {name for each in own.values() for name, imported in each.items()
               if imported[1] is None or place.find(imported, path)[1] is None}  # fmt: skip
    parts = [part for node in tree.body for part in statements.parts_of(node)]
    texts = statements.texts_of(_words(lines, below, own, modules), parts, source)
    left_out = set(own) | {id(node) for node in tree.body if _is_main(node)}
    known = {each.name: each for each in tree.body if isinstance(each, statements.DEFINITIONS)}
    around = known, {name for each in given.values() for name in each}
    counted = [(part, text) for part, text in zip(parts, texts) if text and id(part.node) not in left_out]
    nodes = [_node(path, number, part, text, own, around) for number, (part, text) in enumerate(counted)]
    bound = frozenset(name for each in nodes if not each.owner for name in each.binds)
    words = statements.words_of(" ".join(word for line in lines for _, _, word in line))
    return Module(path, nodes, imports, bound, words)


def _node(path, number, part, text, imports, around):
    """Return what a part of a file names and does.

    `imports` are those of this repository's modules, by the statement's id. `around` are the definitions of the file by
    their names, and the names that it imports.
    """
    nodes = list(_walk(part.whole))
    own: Dict[str, Import] = {}
    for each in nodes:
        own.update(imports.get(id(each), {}))
    is_whole = part.whole is part.node
    joined = getattr(part.whole, "decorator_list", []) + getattr(part.whole, "bases", []) if is_whole else []
    attributes = [each for each in nodes if isinstance(each, ast.Attribute)]
    return Node(
        path, number, text.rstrip(" ,}") if statements.TABLE in part.binds else text, part.binds,
        frozenset(each.id for each in nodes if isinstance(each, ast.Name)),
        frozenset(each.attr for each in attributes),
        frozenset((each.value.id, each.attr) for each in attributes if isinstance(each.value, ast.Name)),
        _reflected(nodes), frozenset(filter(None, map(text_of, nodes))), own,
        frozenset(filter(None, (name_of(each) for node in joined for each in ast.walk(node)))),
        is_whole and acts(part.node), is_whole and patches(part.node, *around),
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


def _reflected(nodes):
    """Return the names that texts stand for: arguments of getattr and its like, keys of a name space."""
    found: Set[str] = set()
    for each in nodes:
        if isinstance(each, ast.Call) and called(each) in REFLECTING:
            found.update(filter(None, map(text_of, each.args)))
        elif isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and is_space(each.func.value):
            found.update(filter(None, map(text_of, each.args)))  # globals().get("name")
        elif isinstance(each, ast.Subscript) and is_space(each.value):
            found.update(filter(None, map(text_of, ast.walk(each.slice))))
    return frozenset(part for name in found for part in name.split("."))


def _is_main(node):
    """Say whether a statement is `if __name__ == "__main__"`: nothing that imports the module runs it."""
    return isinstance(node, ast.If) and any(getattr(each, "id", "") == "__name__" for each in ast.walk(node.test))


def _imports(node):
    """Return {local name: import} of an import statement."""
    if isinstance(node, ast.ImportFrom):
        return {each.asname or each.name: (node.module or "", each.name, node.level) for each in node.names}
    return {each.asname or each.name.partition(".")[0]: (each.name, None, 0) for each in node.names}


def _words(lines, nodes, own, modules):
    """Yield (position, word) of what counts in a file; a line's first word brings its indentation."""
    imports = {node.lineno for node in nodes if id(node) in own}
    messages = {each.lineno for node in nodes if isinstance(node, FUNCTIONS) for each in _messages(node)}
    for line in lines:
        number, before = line[0][1][0], ""
        if number in imports:
            continue
        is_message = number in messages
        for kind, position, word in line:
            is_message = is_message or word == "raise"
            if "STRING" in kind and is_message:
                continue
            shown = MODULE if word in modules and before != "." else word
            yield position, shown if before else "\n" + " " * position[1] + shown
            before = word


def _messages(function):
    """Return the assignments of texts that only a `raise` of the same function reads."""
    nodes = list(ast.walk(function))
    assigned = [each for each in nodes if isinstance(each, ast.Assign) and text_of(each.value) is not None]
    raised = {id(each) for node in nodes if assigned and isinstance(node, ast.Raise) for each in ast.walk(node)}
    read = {each.id for each in nodes
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and id(each) not in raised}  # fmt: skip
    return [each for each in assigned
            if all(isinstance(to, ast.Name) and to.id not in read for to in each.targets)]  # fmt: skip
