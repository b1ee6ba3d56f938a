"""How much slower a competitor is, in words that claim no more than its interval does."""

from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.estimate.pairs import Pair
from analysis.stats.interval import Interval

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
        return f"{pair.ratio.value:.2f}x, too few rounds"
    if pair.claim == "equivalent":
        return TIE
    if pair.claim != "faster":
        return f"not significant: {pair.ratio.value:.2f} ({_bounds(pair.ratio)})"
    return times(pair.ratio, pair.ratio.value > 1)


def times(ratio: Interval, is_slower: bool = True) -> str:
    """Return a significant ratio, or its inverse where that is above 1, with the interval."""
    ratio = ratio if ratio.value > 1 else ratio.inverse()
    bounds = f" ({_bounds(ratio)})" if ratio.low is not None else ""
    return f"{ratio.value:.{_decimals(ratio.bounds[0])}f}x {'slower' if is_slower else 'faster'}{bounds}"


def slower_than(answer: Estimates, cell: Cell) -> int:
    """Return how many competitors are proven to be faster than this one."""
    return sum(pair.faster is not None and cell.row in (pair.a, pair.b) and pair.faster != cell.row
               for pair in answer.pairs)  # fmt: skip


def slower_than_it(answer: Estimates, cell: Cell) -> int:
    """Return how many competitors are proven to be slower than this one."""
    return sum(pair.faster == cell.row for pair in answer.pairs)


def among(low: float, high: float) -> str:
    """Return a range of slow-downs: "1.2 to 1.5x", or one where both look alike."""
    least, most = (f"{value:.{_decimals(low)}f}" for value in (low, high))
    return f"{least}x" if least == most else f"{least} to {most}x"


def _bounds(ratio: Interval) -> str:
    low, high = ratio.bounds
    places = _decimals(low)
    if f"{low:.{places}f}" == f"{high:.{places}f}":
        places += 1
    return f"{low:.{places}f} to {high:.{places}f}"


def _decimals(least: float) -> int:
    """Return how many decimals tell a factor from its neighbours, by the least of an interval."""
    return 2 if least < 1.2 else 1 if least < 10 else 0
