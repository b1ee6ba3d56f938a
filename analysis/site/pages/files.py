"""The files that scripts of pages read, as text: the explorer's columns in several where one would be too heavy.

The first file holds what is said of all cells, and the columns (explorer_data.py) of the first questions. Its `more`
has the names of the `files` that continue these, repeating nothing, and how many `cells` are in them.
"""

import json
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from analysis.estimate.estimates import Estimates
from analysis.site.pages.explorer_data import MEASURES, Table

MOST_NUMBERS = 40_000  # in a file: it weighs some 100 KB compressed, and the page that opens it keeps to its 200
COLUMNS = ("codes", "values", "off", "ratios")  # what is as long as there are cells, or pairs


def text(data: Any) -> str:
    """Return a file's text."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False) + "\n"


def name(path: str) -> str:
    """Return the name of a file."""
    return path.rsplit("/", 1)[-1]


def paths(answers: Sequence[Estimates], path: str) -> list[str]:
    """Return the paths of the files that hold the columns of these answers, of which `path` is the first."""
    return _paths(path, _begins([len(each.cells) for each in answers], [len(each.measured) for each in answers]))


def texts(whole: Table, path: str) -> dict[str, str]:
    """Return the files of columns by their paths, of which `path` is the first."""
    begins = _begins(whole["cells"], whole["measured"])
    known = _paths(path, begins)
    counts = [_pairs(measured) for measured in whole["measured"]]
    firsts, starts = [0, *accumulate(whole["cells"])], [0, *accumulate(counts)]  # of each question's cells, and pairs
    first, *others = (
        _part(whole, slice(begin, end), slice(firsts[begin], firsts[end]), slice(starts[begin], starts[end]))
        for begin, end in pairwise([*begins, len(counts)])
    )
    if others:
        first["more"] = {"files": list(map(name, known[1:])), "cells": sum(sum(each["cells"]) for each in others)}
    return dict(zip(known, map(text, (first, *others)), strict=True))


def _paths(path: str, begins: Sequence[int]) -> list[str]:
    base, ending = path.rsplit(".", 1)
    return [path, *(f"{base}-{number}.{ending}" for number in range(1, len(begins)))]


def _begins(cells: Sequence[int], measured: Sequence[int]) -> list[int]:
    """Return the questions that a file begins with, by how many cells each has, and how many of them have a time."""
    found, held = [0], 0
    for question, (own, timed) in enumerate(zip(cells, measured, strict=True)):
        numbers = own * len(MEASURES) + 2 * _pairs(timed)
        if held and held + numbers > MOST_NUMBERS:
            found.append(question)
            held = 0
        held += numbers
    return found


def _pairs(measured: int) -> int:
    return measured * (measured - 1) // 2


def _part(whole: Table, questions: slice, cells: slice, pairs: slice) -> Table:
    """Return the columns of some questions; only those of the first have what is said of all."""

    def cut(table: Table, rows: slice) -> Table:
        kept = {key: value[rows] for key, value in table.items() if key in COLUMNS}
        return kept if questions.start else {**table, **kept}

    return {
        "cells": whole["cells"][questions],
        "measured": whole["measured"][questions],
        "facets": [cut(each, cells) for each in whole["facets"]],
        "measures": [cut(each, cells) for each in whole["measures"]],
        "notes": cut(whole["notes"], cells),
        "pairs": cut(whole["pairs"], pairs),
    }
