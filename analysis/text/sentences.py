"""What is said of competitors, their ranks and their questions, the same in the terminal, on pages and in figures."""

import math

from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, Question
from analysis.estimate.pairs import Pair
from analysis.stats.interval import FASTER, Interval
from analysis.stats.shared_variance import MODERATED
from analysis.units import NONE, RATIO, between, count, digits, factor, listing
from bench.compiling import NOTHING

MOST_BEHIND = 3  # that are named
RAN_EAGERLY = "nothing was compiled: it ran eagerly"


def ratio(cell: Cell) -> str:
    """Return a competitor's ratio to the fastest: 1 for the fastest itself."""
    if cell.time is None:
        return NONE
    if cell.to_fastest is None:
        return factor(1.0) if cell.is_fastest else NONE
    return factor(cell.to_fastest.ratio.value)


def ratio_between(cell: Cell) -> str:
    """Return the interval of a competitor's ratio to the fastest; three rounds, which share less, are named."""
    ratio = cell.to_fastest.ratio if cell.to_fastest else None
    is_short = ratio is not None and ratio.low is not None and ratio.rounds < MODERATED
    return between(ratio, RATIO) + (f", {count(MODERATED - 1, 'round')}" if is_short else "")


def rank(estimates: Estimates, cell: Cell) -> str:
    """Return a rank, with "=" before it when others share it, and nothing where no interval allows a claim."""
    if cell.rank is None or not can_rank(estimates):
        return NONE
    return f"={cell.rank}" if estimates.is_tied(cell) else str(cell.rank)


def can_rank(estimates: Estimates) -> bool:
    """Say whether any pair has an interval, without which all would "tie"."""
    return any(pair.ratio.low is not None for pair in estimates.pairs)


def unsteady(cell: Cell) -> str:
    """Return the label of a time from runs that reached no steady state."""
    if cell.trend:
        return f"{digits(100 * abs(cell.trend))} % {'slower' if cell.trend > 0 else 'faster'} by the end of a run"
    return f"no steady state in {cell.unsteady} of {count(cell.rounds, 'run')}"


def compiled(cell: Cell) -> str | None:
    """Return what a compiler made one program of; None where none was asked, or nobody recorded it."""
    return RAN_EAGERLY if cell.compiled == NOTHING else cell.compiled and f"compiled: {cell.compiled}"


def faster(ratio: Interval, claim: str) -> str:
    """Return a ratio of times as a speed-up or slow-down with its interval; `claim` is a pair's."""
    if claim == "equivalent":
        return f"a tie: {factor(ratio.value)} ({between(ratio, RATIO)})"
    if claim != "faster":
        is_clear = not (ratio.bounds[0] <= 1 <= ratio.bounds[1])
        return f"not significant{' (adjusted)' * is_clear}: {factor(ratio.value)} ({between(ratio, RATIO)})"
    own, word = (ratio, "faster") if ratio.value > 1 else (ratio.inverse(), "slower")
    return f"{factor(own.value)}x {word} ({between(own, RATIO)})"


def beside(ratio: Interval, claim: str) -> str:
    """Return what may be said of a time beside another that shares no rounds with it: less than "faster" says."""
    if ratio.low is None:
        return "too few rounds"
    if claim == "faster":
        return "longer" if ratio.value > 1 else "shorter"
    return "alike" if claim == "equivalent" else "not significant"


def leaders(answer: Estimates) -> str:
    """Return the ties for the fastest, and by how much the others are slower at least, in words that claim no more."""
    best = answer.leading
    if not best:
        return "no competitor has a time."
    if not can_rank(answer):
        return "too few rounds for a ranking; the times are shown without one."
    names = listing((f"{cell.title} ({cell.row[1]})" for cell in best), "or")
    return f"fastest of {len(answer.measured)}: {names}{_behind(answer)}."


