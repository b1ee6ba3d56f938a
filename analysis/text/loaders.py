"""For how much of its time a network that is fed waits, and with which loader least."""

from analysis import units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.estimate.pairs import between
from analysis.groups import grouped
from analysis.stats.interval import Interval
from bench import ablations
from bench.cases import read_data

ALONE = "One batch in memory, the network alone"


def fed_by(cell: Cell) -> str:
    """Return the loader that fed a network, behind what else was changed; empty where nothing was."""
    return ablations.split(cell.row[1])[1]


def named(fed: str) -> str:
    """Return the title of a loader, or of a changed network with it; without one, that the network was not fed."""
    return ", ".join([ablations.title(fed)] * bool(fed) + [ALONE] * (alone(fed) == fed))


def alone(fed: str) -> str:
    """Return what is left of a name without its loader: how the network is changed; empty where it is not."""
    return ablations.unfed(ablations.SIGN + fed)[1:]


def finding(answer: Estimates) -> str:
    """Return in a sentence by which loader each environment's network waits least, and for what share of the time."""
    shares = [(share.value, cell) for cell in answer.measured if (share := waits(answer, cell))]
    least = [min(own, key=lambda each: each[0]) for own in grouped(shares, lambda each: each[1].row[0]).values()]
    told = [f"{cell.title} {100 * max(share, 0.0):.0f} % ({named(fed_by(cell))})" for share, cell in least]
    title = units.workload_title(answer.question.workload)
    return f"{title} waits for its photographs at least: {units.listing(told)} of the time." if told else ""


def photographs(answer: Estimates) -> int:
    """Return how many photographs a pass has: those that fill batches."""
    size = answer.question.batch_size
    return (read_data(answer.question.data).examples or 0) // size * size


def waits(answer: Estimates, cell: Cell) -> Interval | None:
    """Return the share of its time that a fed network waits: 1 - alone / fed; None of the network alone."""
    pair = between(answer.pairs, cell.row, (cell.row[0], ablations.unfed(cell.row[1])))
    if pair is None:
        return None
    low, high = (None if bound is None else 1 - bound for bound in (pair.ratio.high, pair.ratio.low))
    return Interval(1 - pair.ratio.value, low, high, pair.ratio.rounds)
