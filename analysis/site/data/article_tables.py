"""Our tables beside those of the articles, value by value: article_tables.csv."""

from collections.abc import Iterator
from html.parser import HTMLParser
from operator import attrgetter
from typing import NamedTuple

from analysis import articles
from analysis.site.data.schema import Column, Table
from analysis.site.pages import Found, gaps, ours


class Value(NamedTuple):
    """A value of a table of one article."""

    article: str
    section: str
    machine: str
    table: str  # its caption
    row: str
    column: str
    value: str


class Reader(HTMLParser):
    """Reads tables as analysis.text.html makes them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []  # a caption alone in its row, then header and rows
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        """Begin a table, a row or a cell."""
        if tag == "table":
            self.tables.append([])
        if tag in ("caption", "tr"):
            self.tables[-1].append([""] * (tag == "caption"))
        if tag in ("th", "td"):
            self.tables[-1][-1].append("")

    def handle_data(self, data: str) -> None:
        """Add text to the cell."""
        if self.tables and self.tables[-1] and self.tables[-1][-1]:
            cells = self.tables[-1][-1]
            cells[-1] = f"{cells[-1]} {data}".strip()


def values(found: Found) -> Iterator[Value]:
    """Yield each value of each table, article by article and machine by machine."""
    for name, article in articles.found().items():
        for part, section in article.SECTIONS.items():
            for kind in section.ours:
                for machine in gaps.telling(found, section) if kind != "parameters" else [""]:
                    tables = ours.TABLES[kind](found, section, machine) if machine else [ours.parameters(section)]
                    yield from (value for table in tables for value in _values(name, part, machine, str(table)))


def _values(article: str, section: str, machine: str, html: str) -> Iterator[Value]:
    for caption, header, *rows in Reader(html).tables:
        for row in rows:
            columns = zip(header[1:], row[1:], strict=False)  # a reason spans the rest of its row
            yield from (Value(article, section, machine, caption[0], row[0], *each) for each in columns)


TABLE = Table("article_tables.csv", "Our tables beside those of the articles.",
    ["article", "section", "machine", "table", "row", "column"], [
    Column(name, about, attrgetter(name)) for name, about in {
        "article": "name of the article's file", "section": "part of the article", "machine": "name of the machine",
        "table": "the table's caption", "row": "heading of the row", "column": "heading of the column",
        "value": "value with its 99 % interval",
    }.items()
], values)  # fmt: skip
