"""Check that text for readers is plain English: no forbidden words, and at most 25 words in a sentence.

    python -m tasks.language                         # the sources that CHECKED names
    python -m tasks.language README.md docs/data.md  # these files: Markdown, templates or Python
    python -m tasks.language --pages site/           # every built page (HTML) and figure (SVG) below a folder

Read are paragraphs, list items, table cells, headings, captions, text in SVG, alternative texts, titles and labels.
Code, quotations (blockquote, q) and names (translate="no", and backticks in Markdown) are exempt. Of a Python file,
docstrings, comments and strings with a space are read: errors, help texts and what becomes a page. Of a test, only
docstrings and comments are read. The command prints a line for each fault. It ends with exit code 1 if there is a
fault, and with 2 if there is nothing to read.
"""

import argparse
import ast
import inspect
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import markdown
from lxml import etree

from tasks import green

ROOT = Path(__file__).resolve().parent.parent
CHECKED = (
    "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "docs/decisions/*.md", "docs/articles/*.md",
    "bench/frameworks/README.md", "analysis/published/README.md", "analysis/site/templates/*.html", "noxfile.py",
    "tasks/*.py", "bench/**/*.py", "analysis/**/*.py", "tests/**/*.py",
)  # fmt: skip
EXEMPT = {
    "tasks/language.py", "tests/test_language.py",  # contain the forbidden words
    "bench/frameworks/cntk/mnist_mlp.py", "bench/frameworks/mxnet/imdb_gru.py",  # are shown as they were measured
    "bench/frameworks/tensorflow1/inception_v3.py",
}  # fmt: skip
LONGEST = 25  # words in a sentence
# What ends a sentence in a docstring or a help text even without a full stop: an empty line, an item, a row of columns.
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*[-*] )|\n(?=[^\n]*\S {2,}\S)")
CODE = re.compile(r"``?[^`]+``?")
PROGRAM = re.compile(r"\s*(?:import|from) \w")  # how a string begins that another Python runs
DIRECTIVE = re.compile(r"#\s*(?:noqa|fmt:|type:|novm|!)")  # a comment for a tool

WORD = re.compile(r"``|[^\W_](?:[\w'\u2019.,/%+-]*\w)?")  # `` is a piece of code or a quotation
BOUNDARY = re.compile(r"""(?<=[.!?])["'\u201d\u2019)\]]*\s+(?=["'\u201c\u2018(\[]*(?:[A-Z0-9]|``))""")
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|et al|vs|cf|approx|Fig|Nos?)|\b[A-Z])\.$")
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
TEMPLATE = re.compile(r"\{[{%#].*?[}%#]\}", re.DOTALL)  # what Jinja2 replaces
INCLUDED = re.compile(r'^--8<-- ".*"$', re.MULTILINE)
EXTENSIONS = ["tables", "fenced_code", "attr_list", "admonition", "md_in_html"]

INLINE = {"a", "abbr", "b", "bdi", "cite", "del", "dfn", "em", "i", "ins", "mark", "s", "small", "span", "strong",
          "sub", "sup", "time", "tspan", "u", "var", "wbr"}  # fmt: skip
NAMED = {"code", "kbd", "q", "samp"}  # exempt, and one word of the sentence around it
SKIPPED = {"blockquote", "math", "metadata", "pre", "script", "style", "template"}  # exempt, with all that is in it
SPOKEN = ("alt", "title", "aria-label", "aria-description", "aria-roledescription", "placeholder")  # attributes