def _behind(answer: Estimates) -> str:
    """Return by how much each other competitor is behind at least, the nearest first; of many the range."""
    cells = {cell.row: cell for cell in answer.cells}
    known = sorted((factor, f"{cells[row].title} ({row[1]})") for row, factor in answer.behind.items())
    told = [(f"{math.floor(100 * (factor - 1)):,}", name) for factor, name in known if factor >= FASTER]
    if len(told) > MOST_BEHIND:
        closest, slowest = told[0][0], told[-1][0]
        return f"; {len(told)} others are slower, by at least {closest} % (closest) to {slowest} % (slowest)"
    return f"; {listing(f'{name} is at least {percent} % slower' for percent, name in told)}" if told else ""


TASKS = {
    "train": "training step",
    "infer": "forward pass",
    "epochs": "training over a data set, step by step",
    "fit": "training over a data set by the framework's own loop",
    "feed": "training on photographs as a loader brings them",
}
PER = {
    "train": "step",
    "infer": "step",
    "epochs": "epoch",
    "fit": "epoch",
    "feed": "pass",
}  # what a time of a task is the time of
GPU_PRECISIONS = {"fp32": " (strict)", "tf32": " (frameworks' default)"}


def question(about: Question) -> str:
    """Return a question as a sentence's subject, without its workload and machine."""
    optimizer = "" if about.optimizer == "none" else f", optimizer {about.optimizer}"
    data = "" if about.data == "random" else f", {about.data}"
    where = f"{precision(about)} on the {about.device.upper()}, {count(about.threads, 'thread')}, {about.tier} tier"
    return f"{TASKS[about.task]}{data}, batch size {about.batch_size}{optimizer}, {where}"


def precision(about: Question) -> str:
    """Return a question's precision; on a GPU, where frameworks take less than they are given, with what it means."""
    return about.precision + GPU_PRECISIONS.get(about.precision, "") * (about.device == "gpu")


def short(about: Question) -> str:
    """Return a question as the title of a panel."""
    optimizer = [] if about.optimizer == "none" else [about.optimizer]
    own = [] if about.data == "random" else [about.data]
    asked = [about.task, *own, f"batch {about.batch_size}", *optimizer]
    return " · ".join([*asked, precision(about), about.device.upper(), count(about.threads, "thread"), about.tier])


def conditions(about: Question) -> str:
    """Return what a question's numbers depend on: precision, batch size and, on a CPU, threads."""
    threads = [] if about.device == "gpu" else [count(about.threads, "thread")]
    return ", ".join([about.precision, f"batch {about.batch_size}", *threads])


def described(about: Question) -> str:
    """Return a question's task, conditions and optimiser, for the title of a table."""
    return ", ".join([TASKS[about.task], conditions(about), *([] if about.optimizer == "none" else [about.optimizer])])


def slow_down(answer: Estimates, cell: Cell) -> str:
    """Return a competitor's slow-down against the fastest of its question: "1.4x slower (1.3 to 1.5)"."""
    if cell.time is None:
        return cell.status.replace("_", " ")
    if cell.is_fastest:
        slower = sum(pair.faster == cell.row for pair in answer.pairs)
        return "fastest" if slower == len(answer.measured) - 1 > 0 else "baseline"
    return of_pair(cell.to_fastest) if cell.to_fastest else "no shared round"


def of_pair(pair: Pair) -> str:
    """Return what a pair's ratio, the second's time over the first's, says of the second."""
    if pair.ratio.low is None:
        return f"{pair.ratio.value:.2f}x, too few rounds"
    if pair.claim == "equivalent":
        return "tie"
    if pair.claim != "faster":
        return f"not significant: {pair.ratio.value:.2f} ({_bounds(pair.ratio)})"
    return significant(pair.ratio, pair.ratio.value > 1)


def significant(ratio: Interval, is_slower: bool = True) -> str:
    """Return a significant ratio, or its inverse where that is above 1, with the interval."""
    ratio = ratio if ratio.value > 1 else ratio.inverse()
    bounds = f" ({_bounds(ratio)})" if ratio.low is not None else ""
    return f"{ratio.value:.{_decimals(ratio.bounds[0])}f}x {'slower' if is_slower else 'faster'}{bounds}"


def slower_than(answer: Estimates, cell: Cell) -> int:
    """Return how many competitors are proven to be faster than this one."""
    return sum(pair.faster is not None and cell.row in (pair.a, pair.b) and pair.faster != cell.row
               for pair in answer.pairs)  # fmt: skip


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
