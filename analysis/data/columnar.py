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

from analysis.data.schema import Of, number, reader
from analysis.stats.interval import Interval
from analysis.text.html import NAME_LENGTH, visible

LONGEST = 1000  # characters of a text
DIGITS = 4  # significant digits: three are shown
PER_SECOND = "1/s"  # the unit of a rate, whose column holds examples: divided by the column "time"


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
) -> dict[str, Any]:
    """Return the columns of some rows, without those that are late, which stand in the file `more`."""
    return {
        "rows": len(rows),
        "facets": [_facet(each, rows) for each in facets],
        **measured(rows, [each for each in numbers if not each.is_late], [each for each in texts if not each.is_late]),
        "values": list(values),
        "start": dict(start),
        "more": more,
    }


def late(rows: Sequence[Any], numbers: Sequence[Number], texts: Sequence[Text]) -> dict[str, Any]:
    """Return the columns that only unfolded rows show."""
    return measured(rows, [each for each in numbers if each.is_late], [each for each in texts if each.is_late])


def measured(rows: Sequence[Any], numbers: Sequence[Number], texts: Sequence[Text]) -> dict[str, Any]:
    """Return numbers and texts as columns; numbers that no row has are left out."""
    made = [_number(each, rows) for each in numbers]
    known = [each for each in made if "examples" in each or any(value is not None for value in each["values"])]
    return {"numbers": known, "texts": [_text(each, rows) for each in texts]}


def _facet(facet: Facet, rows: Sequence[Any]) -> dict[str, Any]:
    found = [each if isinstance(each, tuple) else (each, facet.words.format(each))
             for each in map(reader(facet.of), rows)]  # fmt: skip
    shown = [(visible(name, NAME_LENGTH), visible(title, NAME_LENGTH)) for name, title in found]
    values = sorted({*shown, *facet.others}, key=lambda value: (_natural(value[1]), value))
    names = [name for name, _ in values]
    places = {value: place for place, value in enumerate(values)}
    return {
        "key": facet.key,
        "title": facet.title,
        "first": facet.is_first,
        "column": facet.is_column,
        "lead": facet.is_lead,
        "single": facet.is_single,
        "names": [name if names.count(name) == 1 else f"{name} {title}" for name, title in values],
        "titles": [title for _, title in values],
        "codes": [places[value] for value in shown],
    }


def _natural(title: str) -> str:
    """Return a key that sorts "8" before "16"."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(12), title.lower())


def _number(measure: Number, rows: Sequence[Any]) -> dict[str, Any]:
    named = {"key": measure.key, "title": measure.title, "unit": measure.unit, "column": measure.is_column}
    found = list(map(reader(measure.of), rows))
    if measure.unit == PER_SECOND:
        return {**named, "examples": found}
    values = [number(each.value if isinstance(each, Interval) else each, DIGITS) for each in found]
    bounds = [_off(each) if isinstance(each, Interval) else None for each in found]
    return {**named, "values": values, **({"off": bounds} if any(bounds) else {})}


def _off(interval: Interval) -> float | None:
    """Return by what factor an interval's bounds lie off its value: it is symmetrical in the logarithm."""
    return None if interval.high is None else number(interval.high / interval.value, DIGITS)


def _text(about: Text, rows: Sequence[Any]) -> dict[str, Any]:
    found = list(map(reader(about.of), rows))
    shown = [None if each is None else visible(each, LONGEST) for each in found]
    names = sorted({each for each in shown if each is not None})
    places = {name: place for place, name in enumerate(names)}
    named = {"key": about.key, "title": about.title, "kind": about.kind, "column": about.is_column}
    return {**named, "names": names, "codes": [-1 if each is None else places[each] for each in shown]}
