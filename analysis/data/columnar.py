"""Rows as columns of JSON: what docs/assets/table.js shows, so that no statistics is left to a browser.

- `rows`: how many there are.
- `facets`: what rows are filtered by. `codes` holds, for each row, its place in `names` (as in links) and `titles`.
- `numbers`: a value for each row in base units, null where it is not known. Where there is `off`, the 99 % interval is
  value / off to value * off. A rate has `examples` instead, which are divided by the number "time".
- `texts`: a text for each row, by its place in `names`; -1 where there is none.
- `start`: the filter before the reader chooses; `values`: the numbers that the main column may show.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from analysis.data.schema import Of, Row, number, reader
from analysis.stats.interval import Interval
from analysis.text.html import NAME_LENGTH, visible

LONGEST = 1000  # characters of a text
DIGITS = 4  # significant digits: three are shown


class Facet(NamedTuple):
    """What rows are filtered by: `of` gives a row's name, as in links, or that and its title, as shown.

    Where it gives the name alone, `words` say how the title is made of it.
    """

    key: str
    title: str
    of: Of
    words: str = "{}"
    is_first: bool = False  # its filter is above the table; the others unfold
    is_column: bool = True  # shown where rows differ in it
    is_lead: bool = False  # in a column of its own
    is_single: bool = False  # one value at a time
    others: Sequence[tuple[str, str]] = ()  # names and titles that no row has: a reader may look for them


class Number(NamedTuple):
    """A number of a row in base units, with its interval where it has one."""

    key: str
    title: str
    unit: str
    of: Of  # of a row: a number or an Interval, or None
    is_column: bool = False  # on a wide screen; else it unfolds
    is_late: bool = False  # in a second file, which the first row that unfolds asks for


class Text(NamedTuple):
    """A text of a row; `kind` is "link" of an address in this site, "code" of a command, else empty."""

    key: str
    title: str
    of: Of  # of a row: a text, or None
    kind: str = ""
    is_column: bool = False
    is_late: bool = False


def columns(
    rows: Sequence[Any],
    facets: Sequence[Facet],
    numbers: Sequence[Number],
    texts: Sequence[Text],
    values: Sequence[str],
    start: Mapping[str, str],
    more: str = "",
) -> Row:
    """Return the columns of some rows, without those that are late, which are in the file `more`."""
    return {
        "rows": len(rows),
        "facets": [_facet(facet, rows) for facet in facets],
        **measured(rows, numbers, texts, is_late=False),
        "values": list(values),
        "start": dict(start),
        "more": more,
    }


def measured(rows: Sequence[Any], numbers: Sequence[Number], texts: Sequence[Text], is_late: bool) -> Row:
    """Return numbers and texts as columns, late ones for unfolded rows; numbers that no row has are left out."""
    made = [_number(column, rows) for column in numbers if column.is_late == is_late]
    known = [column for column in made if "examples" in column or any(value is not None for value in column["values"])]
    return {"numbers": known, "texts": [_text(column, rows) for column in texts if column.is_late == is_late]}


def _facet(facet: Facet, rows: Sequence[Any]) -> Row:
    given = (value if isinstance(value, tuple) else (value, facet.words.format(value))
             for value in map(reader(facet.of), rows))  # fmt: skip
    shown = [(visible(name, NAME_LENGTH), visible(title, NAME_LENGTH)) for name, title in given]
    values = sorted({*shown, *facet.others}, key=lambda value: (_natural(value[1]), value))
    names, titles = [name for name, _ in values], [title for _, title in values]
    return {
        "key": facet.key,
        "title": facet.title,
        "first": facet.is_first,
        "column": facet.is_column,
        "lead": facet.is_lead,
        "single": facet.is_single,
        "names": [name if names.count(name) == 1 else f"{name} {title}" for name, title in values],
        "titles": titles,
        "codes": _codes(shown, values),
    }


def _codes(shown: Sequence[Any], values: Sequence[Any]) -> list[int]:
    """Return the place of each value shown among all values, -1 where there is none."""
    places = {value: place for place, value in enumerate(values)}
    return [places.get(value, -1) for value in shown]


def _natural(title: str) -> str:
    """Return a key that sorts "8" before "16"."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(12), title.lower())


def _number(column: Number, rows: Sequence[Any]) -> Row:
    named = {"key": column.key, "title": column.title, "unit": column.unit, "column": column.is_column}
    given = list(map(reader(column.of), rows))
    if column.unit == "1/s":  # a rate holds examples, which a reader divides by the column "time"
        return {**named, "examples": given}
    values = [number(value.value if isinstance(value, Interval) else value, DIGITS) for value in given]
    # By what factor an interval's bounds lie off its value: it is symmetrical in the logarithm.
    off = [number(value.high / value.value, DIGITS) if isinstance(value, Interval) and value.high is not None else None
           for value in given]  # fmt: skip
    return {**named, "values": values, **({"off": off} if any(off) else {})}


def _text(column: Text, rows: Sequence[Any]) -> Row:
    shown = [None if text is None else visible(text, LONGEST) for text in map(reader(column.of), rows)]
    names = sorted({text for text in shown if text is not None})
    named = {"key": column.key, "title": column.title, "kind": column.kind, "column": column.is_column}
    return {**named, "names": names, "codes": _codes(shown, names)}