FORBIDDEN = {  # pattern -> what to write instead
    r"mend(?:s|ed|ing)?": "repair or fix",
    r"(?:tell|tells|telling|told) (?:\w+ )?apart": "distinguish, or: not significant",
    r"told(?! (?:\w+ )?apart)": "said, reported or named",
    r"(?<!-)(?:stands?|stood|standing)(?!-)(?! (?:for|out|by|still)\b)": "is, applies, is valid or is listed",
    r"(?:hangs?|hung|hanging)(?: \w+)? (?:up)?on": "depends on",
    r"besides": "also, or: in addition to",
    r"(?<!instead )of before": "earlier or previous",
    r"of then": "of that time, with the year",
    r"who may be": "say what the group is, for example: ties",
    r"(?<!there )(?:is|are|was|were|be) no(?! (?:longer|more|less|fewer|later|earlier)\b)": "is not, or: has no",
    r"whoever": "the subject's name, for example: a contributor",
    r"what is asked": "the question's name",
    r"(?:give|gives|gave|giving|given) away": "reveals or shows",
    r"dear(?:er|est|ly)?": "expensive",
    r"(?:lay|lays|laid|lain)(?! out\b)": "put or placed",
    r"beforehand": "in advance",
    r"as is told": "as described in, with a link",
}
RULES = {re.compile(rf"\b{pattern}\b", re.IGNORECASE): instead for pattern, instead in FORBIDDEN.items()}

Element = Any  # of lxml, which has no types of its own


class Passage(NamedTuple):
    """Text that is read as a unit, and what holds it: an element's name, or an attribute's."""

    holder: str
    text: str


class Fault(NamedTuple):
    """A sentence that breaks a rule, and the word or the text at which it does."""

    holder: str
    sentence: str
    word: str
    advice: str


def passages(page: Element) -> Iterator[Passage]:
    """Yield the passages of a parsed page or SVG image, in the order of the file."""
    pieces: list[str] = []
    holder = ""
    walk = etree.iterwalk(page, events=("start", "end"))
    for event, element in walk:
        name = _name(element)
        if event == "start":
            yield from _spoken(element)
        if name not in INLINE | NAMED and pieces:
            yield Passage(holder, "".join(pieces))
            pieces = []
        text = element.text if event == "start" else element.tail
        if event == "start" and _is_exempt(element):
            walk.skip_subtree()
            text = "" if name in SKIPPED else "``"
        if text:
            holder = holder if pieces else _block(element if event == "start" else element.getparent())
            pieces.append(text)
    if pieces:
        yield Passage(holder, "".join(pieces))


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a passage, with single spaces."""
    begin = 0
    text = " ".join(text.split())
    for boundary in BOUNDARY.finditer(text):
        if not ABBREVIATION.search(text[begin : boundary.start()]):
            yield text[begin : boundary.start()]
            begin = boundary.end()
    if text[begin:]:
        yield text[begin:]


def faults(texts: Iterable[Passage]) -> Iterator[Fault]:
    """Yield the faults of texts."""
    for holder, text in texts:
        for sentence in sentences(text):
            for rule, instead in RULES.items():
                if match := rule.search(sentence):
                    yield Fault(holder, sentence, match[0], f'write "{instead}" instead of "{match[0]}"')
            if (count := len(WORD.findall(sentence))) > LONGEST:
                yield Fault(holder, sentence, "", f"{count} words, at most {LONGEST}: split the sentence")


def of_source(path: Path, name: str) -> list[str]:
    """Return a message for each fault of a Markdown file, a template or a Python file, with its line."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        located = [(line, fault) for line, text in texts(source, not name.startswith("tests/"))
                 for fault in faults([Passage("str", text)])]  # fmt: skip
    else:
        text = INCLUDED.sub("", FRONT_MATTER.sub("", source))
        html = TEMPLATE.sub("x", source) if path.suffix == ".html" else markdown.markdown(text, extensions=EXTENSIONS)
        located = [(_line(source, fault), fault) for fault in faults(passages(_parsed((html or "<p>").encode())))]
    return [f"{name}:{line}: {fault.advice}: {fault.sentence}" for line, fault in located]


