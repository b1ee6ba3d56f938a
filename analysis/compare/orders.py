"""Which order of an article's frameworks survives: its published times beside those of the same software here."""

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from analysis import literature, units
from analysis.estimate.estimates import Estimates
from analysis.groups import collected, grouped
from analysis.stats import Row
from bench import registry

SECONDS = "s"  # the unit of what a shorter value is better of
MOST_NAMED = 4  # contrary orders that a sentence lists


class Orders(NamedTuple):
    """What became of the orders of one table's column, each as (the faster one then, the slower one then)."""

    source: str
    table: str
    hardware: str
    same: Sequence[tuple[str, str]]
    contrary: Sequence[tuple[str, str]]
    open: Sequence[tuple[str, str]]  # not significant here

    @property
    def told(self) -> str:
        """What became of the published orders, in a sentence."""
        became = {"as published": self.same, "reversed": self.contrary, "not significant": self.open}
        parts = [f"{len(own)} {what}" for what, own in became.items() if own]
        turned = [f"{faster} before {slower}" for faster, slower in self.contrary]
        lost = f" Reversed: {units.listing(turned)}." if 0 < len(turned) <= MOST_NAMED else ""
        pairs = units.count(sum(map(len, became.values())), "published order")
        return f"{pairs} in '{self.table}' ({self.hardware}): {units.listing(parts)}.{lost}"


def of(answer: Estimates) -> list[Orders]:
    """Return, for each column of published times of a workload, what became of the orders that its software has here.

    An order counts if both have a time here in their documented mode, and if their printed times do not overlap. It is
    the same or reversed if one of them is significantly faster here.
    """
    rows = _rows(answer)
    printed = (each for each in literature.figures() if each.workload == answer.question.workload
               and each.unit == SECONDS and each.value and each.framework in rows)  # fmt: skip
    columns = grouped(printed, lambda each: (each.source, each.table, each.hardware))
    faster = {frozenset((pair.a, pair.b)): pair.faster for pair in answer.pairs}
    made = [Orders(*about, *_judged(own, rows, faster)) for about, own in columns.items()]
    return [each for each in made if each.same or each.contrary or each.open]


def _rows(answer: Estimates) -> dict[str, Row]:
    """Return the competitor that stands for each name in articles' tables: the first that has a time."""
    timed = {cell.row[0]: cell.row for cell in answer.measured if cell.is_default}
    named = ((environment.printed, timed[name]) for name, environment in registry.environments().items()
             if environment.printed and name in timed)  # fmt: skip
    return {printed: rows[0] for printed, rows in collected(named).items()}


def _judged(
    figures: Sequence[literature.Figure], rows: Mapping[str, Row], faster: Mapping[frozenset[Row], Row | None]
) -> tuple[list[tuple[str, str]], ...]:
    """Return the orders that are the same, contrary and open."""
    orders = [(one.framework, other.framework) for one, other in itertools.permutations(figures, 2)
              if _bounds(one)[1] < _bounds(other)[0]]  # fmt: skip
    claims = ((order, faster.get(frozenset(rows[name] for name in order))) for order in orders)
    judged = collected((row and row == rows[order[0]], order) for order, row in claims)
    return tuple(judged.get(verdict, []) for verdict in (True, False, None))


def _bounds(figure: literature.Figure) -> tuple[float, float]:
    """Return the least and the most of a printed value, such as 31 or 2.5-2.7."""
    low, _, high = figure.value.partition("-")
    return float(low), float(high or low)
