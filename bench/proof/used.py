"""What some names use of Python files: a proof hashes that, and nothing else of them.

A file is its top-level statements, and a statement is its words: comments, docstrings, blank lines and where a long
line is broken are none of them. Every Python that can parse a file finds the same text in it. Rather too much is used
than too little: a name is used wherever one of its spelling stands as a variable or behind a dot.
"""

import ast
import bisect
import functools
import io
import itertools
import re
import sys
import tokenize
from typing import AbstractSet, Any, FrozenSet, Iterator, List, NamedTuple, Sequence, Tuple

from bench.errors import DefinitionError

TABLE = "LAYERS"  # a dict by the names of layers, whose rows are used one by one
SILENT = ("COMMENT", "NL", "INDENT", "DEDENT", "ENDMARKER")  # a line's indentation is told by its first word
IMPORTS = (ast.Import, ast.ImportFrom)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
TARGETS = (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.Store)  # what stands left of the = of a definition


class Statement(NamedTuple):
    """A statement of a file's top level, or a row of its table."""

    text: str
    binds: FrozenSet[str]  # what it defines or imports; nothing where it acts when the file is imported
    uses: FrozenSet[str]
    joins: FrozenSet[str]  # the file's own definitions that decorate it, or that it derives from: they may keep it
    layers: FrozenSet[str] = frozenset()  # what a row is for; it is used where one of them is named


class Source(NamedTuple):
    """What is kept of a file that has been read, until it changes."""

    statements: Sequence[Statement]
    imports: FrozenSet[str]


def by(names: AbstractSet[str], paths: Sequence[str], words: AbstractSet[str] = frozenset()) -> str:
    """Return what `names` use of files that see each other's definitions, and whatever acts when they are imported.

    Of LAYERS, that is the rows whose layer is among `words`. Raises DefinitionError where no file defines a name.
    """
    given = [each for path in paths for each in _file(path).statements if not each.layers or each.layers & words]
    reached, wanted, counted = names, frozenset(), []
    while not reached <= wanted:
        wanted = wanted | reached
        counted = [each for each in given if not each.binds or (each.binds | each.joins) & wanted]
        reached = frozenset().union(*(each.uses for each in counted))
    text = "\n".join(each.text for each in counted)
    missing = sorted(names - words_of(text))
    if missing:
        message = "%s: expected definitions of %s: what a proof is to hold is imported by its name."
        raise DefinitionError(message % (", ".join(paths), missing))
    return text


def whole(path: str) -> str:
    """Return all statements of a file."""
    return "\n".join(each.text for each in _file(path).statements)


def words_of(text: str) -> FrozenSet[str]:
    """Return the words of a text: names, and those within its strings."""
    return frozenset(re.findall(r"\w+", text))


def imported(path: str) -> FrozenSet[str]:
    """Return what a file imports, in full: `bench.problem.dense`, `numpy`."""
    return _file(path).imports


def _file(path: str) -> Source:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:  # what is not UTF-8 does not parse
        return _parsed(path, file.read() + "\n")


@functools.lru_cache(maxsize=None)
def _parsed(path, source):
    tree = parsed(path, source)
    return Source(_statements(tree.body, source), _imports(tree))


@functools.lru_cache(maxsize=16)
def parsed(path: str, source: str) -> Any:
    """Return a file's syntax tree; raises DefinitionError where this Python cannot parse it."""
    try:
        return ast.parse(source, path)
    except (SyntaxError, ValueError) as error:
        message = "%s: expected a file that Python %d.%d can parse, since a proof holds what it defines, got: %s."
        raise DefinitionError(message % (path, sys.version_info[0], sys.version_info[1], error)) from None


def _imports(tree):
    nodes = [node for node in ast.walk(tree) if isinstance(node, IMPORTS)]
    modules = [(getattr(node, "module", None), alias.name) for node in nodes for alias in node.names]
    return frozenset("%s.%s" % (module, name) if module else name for module, name in modules)


def _statements(nodes, source):
    """Return the statements of a file, in order."""
    lines = source.split("\n")
    defined = frozenset().union(*(binds(node) for node in nodes if not isinstance(node, IMPORTS)))
    parts = [part for node in nodes for part in _parts(node, defined)]
    begins = [begin(node, lines) for node, _ in parts]
    words: List[List[str]] = [[] for _ in parts]
    for position, word in _words(source):
        words[bisect.bisect(begins, position) - 1].append(word)
    return [each._replace(text=_text(own, each)) for own, (_, each) in zip(words, parts) if own]  # a docstring has none


def _text(words, statement):
    text = " ".join(words)
    return text.rstrip(" ,}") if TABLE in statement.binds else text  # whether a row follows is no part of a row


def _parts(node, defined):
    """Yield (node that it begins with, all but its text) of a statement, or of the head and each row of the table."""
    bound, value = binds(node), getattr(node, "value", None)
    if TABLE in bound and isinstance(value, ast.Dict):
        head = (child for child in ast.iter_child_nodes(node) if child is not value)
        yield node, Statement("", bound, _names(head), frozenset())
        for key, each in zip(value.keys, value.values):
            yield key or each, Statement("", bound, _names([key or each, each]), frozenset(), layers(key))
    else:
        joins = _names(getattr(node, "decorator_list", []) + getattr(node, "bases", [])) & defined
        yield node, Statement("", bound, _names([node]), joins)


def binds(node):
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


def _names(nodes):
    """Return the names that stand in some nodes as variables, or behind a dot."""
    parts = [part for node in nodes for part in ast.walk(node)]
    return frozenset(
        part.id if isinstance(part, ast.Name) else part.attr
        for part in parts
        if isinstance(part, (ast.Name, ast.Attribute))
    )


def layers(key):
    """Return the words of a key that is a string; none for another key, whose row is always used."""
    try:
        value = ast.literal_eval(key)
    except ValueError:
        return frozenset()
    return words_of(value) if isinstance(value, str) else frozenset()


def begin(node, lines):
    """Return the line and column where a node begins: in characters, where a syntax tree counts bytes."""
    if isinstance(node, DEFINITIONS):  # with its first decorator, of which Pythons differ, as they do of `async`
        return min(each.lineno for each in [node] + node.decorator_list), 0
    return node.lineno, len(lines[node.lineno - 1].encode("utf-8")[: node.col_offset].decode("utf-8", "ignore"))


def _words(source):
    """Yield (position, word) of what is no comment and no docstring; a line's first word brings its indentation."""
    for line in lines_of(source):
        yield line[0][1], "\n" + " " * line[0][1][1] + line[0][2]
        yield from ((position, part) for _, position, part in line[1:])


@functools.lru_cache(maxsize=16)  # a file is read as itself, and as a module
def lines_of(source: str) -> List[List[Tuple[str, Tuple[int, int], str]]]:
    """Return the (kind, position, word) of each logical line that is no docstring."""
    return list(_lines_of(source))


def _lines_of(source):
    line: List[Tuple[str, Tuple[int, int], str]] = []
    for kind, position, word in _tokens(source):
        if kind == "NEWLINE":
            if not all("STRING" in each for each, _, _ in line):
                yield line
            line = []
        elif kind not in SILENT:
            line.append((kind, position, word))


def _tokens(source: str) -> Iterator[Tuple[str, Tuple[int, int], str]]:
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
