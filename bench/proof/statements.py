"""Read the statements of a Python file: their words, which a proof hashes, and what they name, bind and do.

A statement is its words: comments, docstrings, blank lines and line breaks inside a statement do not count. Every
Python version that can parse a file finds the same words in it.
"""

import ast
import bisect
import io
import itertools
import re
import sys
import tokenize
from typing import Any, Container, Dict, FrozenSet, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from bench.errors import DefinitionError

TABLE = "LAYERS"  # a dict by the names of layers, whose rows are used one by one
SILENT = ("COMMENT", "NL", "INDENT", "DEDENT", "ENDMARKER")  # a line's indentation is told by its first word
IMPORTS = (ast.Import, ast.ImportFrom)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = FUNCTIONS + (ast.ClassDef,)
TARGETS = (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.Store)  # what stands left of the = of a definition
PLAIN = IMPORTS + DEFINITIONS + (ast.Pass, ast.Expr, ast.Assign, ast.AnnAssign)
BRANCHES = (ast.If, ast.For, ast.While, ast.With, ast.Try)
SPACES = frozenset(("globals", "locals", "vars"))
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

Import = Tuple[str, Optional[str], int]  # module, name in it (None: the module itself), level of a relative import
Word = Tuple[str, Tuple[int, int], str]  # kind of token, line and column, text


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


class Part(NamedTuple):
    """A part of a file that counts by itself."""

    node: Any  # that it begins with
    whole: Any  # whose names count
    binds: FrozenSet[str] = frozenset()
    layers: FrozenSet[str] = frozenset()
    owner: str = ""


def parsed(path: str, source: str) -> Any:
    """Return a file's syntax tree; raises DefinitionError where this Python cannot parse it."""
    try:
        return ast.parse(source, path)
    except (SyntaxError, ValueError) as error:
        message = "%s: expected a file that Python %d.%d can parse, since a proof holds what it defines, got: %s."
        raise DefinitionError(message % (path, sys.version_info[0], sys.version_info[1], error)) from None


def lines_of(source: str) -> Iterator[List[Word]]:
    """Yield the words of each logical line that is no docstring."""
    line: List[Word] = []
    for kind, position, word in _tokens(source):
        if kind == "NEWLINE":
            if not all("STRING" in each for each, _, _ in line):
                yield line
            line = []
        elif kind not in SILENT:
            line.append((kind, position, word))


def _tokens(source: str) -> Iterator[Word]:
    """Yield (kind, position, text) of each token; an f-string is one, of which Python 3.12 makes several."""
    offsets = [0] + list(itertools.accumulate(len(line) + 1 for line in source.split("\n")))
    begun: List[Tuple[int, int]] = []  # where the f-strings began that have not ended, one inside another
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        if kind.endswith("STRING_START"):
            begun.append(token.start)
        begin = begun[0] if begun else token.start
        if kind.endswith("STRING_END"):
            begun.pop()
        if not begun:
            yield kind, begin, source[offsets[begin[0] - 1] + begin[1] : offsets[token.end[0] - 1] + token.end[1]]


def texts_of(words: Iterable[Tuple[Tuple[int, int], str]], parts: Sequence[Part], source: str) -> List[str]:
    """Return the text of each part of a file, from its words and their positions."""
    lines = source.split("\n")
    begins = [_begin(part.node, lines) for part in parts]
    found: List[List[str]] = [[] for _ in parts]
    for position, word in words:
        found[bisect.bisect(begins, position) - 1].append(word)
    return [" ".join(each) for each in found]


def _begin(node, lines):
    """Return the line and column where a node begins: in characters, where a syntax tree counts bytes."""
    if isinstance(node, DEFINITIONS):  # with its first decorator, of which Pythons differ, as they do of `async`
        return min(each.lineno for each in [node] + node.decorator_list), 0
    return node.lineno, len(lines[node.lineno - 1].encode("utf-8")[: node.col_offset].decode("utf-8", "ignore"))


def words_of(text: str) -> FrozenSet[str]:
    """Return the words of a text: names, and those within its strings."""
    return frozenset(re.findall(r"\w+", text))


