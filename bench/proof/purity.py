"""Say whether a statement does something when its module is imported, beside binding its names."""

import ast
from typing import AbstractSet, Any, Dict, Iterator

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
PLAIN = (ast.Import, ast.ImportFrom, ast.Pass, ast.Expr, ast.Assign, ast.AnnAssign, ast.ClassDef) + DEFINITIONS
CHANGES = frozenset(("setattr", "delattr", "exec", "eval", "seed", "setdefault", "__import__", "import_module"))
BRANCHES = (ast.If, ast.For, ast.While, ast.With, ast.Try)
HARMLESS = frozenset((  # calls that change nothing but what they return
    "frozenset", "tuple", "dict", "list", "set", "range", "len", "sorted", "min", "max", "sum", "str", "int", "float",
    "bool", "type", "zip", "map", "enumerate", "isinstance", "slice", "bytes", "property", "staticmethod",
    "classmethod", "abs", "namedtuple", "OrderedDict", "NamedTuple", "SimpleNamespace", "partial", "lru_cache", "wraps",
    "contextmanager",
    "os.path.join", "os.path.dirname", "os.path.abspath", "os.environ.get", "re.compile", "dict.fromkeys", "items",
    "keys", "values", "get", "copy", "format", "join", "split", "strip", "device", "dtype", "getLogger", "TypeVar",
    "singledispatch", "union", "How", "ExitStack", "_replace", "open", "json.load",
))  # fmt: skip


def acts(node: Any) -> bool:
    """Say whether a statement acts when it is imported: a call, a change of what another name holds, a branch."""
    return not isinstance(node, PLAIN) or patches(node, {}, frozenset())


def patches(node: Any, known: Dict[str, Any], imported: AbstractSet[str]) -> bool:
    """Say whether it may change what other modules hold; a branch or a loop does by what is in it alone.

    Functions and classes of the same module are `known`: a call of one does what its body does.
    """
    return any(_acts(each, known, imported) for each in _run_at_import(node))


def _run_at_import(node: Any) -> Iterator[Any]:
    """Yield what is evaluated when a statement is: of a function its decorators and defaults, of a class its body."""
    if isinstance(node, DEFINITIONS + (ast.Lambda,)):
        parts = getattr(node, "decorator_list", []) + node.args.defaults + [d for d in node.args.kw_defaults if d]
    else:
        yield node
        parts = list(ast.iter_child_nodes(node))
    for each in parts:
        for below in _run_at_import(each):
            yield below
    for each in getattr(node, "decorator_list", []):
        if not isinstance(each, ast.Call):  # it is called, too
            yield ast.Call(func=each, args=[], keywords=[])


def _acts(node, known, imported):
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", "")
        if name in known:
            return _changes(known[name], known, imported, (name,))
        return _dotted(node.func) not in HARMLESS and _last(node.func) not in HARMLESS
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return isinstance(node.ctx, (ast.Store, ast.Del))
    return isinstance(node, (ast.AugAssign, ast.Delete))


def _changes(body, known, imported, seen):
    """Say whether a definition may change what an imported module holds."""
    for node in ast.walk(body):
        is_stored = isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load)
        if is_stored and _root(node) in imported:
            return True
        if isinstance(node, ast.Call):
            name = _last(node.func)
            if name in CHANGES or (name.startswith("set") and _root(node.func) in imported):
                return True
            if name in known and name not in seen and _changes(known[name], known, imported, seen + (name,)):
                return True
    return False


def _root(node):
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", "")


def _last(node):
    return getattr(node, "id", getattr(node, "attr", ""))


def _dotted(node):
    if isinstance(node, ast.Attribute):
        return "%s.%s" % (_dotted(node.value), node.attr)
    return getattr(node, "id", "")
