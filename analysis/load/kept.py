"""Remember what was made of a table of runs as long as that table lives: who asks again, asks nothing of it.

Nobody changes a table once it is read; who wants another, such as one with fewer rows, makes it.
"""

import weakref
from collections.abc import Callable, Hashable
from typing import TypeVar

import pandas as pd

T = TypeVar("T")
_MADE: dict[int, dict[Hashable, object]] = {}  # by the table's identity


def recall(runs: pd.DataFrame, what: Hashable, make: Callable[[pd.DataFrame], T]) -> T:
    """Return what `make` makes of a table, or made of it before under the name `what`."""
    made = _MADE.get(id(runs))
    if made is None:
        made = _MADE[id(runs)] = {}
        weakref.finalize(runs, _MADE.pop, id(runs)).atexit = False
    if what not in made:
        made[what] = make(runs)
    found: T = made[what]  # type: ignore[assignment]  # of the same name, of the same kind
    return found