def parts_of(node: Any) -> Iterator[Part]:
    """Yield the parts of a statement: rows of the table of layers, members of a class without bases, else itself."""
    bound, value = binds(node), getattr(node, "value", None)
    if TABLE in bound and isinstance(value, ast.Dict):
        head = ast.Module(body=[], type_ignores=[])
        yield Part(node, head, bound)
        for key, each in zip(value.keys, value.values):
            row = ast.Tuple(elts=[part for part in (key, each) if part], ctx=ast.Load())
            yield Part(key or each, row, bound, _layers(key))
    elif isinstance(node, ast.ClassDef) and not node.bases and not node.keywords:
        head = ast.Module(body=list(node.decorator_list), type_ignores=[])
        yield Part(node, head, bound)
        for each in node.body:
            name = each.name if isinstance(each, DEFINITIONS) else ""
            yield Part(each, each, frozenset([name] if name else []), frozenset(), node.name)
    elif isinstance(node, BRANCHES):
        yield Part(node, node, frozenset(_bound_in(node)))
    else:
        yield Part(node, node, bound)


def _bound_in(node):
    """Yield what a branch or a loop binds."""
    for each in ast.walk(node):
        if isinstance(each, IMPORTS + DEFINITIONS):
            for name in binds(each):
                yield name
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id


def binds(node: Any) -> FrozenSet[str]:
    """Return the names that an import or a definition binds; none for a statement that acts."""
    names = []
    if isinstance(node, IMPORTS):
        names = [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    elif isinstance(node, DEFINITIONS):
        names = [node.name]
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        parts = [part for target in targets for part in ast.walk(target)]
        if all(isinstance(part, TARGETS) for part in parts):
            names = [part.id for part in parts if isinstance(part, ast.Name)]
    return frozenset([] if "*" in names else names)


def _layers(key):
    """Return the words of a key that is a string; none for another key, whose row is always used."""
    try:
        value = ast.literal_eval(key)
    except ValueError:
        return frozenset()
    return words_of(value) if isinstance(value, str) else frozenset()


def text_of(node: Any) -> Optional[str]:
    """Return the text that a node is, or None; Python before 3.8 has another class for it."""
    value = getattr(node, "value", None) if type(node).__name__ == "Constant" else getattr(node, "s", None)
    return value if isinstance(value, str) else None


def name_of(node: Any) -> str:
    """Return the last part of a name: of a variable, or behind a dot; nothing for another node."""
    return str(getattr(node, "id", getattr(node, "attr", "")))


def called(node: Any) -> str:
    """Return the last part of what a call calls."""
    return name_of(node.func)


def is_space(node: Any) -> bool:
    """Say whether a node is a name space: globals(), vars(x), x.__dict__."""
    return getattr(node, "attr", "") == "__dict__" or (isinstance(node, ast.Call) and called(node) in SPACES)


def acts(node: Any) -> bool:
    """Say whether a statement acts when it is imported: a call, a change of what another name holds, a branch."""
    return not isinstance(node, PLAIN) or patches(node, {}, ())


def patches(node: Any, known: Dict[str, Any], imported: Container[str]) -> bool:
    """Say whether it may change what other modules hold; a branch or a loop does by what is in it alone.

    Functions and classes of the same module are `known`: a call of one does what its body does.
    """
    return any(_acts(each, known, imported) for each in _run_at_import(node))


def _run_at_import(node):
    """Yield what is evaluated when a statement is: of a function its decorators and defaults, of a class its body."""
    if isinstance(node, FUNCTIONS + (ast.Lambda,)):
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
        return _dotted(node.func) not in HARMLESS and called(node) not in HARMLESS
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
            name = called(node)
            if name in CHANGES or (name.startswith("set") and _root(node.func) in imported):
                return True
            if name in known and name not in seen and _changes(known[name], known, imported, seen + (name,)):
                return True
    return False


def _root(node):
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", "")


def _dotted(node):
    if isinstance(node, ast.Attribute):
        return "%s.%s" % (_dotted(node.value), node.attr)
    return getattr(node, "id", "")
