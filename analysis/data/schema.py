"""Tables of data as files: CSV with a dictionary of every column, made from one description of each table."""

import csv
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


class Column(NamedTuple):
    """One column: its name, what it says, its value of a row, its unit, and the type of its values."""

    name: str
    about: str
    of: Callable[[Any], Any]
    unit: str = ""
    kind: type = str


class Table(NamedTuple):
    """One CSV file: `rows` gives objects that each column's `of` is asked of; `key` names a row."""

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
    """Return a table as CSV, in the order of its rows."""
    return csv_text(
        [column.name for column in table.columns],
        ([column.of(row) for column in table.columns] for row in table.rows(found)),
    )


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV without anything that a spreadsheet would run."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_field(value) for value in row] for row in rows)
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


def dictionary(tables: Sequence[Table]) -> str:
    """Return a row for each column of each table."""
    rows = [
        (table.name, column.name, TYPES[column.kind], column.unit, column.about)
        for table in tables
        for column in table.columns
    ]
    return csv_text(("file", "column", "type", "unit", "about"), rows)


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
                "fields": [_described(column) for column in table.columns],
                "primaryKey": list(table.key),
                "missingValues": [""],
            },
        }
        for table in tables
    ]
    described = {"name": "rosetta-bench", "profile": "tabular-data-package", "resources": resources}
    return json.dumps(described, indent=1) + "\n"


def _described(column: Column) -> dict[str, str]:
    unit = {"unit": column.unit} if column.unit else {}
    return {"name": column.name, "type": TYPES[column.kind], "description": column.about, **unit}
