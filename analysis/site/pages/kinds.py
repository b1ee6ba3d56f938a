"""Which framework for what kind of network: who may be the fastest, starts soonest, and needs least memory."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from analysis import units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.text import html, sentences
from analysis.text.html import Markup
from analysis.units import workload_title
from bench import costs

KINDS = DENSE, CONVOLUTIONS, RECURRENCES, ATTENTION = "dense layers", "convolutions", "recurrences", "attention"
MOST_NAMED = 2  # in a cell


def kind(workload: str) -> str | None:
    """Return what a network is mostly made of, as its file of costs tells; None where there is none."""
    if not costs.is_known(workload):
        return None
    if costs.products(workload):
        return ATTENTION
    kernels = costs.kernels(workload)
    if any(len(kernel.shape) == len(("height", "width", "inputs", "outputs")) for kernel in kernels):
        return CONVOLUTIONS
    return RECURRENCES if any(kernel.positions > 1 for kernel in kernels) else DENSE


def table(answers: Sequence[Estimates]) -> Markup:
    """Return a table with a row for each kind of network: how often who is ahead among default modes."""
    known: dict[str, list[Estimates]] = {}
    for each in answers:
        if (name := kind(each.question.workload)) and sentences.can_rank(each):
            known.setdefault(name, []).append(each)
    rows = [
        (
            name,
            units.listing(workload_title(each.question.workload) for each in own),
            _often([each.leading for each in own]),
            _often([_least(each, lambda cell: cell.first_step_cold_s) for each in own]),
            _often([_least(each, lambda cell: cell.memory_bytes) for each in own]),
        )
        for name, own in sorted(known.items(), key=lambda item: KINDS.index(item[0]))
    ]
    header = ("made of", "networks", "may be the fastest", "shortest first step", "least memory")
    caption = "Which framework for what, in default modes; of the networks in a row, in how many"
    return html.join([html.table(caption, header, rows, "claims"), _absent(known)]) if rows else Markup("")


def _absent(known: Mapping[str, Sequence[Estimates]]) -> Markup:
    """Say who was not measured in all of these networks: there nobody knows whether it is ahead."""
    measured = [{cell.title for cell in each.measured} for own in known.values() for each in own]
    counts = Counter(title for own in measured for title in own)
    lacking = [f"{title} lacks {len(measured) - count}" for title, count in sorted(counts.items())
               if count < len(measured)]  # fmt: skip
    told = f"Not measured in all of these {units.count(len(measured), 'network')}: {units.listing(lacking)}."
    return html.paragraph(told, "source") if lacking else Markup("")


def _least(answer: Estimates, number: Callable[[Cell], float | None]) -> list[Cell]:
    """Return the competitor with the least of a number that has no interval."""
    known = [(value, cell.row, cell) for cell in answer.measured if (value := number(cell)) is not None]
    return [min(known)[2]] if known else []


def _often(ahead: Sequence[Sequence[Cell]]) -> str:
    """Return who is ahead in how many networks, the most frequent first."""
    counts = Counter(cell.title for own in ahead for cell in own)
    named = [f"{name} in {count} of {len(ahead)}" for name, count in counts.most_common(MOST_NAMED)]
    return "; ".join(named) or units.NONE
