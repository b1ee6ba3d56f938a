"""How much slower a competitor is, in words that claim no more than its interval does."""

from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.estimate.pairs import Pair
from analysis.stats.interval import Interval
from analysis.units import RATIO, digits

BASELINE, FASTEST, TIE = "baseline", "fastest", "tie"


def words(answer: Estimates, cell: Cell) -> str:
    """Return a competitor's slow-down against the fastest of its question: "1.4x slower (1.3 to 1.5)"."""
    if cell.time is None:
        return cell.status.replace("_", " ")
    if cell.is_fastest:
        return FASTEST if slower_than_it(answer, cell) == len(answer.measured) - 1 > 0 else BASELINE
    return of_pair(cell.to_fastest) if cell.to_fastest else "no shared round"


def of_pair(pair: Pair) -> str:
    """Return what a pair's ratio, the second's time over the first's, says of the second."""
    if pair.ratio.low is None:
        return f"{_short(pair.ratio.value)}x, too few rounds"
    if pair.claim == "equivalent":
        return TIE
    if pair.claim != "faster":
        return f"not significant: {_factor(pair.ratio.value)} ({_bounds(pair.ratio)})"
    return times(pair.ratio if pair.ratio.value > 1 else pair.ratio.inverse(), pair.ratio.value > 1)


def times(ratio: Interval, is_slower: bool = True) -> str:
    """Return a significant ratio above 1 with its interval."""
    bounds = f" ({_bounds(ratio)})" if ratio.low is not None else ""
    return f"{_short(ratio.value)}x {'slower' if is_slower else 'faster'}{bounds}"


def slower_than(answer: Estimates, cell: Cell) -> int:
    """Return how many competitors are proven to be faster than this one."""
    return sum(pair.faster is not None and cell.row in (pair.a, pair.b) and pair.faster != cell.row
               for pair in answer.pairs)  # fmt: skip


def slower_than_it(answer: Estimates, cell: Cell) -> int:
    """Return how many competitors are proven to be slower than this one."""
    return sum(pair.faster == cell.row for pair in answer.pairs)


def among(low: float, high: float) -> str:
    """Return a range of slow-downs: "1.2x to 1.5x", or one where both look alike."""
    return f"{_short(low)}x" if _short(low) == _short(high) else f"{_short(low)} to {_short(high)}x"


def _bounds(ratio: Interval) -> str:
    low, high = ratio.bounds
    return f"{_short(low)} to {_short(high)}" if _short(low) != _short(high) else f"{_factor(low)} to {_factor(high)}"


def _factor(value: float) -> str:
    return f"{value:.2f}"


def _short(value: float) -> str:
    """Return a factor with two digits that count: 1.04, 1.4, 12."""
    return f"{value:.2f}" if value < 1.095 else f"{value:.1f}" if value < 9.95 else digits(value).split(".")[0]
