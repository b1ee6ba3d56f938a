"""Read the words and the top-level statements of a Python file: what a proof hashes of it.

A statement is its words: comments, docstrings, blank lines and line breaks inside a statement do not count. Every
Python version that can parse a file finds the same words in it.
"""

import ast
import functools
import io
import itertools
import re
import sys
import tokenize
from typing import Any, FrozenSet, Iterator, List, Tuple

from bench.errors import DefinitionError

TABLE = "LAYERS"  # a dict by the names of layers, whose rows are used one by one
SILENT = ("COMMENT", "NL", "INDENT", "DEDENT", "ENDMARKER")  # a line's indentation is told by its first word
IMPORTS = (ast.Import, ast.ImportFrom)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
TARGETS = (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.Store)  # what stands left of the = of a definition


def words(path: str) -> FrozenSet[str]:
    """Return the words of a file's statements: names, and words within its strings."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:  # what is not UTF-8 does not parse
        return words_of(" ".join(word for line in lines_of(file.read() + "\n") for _, _, word in line))


def words_of(text: str) -> FrozenSet[str]:
    """Return the words of a text: names, and those within its strings."""
    return frozenset(re.findall(r"\w+", text))


@functools.lru_cache(maxsize=16)
def parsed(path: str, source: str) -> Any:
    """Return a file's syntax tree; raises DefinitionError where this Python cannot parse it."""
    try:
        return ast.parse(source, path)
    except (SyntaxError, ValueError) as error:
        message = "%s: expected a file that Python %d.%d can parse, since a proof holds what it defines, got: %s."
        raise DefinitionError(message % (path, sys.version_info[0], sys.version_info[1], error)) from None


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
