"""How narrow the intervals of ratios are, in words: of all of them, and whose are wide."""

import statistics
from collections.abc import Iterable

from analysis import units
from analysis.estimate.estimates import Estimates
from analysis.estimate.pairs import Pair
from analysis.stats import Row
from analysis.stats.interval import MIN_ROUNDS

WIDE = 0.05  # a half-width: what is wider settles large differences only


def precision(pairs: Iterable[Pair]) -> str:
    """Return the 99 % half-widths that the ratios of these pairs reached."""
    known = [pair.ratio.half_width for pair in pairs if pair.ratio.half_width is not None]
    if not known:
        return f"No ratio has an interval: that takes {MIN_ROUNDS} rounds of both competitors."
    about = f"99 % intervals of {units.count(len(known), 'ratio')}"
    return f"{about}: median {units.width(statistics.median(known))}, at most {units.width(max(known))}."


def how_precise(answer: Estimates) -> list[str]:
    """Return how narrow a question's ratios are, and whose are not, a sentence each."""
    return [each for each in (precision(answer.pairs), least_steady(answer)) if each]


def least_steady(answer: Estimates) -> str:
    """Return whose ratios are wider than WIDE, and how narrow all others are; nothing where none or all of them are."""
    widths = {(pair.a, pair.b): pair.ratio.half_width for pair in answer.pairs if pair.ratio.half_width is not None}
    left, wide = dict(widths), set[Row]()
    while any(each > WIDE for each in left.values()):
        own = {row: [each for pair, each in left.items() if row in pair] for pair in left for row in pair}
        wide.add(max(own, key=lambda row: (statistics.median(own[row]), row)))
        left = {pair: each for pair, each in left.items() if wide.isdisjoint(pair)}
    if not left or not wide:
        return ""
    named = units.listing(f"{cell.title} ({cell.row[1]})" for cell in answer.cells if cell.row in wide)
    own_widths = sorted(each for pair, each in widths.items() if not wide.isdisjoint(pair))
    reach = " to ".join(dict.fromkeys(map(units.width, (own_widths[0], own_widths[-1]))))
    return f"Least steady: {named} ({reach}). All other ratios: at most {units.width(max(left.values()))}."
