"""Tables of data as files: CSV with a dictionary of every column, made from one description of each table."""

import csv
import functools
import io
import json
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from analysis.text.html import visible

DIGITS = 5  # significant digits of a number that was computed
LONGEST = 4000  # characters of one value
FORMULA = ("=", "+", "-", "@")  # a spreadsheet runs a cell that begins so
TYPES = {str: "string", float: "number", int: "integer", bool: "boolean"}
ASKED = ("machine", "workload", "task", "batch_size", "optimizer", "precision", "device", "threads", "tier", "data")
COUNTED = ("batch_size", "threads")  # of these, the whole numbers

Of = str | Callable[[Any], Any]
Row = dict[str, Any]  # values by the names of columns, or what their ways begin with


class Column(NamedTuple):
    """One column: its name, what it says, its value of a row, its unit, and the type of its values.

    `of` is a function, or the way to the value: names of attributes, keys and places in a tuple, with
    dots between them. Where one of them is None, so is the value. Without `of`, the way is the column's name.
    """

    name: str
    about: str
    of: Of = ""
    unit: str = ""
    kind: type = str


def measure(name: str, about: str, of: Of = "", unit: str = "1") -> Column:
    """Return a column of numbers that were measured or computed."""
    return Column(name, about, of, unit, float)


count = functools.partial(Column, kind=int)  # a column of whole numbers
flag = functools.partial(Column, kind=bool)


def bounded(name: str, about: str, of: Of, unit: str = "1", whose: str = "") -> list[Column]:
    """Return three columns: a value and the bounds of its 99 % interval."""

    def part(which: str) -> Callable[[Any], Any]:
        return lambda row: getattr(reader(of)(row), which, None)

    return [
        measure(name, about, part("value"), unit),
        measure(f"{name}_low", f"lower bound of the 99 % interval{whose}", part("low"), unit),
        measure(f"{name}_high", f"upper bound of the 99 % interval{whose}", part("high"), unit),
    ]


def asked(way: str, names: Sequence[str] = ASKED, about: str = "{}, as in cells.csv") -> list[Column]:
    """Return columns of a question, which is found by a `way` from the row."""
    return [Column(name, about.format(name), f"{way}.{name}", "", int if name in COUNTED else str) for name in names]


@functools.cache
def reader(of: Of) -> Callable[[Any], Any]:
    """Return the function that gets a column's value of a row."""
    return of if callable(of) else functools.partial(_follow, of.split("."))


def _follow(way: Sequence[str], row: Any) -> Any:
    for part in way:
        if row is None:
            return None
        row = row.get(part) if isinstance(row, dict) else row[int(part)] if part.isdecimal() else getattr(row, part)
    return row


class Table(NamedTuple):
    """One CSV file: `rows` gives what each column's `of` is asked of; `key` names a row."""

    name: str
    about: str
    key: Sequence[str]
    columns: Sequence[Column]
    rows: Callable[[Any], Iterable[Any]]


def number(value: float | None, digits: int = DIGITS) -> float | None:
    """Return a number as files hold it: rounded to so many significant digits; None for what is not finite."""
    if value is None or not math.isfinite(value):
        return None
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() else rounded


def text(table: Table, found: Any) -> str:
    """Return a table as CSV, in the order of its rows, without anything that a spreadsheet would run."""
    readers = [reader(column.of or column.name) for column in table.columns]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(column.name for column in table.columns)
    writer.writerows([_field(read(row)) for read in readers] for row in table.rows(found))
    return file.getvalue()


def _field(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return "" if number(value) is None else value if isinstance(value, int) else number(value)
    if isinstance(value, list | tuple | set | frozenset):
        return _field("; ".join(map(str, value)))
    kept = "" if value is None else visible(value, LONGEST)
    return f"'{kept}" if kept.startswith(FORMULA) else kept


def json_text(data: Any) -> str:
    """Return data as compact JSON, the same bytes for the same data."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=True) + "\n"


DICTIONARY = Table("dictionary.csv", "Every column of each table.", ["file", "column"], [
    Column("file", "the table's file", "table.name"),
    Column("column", "its name", "column.name"),
    Column("type", "type of its values", lambda row: TYPES[row["column"].kind]),
    Column("unit", "unit of its values", "column.unit"),
    Column("about", "what it says", "column.about"),
], lambda tables: ({"table": table, "column": column} for table in tables for column in table.columns))  # fmt: skip


def package(tables: Sequence[Table]) -> str:
    """Return the tables' schemas as a Frictionless data package."""
    resources = [
        {
            "name": table.name.removesuffix(".csv"),
            "path": table.name,
            "description": table.about,
            "profile": "tabular-data-resource",
            "encoding": "utf-8",
            "schema": {
                "fields": [{"name": column.name, "type": TYPES[column.kind], "description": column.about,
                            **({"unit": column.unit} if column.unit else {})} for column in table.columns],
                "primaryKey": list(table.key),
                "missingValues": [""],
            },
        }
        for table in tables
    ]  # fmt: skip
    described = {"name": "rosetta-bench", "profile": "tabular-data-package", "resources": resources}
    return json.dumps(described, indent=1) + "\n"
