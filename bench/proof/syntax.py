"""Words of a Python file, which a proof hashes, and small questions about the nodes of its syntax tree.

Comments, docstrings, blank lines and line breaks inside a statement are not words. Every Python version that can parse
a file finds the same words in it.
"""

import ast
import bisect
import io
import itertools
import re
import tokenize
from typing import Any, Dict, FrozenSet, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

SILENT = ("COMMENT", "NL", "INDENT", "DEDENT", "ENDMARKER")  # the first word of a line says its indentation
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = FUNCTIONS + (ast.ClassDef,)
SPACES = frozenset(("globals", "locals", "vars"))

Import = Tuple[str, Optional[str], int]  # module, name in it (None: the module itself), level of a relative import
Position = Tuple[int, int]  # line and column
Word = Tuple[str, Position, str]  # kind of token, position, text


class Part(NamedTuple):
    """A part of a file that counts by itself."""

    node: Any  # the syntax tree that it begins with
    whole: Any  # the syntax tree whose names count
    binds: FrozenSet[str] = frozenset()  # names
    layers: FrozenSet[str] = frozenset()  # words of its key, in the table of layers
    owner: str = ""  # the class without bases that it is a member of


class Node(NamedTuple):
    """What a part of a file binds, names and does: a statement, a row of its table of layers, or a class's member."""

    path: str
    number: int  # its place in the module
    text: str
    part: Part
    names: FrozenSet[str]  # variables that it reads
    attributes: FrozenSet[str]  # names behind a dot, or in a text: getattr(x, "name"), globals()["name"]
    chains: FrozenSet[Tuple[str, str]]  # (variable, attribute behind it)
    strings: FrozenSet[str]  # names that it reads by a text
    texts: FrozenSet[str]  # all its texts
    imports: Dict[str, Import]  # inside it
    joins: FrozenSet[str]  # its decorators and bases: it counts if they do
    acts: bool  # whether something happens when the module is imported
    patches: bool  # whether that may change what other modules hold


def lines_of(source: str) -> Iterator[List[Word]]:
    """Yield the words of each logical line, except docstrings."""
    line: List[Word] = []
    for kind, position, word in _tokens(source):
        if kind == "NEWLINE":
            if not all("STRING" in kind_of_word for kind_of_word, _, _ in line):
                yield line
            line = []
        elif kind not in SILENT:
            line.append((kind, position, word))


def _tokens(source: str) -> Iterator[Word]:
    """Yield (kind, position, text) of each token; an f-string is one token, of which Python 3.12 makes several."""
    offsets = [0] + list(itertools.accumulate(len(line) + 1 for line in source.split("\n")))
    begun: List[Position] = []  # where the open f-strings began, from the outer to the inner
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        if kind.endswith("STRING_START"):
            begun.append(token.start)
        begin = begun[0] if begun else token.start
        if kind.endswith("STRING_END"):
            begun.pop()
        if not begun:
            yield kind, begin, source[offsets[begin[0] - 1] + begin[1] : offsets[token.end[0] - 1] + token.end[1]]


def texts_of(words: Iterable[Tuple[Position, str]], nodes: Sequence[Any], source: str) -> List[str]:
    """Return the text that begins at each node and ends before the next, from words and their positions."""
    lines = source.split("\n")
    begins = [_begin(node, lines) for node in nodes]
    found: List[List[str]] = [[] for _ in nodes]
    for position, word in words:
        found[bisect.bisect(begins, position) - 1].append(word)
    return list(map(" ".join, found))


def _begin(node, lines):
    """Return where a node begins: in characters, where a syntax tree counts bytes."""
    if isinstance(node, DEFINITIONS):  # with its first decorator; Python versions differ in this line
        return min(part.lineno for part in [node] + node.decorator_list), 0
    return node.lineno, len(lines[node.lineno - 1].encode("utf-8")[: node.col_offset].decode("utf-8", "ignore"))


def words_of(text: str) -> FrozenSet[str]:
    """Return the words of a text: names, and the words in its strings."""
    return frozenset(re.findall(r"\w+", text))


def text_of(node: Any) -> Optional[str]:
    """Return the text of a string node, else None; Python before 3.8 has another class for it."""
    value = getattr(node, "value", None) if type(node).__name__ == "Constant" else getattr(node, "s", None)
    return value if isinstance(value, str) else None


def name_of(node: Any) -> str:
    """Return the last part of a name: of a variable, or behind a dot; an empty text for another node."""
    return str(getattr(node, "id", getattr(node, "attr", "")))


def called(node: Any) -> str:
    """Return the last part of the name that a call calls."""
    return name_of(node.func)


def is_space(node: Any) -> bool:
    """Say whether a node is a name space: globals(), vars(x), x.__dict__."""
    return getattr(node, "attr", "") == "__dict__" or (isinstance(node, ast.Call) and called(node) in SPACES)


def messages(function: Any) -> List[Any]:
    """Return the assignments of texts that only a `raise` of the same function reads."""
    nodes = list(ast.walk(function))
    assigned = [node for node in nodes if isinstance(node, ast.Assign) and text_of(node.value) is not None]
    raised = {id(below) for node in nodes if assigned and isinstance(node, ast.Raise) for below in ast.walk(node)}
    read = {node.id for node in nodes
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in raised}  # fmt: skip
    return [node for node in assigned
            if all(isinstance(to, ast.Name) and to.id not in read for to in node.targets)]  # fmt: skip


def root(node: Any) -> str:
    """Return the variable that a chain of attributes, items and calls begins with, or an empty text."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return str(getattr(node, "id", ""))


def dotted(node: Any) -> str:
    """Return a name with its dots, as os.path.join."""
    if isinstance(node, ast.Attribute):
        return "%s.%s" % (dotted(node.value), node.attr)
    return str(getattr(node, "id", ""))
