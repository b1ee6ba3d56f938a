"""Behind a question's table, below lines that unfold: how far its blocks spread, every pair, and how to repeat it."""

from analysis import units
from analysis.estimate import crosscheck
from analysis.estimate.cells import Cell
from analysis.estimate.crosscheck import Check
from analysis.estimate.estimates import Estimates
from analysis.estimate.pairs import Pair
from analysis.site.pages import Found, competitor, in_full, reproduce, with_bounds
from analysis.stats import Row
from analysis.stats.bootstrap import MIN_ROUNDS
from analysis.text import html, sentences, widths
from analysis.text.html import Markup
from bench.cases import STEPS

PERCENTILES = ("5 %", "50 %", "95 %", "99 %")
STATE = ("runs steady", "no steady state", "too short to tell", "doubled")


def details(found: Found, answer: Estimates) -> Markup:
    """Return how precise a question's answers are, and what unfolds: their blocks, their pairs, how to repeat them."""
    if not answer.measured:
        return Markup("")
    told = " ".join(widths.how_precise(answer))
    return html.join(
        [
            in_full(told, "source"),
            unfolding("Spread of the blocks, and the steady state of the runs", spread(answer)),
            unfolding("Every pair, with its claim and the interval by resampling", pairs(found, answer)),
            unfolding("The raw lines, and how to measure this again", reproduce.reproduce(found, answer)),
        ]
    )


def unfolding(title: str, content: Markup) -> Markup:
    """Return content that unfolds below its title."""
    return Markup(
        f'<details class="more" data-search-exclude>\n{html.element("summary", title)}\n{content}</details>\n'
    )


def spread(answer: Estimates) -> Markup:
    """Return a table of percentiles over what counts of all runs, and of how many runs are steady."""
    known, per = answer.measured, sentences.PER[answer.question.task]
    unit = units.common([cell.spread.p5 for cell in known if cell.spread], units.SECONDS)
    is_steps = answer.question.task in STEPS
    part, state = ("blocks", STATE) if is_steps else ("epochs", ())
    header = ["environment and mode", *(f"{name} ({unit.name})" for name in PERCENTILES), part, *state]
    caption = f"Percentiles of the time per {per} over the {part} of all runs" + (
        "; a run's count from when it is steady, all of them where it is not" if is_steps else " after the first"
    )
    rows = [[*_spread(cell, unit), *(_state(cell) if is_steps else ())] for cell in known]
    return html.table(caption, header, rows, "answers")


def _spread(cell: Cell, unit: units.Unit) -> list[str]:
    percentiles = cell.spread[:4] if cell.spread else (None,) * 4
    blocks = f"{cell.spread.blocks:,}" if cell.spread else units.NONE
    return [competitor(cell.title, cell.row, cell.is_default), *(unit(value) for value in percentiles), blocks]


def _state(cell: Cell) -> list[str]:
    return [
        str(count)
        for count in (cell.rounds - cell.unsteady - cell.untested, cell.unsteady, cell.untested, cell.doubled)
    ]


def pairs(found: Found, answer: Estimates) -> Markup:
    """Return a table of every pair: its ratio with both intervals, what is claimed, and where the two disagree."""
    checks = crosscheck.checks(found.results, [answer], answer.pairs)
    cells = {cell.row: cell for cell in answer.cells}
    header = ("time of", "over time of", "ratio", "by resampling", "half-width", "rounds", "adjusted p", "the first is")
    rows = [_pair_row(cells, pair, check) for pair, check in zip(answer.pairs, checks, strict=True)]
    caption = f"{units.count(len(rows), 'pair')}; p is adjusted for all of them. Small print: 99 % intervals."
    return html.table(caption, header, rows, "answers")


def _pair_row(cells: dict[Row, Cell], pair: Pair, check: Check) -> list[str]:
    return [
        competitor(cells[pair.b].title, pair.b),
        competitor(cells[pair.a].title, pair.a),
        with_bounds(units.FINE(pair.ratio.value), units.between(pair.ratio, units.FINE)),
        resampled(check),
        units.width(pair.ratio.half_width),
        str(pair.ratio.rounds),
        units.p_value(pair.p),
        claimed(pair, check),
    ]


def resampled(check: Check) -> Markup:
    """Return the interval by resampling, or why there is none."""
    few = f"fewer than {MIN_ROUNDS} rounds"
    return html.element("small", units.between(check.resampled, units.FINE) if check.resampled.low else few)


def claimed(pair: Pair, check: Check) -> Markup:
    """Return what is claimed of a pair, with a mark where resampling says otherwise."""
    words_of = {"faster": "slower" if pair.ratio.value > 1 else "faster"}
    doubt = [html.element("small", f"! {check.disagreement}")] if check.disagreement else []
    return html.join([words_of.get(pair.claim, pair.claim), *doubt])
