"""A question's answers as a table, of steps or of a training; and which other kept answers each agrees with."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis import units
from analysis.estimate import training
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.site.pages import Found, columns, competitor, ratio, startup, with_bounds
from analysis.stats import Row
from analysis.text import html, sentences
from analysis.text.html import Markup, Wide
from analysis.units import workload_title
from bench import proof

ROOT = "../../../"  # from generated/workloads/<name>/ to the site's top
OF_LATER, NOT_KEPT = "of later code", "not kept"
EXPLAINED = {
    OF_LATER: "the answers that agree are those of the code as it is now; what was measured was proven before it "
    "changed.",
    NOT_KEPT: "proven when it was measured; of the statement as it is now, no answer in that mode is kept.",
}

Kept = Mapping[Row, Sequence[Mapping[str, Any]]]  # competitor -> rows of bench.proof.matrix


def table(answer: Estimates, kept: Kept) -> Markup:
    """Return a question's answers on one batch, those without a time with their reason."""
    cells, step = answer.cells, columns.unit_of([answer])
    starts = [value for cell in cells for value in (cell.first_step_cold_s, cell.first_step_warm_s)]
    first, size = units.common(starts, units.SECONDS), units.common([cell.memory_bytes for cell in cells], units.BYTES)
    header = (
        "environment and mode", "rank", f"time per step ({step.name})", "times the fastest",
        f"first step, cold ({first.name})", f"first step, warm ({first.name})", f"memory ({size.name})",
        "of a matrix product", "parity", "rounds",
    )  # fmt: skip
    own = {cell.row: [first(cell.first_step_cold_s), first(cell.first_step_warm_s), size(cell.memory_bytes),
                      _used(cell)] for cell in answer.measured}  # fmt: skip
    caption = (
        f"{workload_title(answer.question.workload)}: {sentences.question(answer.question)}. Small print: "
        "99 % intervals, and the shares of the datasheet's peak and of a copy's bandwidth where they are known."
    )
    return html.table(caption, header, [_row(answer, kept, cell, step, own) for cell in cells], "answers")


def trained(found: Found, answer: Estimates, kept: Kept) -> Markup:
    """Return what training over a data set took and reached, and the parts of its start, competitor by competitor."""
    known, epoch = training.trained(found.results.runs, answer), columns.unit_of([answer])
    starts = [value for each in known.summaries.values() for value in each.start.first_epoch_s.values()]
    first = units.common(starts, units.SECONDS)
    header = (
        "environment and mode", "rank", f"time per epoch ({epoch.name})", "times the fastest",
        f"first epoch, cold ({first.name})", f"{known.score} in the end", "to the target", "same losses for",
        "parity", "rounds",
    )  # fmt: skip
    own = {row: [startup.cold_and_warm(each.start.first_epoch_s, first),
                 with_bounds(units.digits(each.final), each.agreement),
                 training.to_target(known.scale, each), training.same_losses(each)]
           for row, each in known.summaries.items()}  # fmt: skip
    about = f"{workload_title(answer.question.workload)}: {sentences.question(answer.question)}"
    caption = (
        f"{about}. {training.judged_by(known.scale, known.score)} Small print: 99 % intervals, the first epoch with "
        "compiler caches as an earlier run left them, and whether the end is equivalent to the others'. "
        f"{training.ABOUT_SAME}"
    )
    rows = [_row(answer, kept, cell, epoch, own) for cell in answer.cells]
    parts = [startup.table(found, [answer], f"{about}: the parts of the start")] if known.summaries else []
    return html.join([html.table(html.safe(caption, len(caption)), header, rows, "answers"), *parts])


def _row(
    answer: Estimates, kept: Kept, cell: Cell, unit: units.Unit, own: Mapping[Row, Sequence[str]]
) -> Sequence[str]:
    """Return a competitor's row; `own` are the columns that only its kind of table has."""
    if cell.time is None or cell.row not in own:
        return [_named(cell), Wide(html.safe(cell.reason))]
    label = [html.element("small", sentences.unsteady(cell))] if cell.unsteady else []
    return [
        _named(cell),
        html.element("b", sentences.rank(answer, cell)),
        html.join([with_bounds(unit(cell.time.value), units.between(cell.time, unit)), *label]),
        ratio(cell),
        *own[cell.row],
        parity_mark(kept, answer, cell),
        _rounds(cell),
    ]


def _named(cell: Cell) -> Markup:
    """Return a competitor with its mode, and what a compiler made of that where it is known."""
    made = sentences.compiled(cell)
    note = [html.element("small", html.safe(made, html.NAME_LENGTH), kind="compiled")] if made else []
    return html.join([competitor(cell.title, cell.row, cell.is_default), *note])


def _used(cell: Cell) -> Markup | str:
    share, others = units.share(cell.used.of_product), sentences.shares(cell)
    return with_bounds(share, others) if others else share


def _rounds(cell: Cell) -> Markup:
    notes = [note for note in (cell.reason, cell.note) if note]
    return html.join([sentences.rounds(cell), *(html.element("small", html.safe(note, 80)) for note in notes)])


def kept_answers(found: Found, answer: Estimates) -> Kept:
    """Return how each competitor's kept answer to a question compares with those of other environments."""
    about, kept = answer.question, dict[Row, list[Mapping[str, Any]]]()
    for row in found.matrix:
        is_asked = (row["workload"], row["optimizer"]) == (about.workload, about.optimizer)
        if is_asked and row["environment_a"] != row["environment_b"]:
            kept.setdefault((row["environment_a"], row["mode_a"]), []).append(row)
    return kept


def parity_mark(kept: Kept, answer: Estimates, cell: Cell) -> Markup:
    """Return with how many other kept answers a competitor's agrees, and whether that is proof of what was measured."""
    rows, doubt = kept.get(cell.row, ()), doubted(kept, cell)
    if not rows:
        return html.join(["proven", html.element("small", doubt)]) if doubt else html.Markup(units.NONE)
    agree = sum(bool(row["passes"]) for row in rows)
    mark = "✓" if 2 * agree > len(rows) else "✗"
    link = html.link(f"{ROOT}parity/#{answer.question.workload}", f"{mark} {agree} of {len(rows)}")
    return with_bounds(link, doubt) if doubt else link


def doubted(kept: Kept, cell: Cell) -> str | None:
    """Return why kept answers are not the proof of what was measured, which always had one; None where they are."""
    if cell.row not in kept:
        return NOT_KEPT if cell.proofs else None
    answered = {row["proof_a"] for row in kept[cell.row]}
    return None if all(any(proof.same(own, each) for own in answered) for each in cell.proofs) else OF_LATER


def doubts(answer: Estimates, kept: Kept) -> Markup:
    """Return what the small print of the column of parity means, where there is any."""
    found = {doubted(kept, cell) for cell in answer.measured}
    told = [f"{why}: {meaning}" for why, meaning in EXPLAINED.items() if why in found]
    return html.paragraph(f"Parity, {' '.join(told)}", "source") if told else Markup("")