def texts(source: str, with_strings: bool = True) -> Iterator[tuple[int, str]]:
    """Yield the docstrings, strings and comments of Python code with their lines; code in backticks is one word.

    A string without a space is a name. A value within a text counts as one word.
    """
    nodes: list[Any] = list(ast.walk(ast.parse(source)))
    docstrings = {id(node.body[0].value) for node in nodes if isinstance(node, green.DOCUMENTED) and node.body
                  and isinstance(node.body[0], ast.Expr)}  # fmt: skip
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        text = "" if id(node) in parts else _text(node)
        if id(node) in docstrings:
            yield from ((node.lineno, CODE.sub("``", part)) for part in PARAGRAPH.split(inspect.cleandoc(text)))
        elif with_strings and " " in text.strip() and not PROGRAM.match(text):
            yield from ((node.lineno, TAG.sub(" ", part)) for part in PARAGRAPH.split(text))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not DIRECTIVE.match(token.string):
            yield token.start[0], CODE.sub("``", token.string.lstrip("# "))


def _text(node: Any) -> str:
    """Return the text of a string, with `` for each value in it; nothing of another node."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "``" for part in node.values)
    return ""


def of_pages(folder: Path) -> list[str]:
    """Return a message for each fault of the pages and figures below a folder; text that repeats is reported once."""
    first: dict[Passage, Path] = {}
    for path in _pages(folder):
        for passage in passages(_parsed(path.read_bytes())):
            first.setdefault(passage, path)
    return [f"{page} ({fault.holder}): {fault.advice}: {fault.sentence}"
            for text, page in first.items() for fault in faults([text])]  # fmt: skip


def checked() -> list[str]:
    """Return the names of the sources that must have no fault."""
    names = (path.relative_to(ROOT).as_posix() for pattern in CHECKED for path in sorted(ROOT.glob(pattern)))
    return [name for name in names if name not in EXEMPT and "node_modules" not in name]


def main(words: Sequence[str] | None = None) -> int:
    """Check what the command line names; return the exit code."""
    parser = argparse.ArgumentParser("python -m tasks.language", description="Check that text is plain English.")
    parser.add_argument("files", nargs="*", type=Path, help="files to check; by default those of CHECKED")
    parser.add_argument("--pages", type=Path, metavar="FOLDER", help="check the built pages below a folder instead")
    given = parser.parse_args(words)
    if unreadable := [str(path) for path in given.files if not path.is_file()]:
        parser.error(f"not a file: {', '.join(unreadable)}")
    if given.pages and not _pages(given.pages):
        parser.error(f"no page below {given.pages}: build the site with `nox -s docs`")
    if given.pages:
        messages = of_pages(given.pages)
    else:
        sources = {str(path): path for path in given.files} or {name: ROOT / name for name in checked()}
        messages = [message for name, path in sources.items() for message in of_source(path, name)]
    print(*messages, f"Plain English: {len(messages)} faults.", sep="\n", file=sys.stderr if messages else sys.stdout)
    return bool(messages)


def _parsed(html: bytes) -> Element:
    return etree.fromstring(html, etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True))


def _pages(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in (".html", ".svg"))


def _name(element: Element) -> str:
    """Return an element's name without a namespace."""
    return str(element.tag).rpartition(":")[2]


def _is_exempt(element: Element) -> bool:
    return _name(element) in NAMED | SKIPPED or element.get("translate") == "no"


def _spoken(element: Element) -> Iterator[Passage]:
    """Yield what an element's attributes say to a reader."""
    if not _is_exempt(element):
        yield from (Passage(name, element.get(name)) for name in SPOKEN if element.get(name))
    if element.tag == "meta" and element.get("name") == "description":
        yield Passage("description", element.get("content") or "")


def _block(element: Element) -> str:
    """Return the name of the element that holds text and is more than a part of a sentence."""
    while _name(element) in INLINE | NAMED and element.getparent() is not None:
        element = element.getparent()
    return _name(element)


def _line(source: str, fault: Fault) -> int:
    """Return the line of a source on which a fault's word is, or on which its sentence begins."""
    words = re.findall(r"\w+", fault.sentence.partition("``")[0])
    begins = (re.search(r"\b" + r"\W+".join(words[:count]), source) for count in (6, 3, 1) if words)
    begin = next((match.start() for match in begins if match), 0)
    word = re.compile(r"\s+".join(map(re.escape, fault.word.split()))).search(source, begin)
    return source.count("\n", 0, word.start() if word else begin) + 1


if __name__ == "__main__":
    sys.exit(main())
