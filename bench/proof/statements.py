"""Read a module of this repository as the statements that a slice of it is made of (bench/proof/slices.py).

A statement is its words (bench/proof/syntax.py). Docstrings, comments and texts in `raise` do not count. Paths of this
repository's modules do not count either: an import of one only says which definition a name means.
"""

import ast
import functools
import sys
from typing import Any, Container, Dict, FrozenSet, Iterator, List, Mapping, NamedTuple, Sequence

from bench.errors import DefinitionError
from bench.proof import syntax
from bench.proof.syntax import DEFINITIONS, FUNCTIONS, Import, Node, Part, called, is_space, name_of, text_of, words_of

TABLE = "LAYERS"  # a dict by the names of layers, whose rows are used one by one
MODULE = "@"  # replaces the name under which a module of this repository was imported
IMPORTS = (ast.Import, ast.ImportFrom)
TARGETS = (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.Store)  # the left side of a definition
PLAIN = IMPORTS + DEFINITIONS + (ast.Pass, ast.Expr, ast.Assign, ast.AnnAssign)
BRANCHES = (ast.If, ast.For, ast.While, ast.With, ast.Try)
REFLECTING = frozenset((
    "getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller", "__getattribute__", "__getattr__",
))  # fmt: skip
CHANGES = frozenset(("setattr", "delattr", "exec", "eval", "seed", "setdefault", "__import__", "import_module"))
HARMLESS = frozenset((  # calls that change nothing but what they return
    "frozenset", "tuple", "dict", "list", "set", "range", "len", "sorted", "min", "max", "sum", "str", "int", "float",
    "bool", "type", "zip", "map", "enumerate", "isinstance", "slice", "bytes", "property", "staticmethod",
    "classmethod", "abs", "namedtuple", "OrderedDict", "NamedTuple", "SimpleNamespace", "partial", "lru_cache", "wraps",
    "contextmanager",
    "os.path.join", "os.path.dirname", "os.path.abspath", "os.environ.get", "re.compile", "dict.fromkeys", "items",
    "keys", "values", "get", "copy", "format", "join", "split", "strip", "device", "dtype", "getLogger", "TypeVar",
    "singledispatch", "union", "How", "ExitStack", "_replace", "open", "json.load",
))  # fmt: skip


class Module(NamedTuple):
    """A module's statements, in order, and what its imports bind."""

    nodes: Sequence[Node]
    imports: Dict[str, Import]
    bound: FrozenSet[str]  # by its statements, without members of classes
    words: FrozenSet[str]  # names, and words in its strings


def read(path: str, place: Any) -> Module:
    """Read a module; `place` (bench/proof/places.py) says which imports are of this repository.

    Raises DefinitionError if this Python cannot parse the file.
    """
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return _parsed(path, file.read() + "\n", place)


@functools.lru_cache(maxsize=None)
def _parsed(path, source, place):
    try:
        tree = ast.parse(source, path)
    except (SyntaxError, ValueError) as error:
        message = "%s: expected a file that Python %d.%d can parse, since a proof holds what it defines, got: %s."
        raise DefinitionError(message % (path, sys.version_info[0], sys.version_info[1], error)) from None
    lines, below = list(syntax.lines_of(source)), list(ast.walk(tree))
    imports = {id(node): _imports(node) for node in below if isinstance(node, IMPORTS)}
    own = {key: names for key, names in imports.items() if all(map(place.holds, names.values()))}
    modules = {name for names in own.values() for name, imported in names.items()
               if imported[1] is None or place.find(imported, path)[1] is None}  # fmt: skip
    parts = [part for node in tree.body for part in parts_of(node)]
    texts = syntax.texts_of(_words(lines, below, own, modules), [part.node for part in parts], source)
    left_out = set(own) | {id(node) for node in tree.body if _is_main(node)}
    defined = {node.name: node for node in tree.body if isinstance(node, DEFINITIONS)}
    context = defined, {name for names in imports.values() for name in names}
    counted = [(part, text) for part, text in zip(parts, texts) if text and id(part.node) not in left_out]
    nodes = [_node(path, number, part, text, own, context) for number, (part, text) in enumerate(counted)]
    return Module(
        nodes,
        {name: imported for node in tree.body for name, imported in own.get(id(node), {}).items()},
        frozenset(name for node in nodes if not node.part.owner for name in node.part.binds),
        words_of(" ".join(word for line in lines for _, _, word in line)),
    )


def _node(path, number, part, text, imports, context):
    """Return what a part of a file names and does.

    `imports` are those of this repository's modules, by the statement's id. `context` are the definitions of the file
    by their names, and the names that it imports.
    """
    nodes = list(_walk(part.whole))
    is_whole = part.whole is part.node
    joined = getattr(part.whole, "decorator_list", []) + getattr(part.whole, "bases", []) if is_whole else []
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    strings = _reflected(nodes)
    return Node(
        path, number, text.rstrip(" ,}") if TABLE in part.binds else text, part,
        frozenset(node.id for node in nodes if isinstance(node, ast.Name)),
        frozenset(node.attr for node in attributes) | strings,
        frozenset((node.value.id, node.attr) for node in attributes if isinstance(node.value, ast.Name)),
        strings, frozenset(filter(None, map(text_of, nodes))),
        {name: imported for node in nodes for name, imported in imports.get(id(node), {}).items()},
        frozenset(filter(None, (name_of(node) for outer in joined for node in ast.walk(outer)))),
        is_whole and (not isinstance(part.node, PLAIN) or _patches(part.node, {}, ())),
        is_whole and _patches(part.node, *context),
    )  # fmt: skip


def _walk(node):
    """Yield a node and all below it, without annotations, which nothing runs."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns") or isinstance(node, ast.AnnAssign):
                waiting.extend(below for below in (value if isinstance(value, list) else [value])
                               if isinstance(below, ast.AST))  # fmt: skip


def _reflected(nodes):
    """Return the names in texts: arguments of getattr and its like, keys of a name space."""
    found: List[Any] = []
    for node in nodes:
        is_get = isinstance(node, ast.Call) and is_space(getattr(node.func, "value", None))  # globals().get("name")
        if is_get or (isinstance(node, ast.Call) and called(node) in REFLECTING):
            found += node.args
        elif isinstance(node, ast.Subscript) and is_space(node.value):
            found += ast.walk(node.slice)
    return frozenset(part for name in filter(None, map(text_of, found)) for part in name.split("."))


def _is_main(node):
    """Say whether a statement is `if __name__ == "__main__"`: nothing that imports the module runs it."""
    return isinstance(node, ast.If) and any(getattr(below, "id", "") == "__name__" for below in ast.walk(node.test))


def _imports(node):
    """Return {local name: import} of an import statement."""
    if isinstance(node, ast.ImportFrom):
        return {alias.asname or alias.name: (node.module or "", alias.name, node.level) for alias in node.names}
    return {alias.asname or alias.name.partition(".")[0]: (alias.name, None, 0) for alias in node.names}


def _words(lines, nodes, own, modules):
    """Yield (position, word) of the words that count in a file; a line's first word brings its indentation."""
    imports = {node.lineno for node in nodes if id(node) in own}
    messages = {
        node.lineno for function in nodes if isinstance(function, FUNCTIONS) for node in syntax.messages(function)
    }
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


def parts_of(node: Any) -> Iterator[Part]:
    """Yield the parts of a statement: rows of the table of layers, members of a class without bases, else itself."""
    bound, value = _bound(node), getattr(node, "value", None)
    if TABLE in bound and isinstance(value, ast.Dict):
        yield Part(node, ast.Module(body=[], type_ignores=[]), bound)
        for key, layer in zip(value.keys, value.values):
            row = ast.Tuple(elts=[part for part in (key, layer) if part], ctx=ast.Load())
            yield Part(key or layer, row, bound, words_of(text_of(key) or ""))
    elif isinstance(node, ast.ClassDef) and not node.bases and not node.keywords:
        yield Part(node, ast.Module(body=list(node.decorator_list), type_ignores=[]), bound)
        for member in node.body:
            names = [member.name] if isinstance(member, DEFINITIONS) else []
            yield Part(member, member, frozenset(names), owner=node.name)
    elif isinstance(node, BRANCHES):
        stored = {
            below.id for below in ast.walk(node) if isinstance(below, ast.Name) and isinstance(below.ctx, ast.Store)
        }
        defined = [_bound(below) for below in ast.walk(node) if isinstance(below, IMPORTS + DEFINITIONS)]
        yield Part(node, node, frozenset(stored.union(*defined)))
    else:
        yield Part(node, node, bound)


def _bound(node):
    """Return the names that an import or a definition binds; none for a statement that acts."""
    names = []
    if isinstance(node, IMPORTS):
        names = list(_imports(node))
    elif isinstance(node, DEFINITIONS):
        names = [node.name]
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        parts = [part for target in targets for part in ast.walk(target)]
        if all(isinstance(part, TARGETS) for part in parts):
            names = [part.id for part in parts if isinstance(part, ast.Name)]
    return frozenset([] if "*" in names else names)


def _patches(node: Any, defined: Mapping[str, ast.AST], imported: Container[str]) -> bool:
    """Say whether a statement may change what other modules hold; a branch or a loop does by what is in it alone.

    A call of a function or class in `defined`, those of the same module, does what its body does.
    """
    return any(_acts(evaluated, defined, imported) for evaluated in _run_at_import(node))


def _run_at_import(node):
    """Yield what is evaluated when a statement is: of a function its decorators and defaults, of a class its body."""
    decorators = getattr(node, "decorator_list", [])
    if isinstance(node, FUNCTIONS + (ast.Lambda,)):
        parts = decorators + node.args.defaults + [default for default in node.args.kw_defaults if default]
    else:
        yield node
        parts = list(ast.iter_child_nodes(node))
    for part in parts:
        yield from _run_at_import(part)
    for decorator in decorators:
        if not isinstance(decorator, ast.Call):  # it is called, too
            yield ast.Call(func=decorator, args=[], keywords=[])


def _acts(node, defined, imported):
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", "")
        if name in defined:
            return _changes(defined[name], defined, imported, (name,))
        return syntax.dotted(node.func) not in HARMLESS and called(node) not in HARMLESS
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return isinstance(node.ctx, (ast.Store, ast.Del))
    return isinstance(node, (ast.AugAssign, ast.Delete))


def _changes(body, defined, imported, seen):
    """Say whether a definition may change what an imported module holds."""
    for node in ast.walk(body):
        is_stored = isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load)
        if is_stored and syntax.root(node) in imported:
            return True
        if isinstance(node, ast.Call):
            name = called(node)
            if name in CHANGES or (name.startswith("set") and syntax.root(node.func) in imported):
                return True
            if name in defined and name not in seen and _changes(defined[name], defined, imported, (*seen, name)):
                return True
    return False
