"""One page per workload: the question, its answers with intervals, the figures, and the very code that was measured."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis import figures, units
from analysis.estimate import training
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, Question, first_questions
from analysis.plugins import explained, title
from analysis.site.pages import (
    NOTHING,
    Found,
    code,
    competitor,
    details,
    facts,
    figure,
    loops,
    startup,
    with_bounds,
)
from analysis.text import html, sentences
from analysis.text.html import Markup, Wide
from analysis.units import workload_about, workload_title
from bench import registry
from bench.cases import EPOCHS, read_data
from bench.errors import DefinitionError

ROOT = "../../../"  # from generated/workloads/<name>/ to the site's top
COLUMNS = (
    "environment and mode",
    "rank",
    "time per step",
    "times the fastest",
    "first step, cold",
    "first step, warm",
    "memory",
    "of a matrix product",
    "parity",
    "rounds",
)
OF_LATER, NOT_KEPT = "of later code", "not kept"
EXPLAINED = {
    OF_LATER: "the answers that agree are those of the code as it is now; what was measured was proven before it "
    "changed.",
    NOT_KEPT: "proven when it was measured; of the statement as it is now, no answer in that mode is kept.",
}


def index(found: Found) -> str:
    """Return the page that lists the workloads, each with who is fastest at its first question on each machine."""
    first = {machine: first_questions([each for each in found.defaults if each.question.machine == machine])
             for machine in found.results.machines}  # fmt: skip
    parts = [
        "# Workloads\n",
        "Each workload is a network, its data, its loss and its optimiser, stated once in NumPy.\n",
    ]
    for name in registry.workload_names():
        problem = registry.workload(name)
        own = [each for answers in first.values() for each in answers if each.question.workload == name]
        told = [html.paragraph(html.safe(_result(each, len(first) > 1), html.ALT_LENGTH)) for each in own]
        parts.append(f"## [{workload_title(name)}]({name}.md)\n\n{workload_about(name)}\n\n{sizes(problem)}\n")
        parts += told or ([html.paragraph("Not measured yet.", "missing")] if first else [])
    return "\n".join(parts)


def _result(answer: Estimates, several: bool) -> str:
    """Return who is the fastest in default modes, or how many tie, with the time."""
    where = f" on {answer.question.machine}" if several else ""
    told = f"{sentences.question(answer.question)}{where}: {sentences.leaders(answer).rstrip('.')}"
    times = [units.seconds(cell.time.value) for cell in answer.measured[:1] if cell.time]
    shortest = f"; the shortest mean time is {times[0]}" if times else ""
    return f"{told[0].upper()}{told[1:]}{shortest}."


def page(found: Found, name: str) -> str:
    """Return one workload's page."""
    answers = any(found.of(machine, name) for machine in found.results.machines)
    parts = [
        f"# {workload_title(name)}\n\n{workload_about(name)}\n\n{sizes(registry.workload(name))}\n",
        code.collapsed("The problem, stated in NumPy", *code.statements(name)),
        *(
            [_machine(found, name, machine, number) for number, machine in enumerate(found.results.machines, 1)]
            if answers
            else [f"## Results\n\n{NOTHING}"]
        ),
        "\n## The code that was measured\n",
        *code.changed(found, name),
        *(
            code.tab(answer, [code.measured_by(answer), code.block(answer.path), _adapter(answer)])
            for answer in code.answers(name)
        ),
    ]
    return "\n".join(parts)


def sizes(problem: Any) -> str:
    """Return the batch sizes and optimisers that a workload is asked at."""
    batches = units.listing(str(size) for size in problem.BATCH_SIZES)
    optimizers = units.listing(f"`{optimizer}`" for optimizer in problem.OPTIMIZERS.values())
    return f"Batch size {batches}; {f'optimiser {optimizers}' if optimizers else 'not trained'}."


def _adapter(answer: code.Implementation) -> str:
    """Return a link to what a framework's answers share: on one page, since every reader of this one would fetch it."""
    name = answer.environments[0].framework
    return f"[The adapter that trains and times it](../frameworks/{name}.md#{code.ADAPTER})\n"


def _machine(found: Found, name: str, machine: str, number: int) -> str:
    several = len(found.results.machines) > 1
    where = f", machine {number}" if several else ""
    answers = found.of(machine, name)
    if not answers:
        return f"## Results{where}\n\n{html.paragraph('This machine has not measured this workload.', 'missing')}"
    sections = [_section(found, each) for each in answers if not all(map(_is_waiting, each.cells))]
    sections += _unanswered([each for each in answers if all(map(_is_waiting, each.cells))])
    both = loops.table(found, answers)
    sections += [f"### The framework's own loop{where}\n\n{both}"] if both else []
    pictures = [
        _picture(found, module, key, name, machine)
        for key, module in figures.found().items()
        if module.SCOPE == "workload"
    ]
    return "\n".join(
        [f"## Results{where}\n", _campaigns(found, machine, answers), *sections, f"\n## Figures{where}\n", *pictures]
    )


def _campaigns(found: Found, machine: str, answers: Sequence[Estimates]) -> Markup:
    """Return when and on what some answers were measured, and what unfolds: the campaigns, the newest first."""
    known = {each.name: each for answer in answers for each in found.results.answered[answer.question.key]}
    of = [known[name] for name in sorted(known, reverse=True)]
    header = ("measured", "processor", "profile", "void rounds")
    rows = [[html.safe(dict(facts(each))[name]) for name in header] for each in of]
    days = units.days(sorted({each.day for each in of}))
    told = f"{machine}: {of[0].bench['machine']['cpu']}; measured {days}, in {units.count(len(of), 'campaign')}."
    table = html.table("Campaigns that these answers are taken from, the newest first", header, rows)
    return html.join([html.paragraph(html.safe(told, len(told)), "source"), details.unfolding("The campaigns", table)])


def _is_waiting(cell: Cell) -> bool:
    """Say whether a competitor waits for a budget that holds it, which says nothing of itself."""
    return cell.status == "over_budget"


def _unanswered(answers: Sequence[Estimates]) -> list[Markup]:
    """Return one paragraph of questions that no budget held: a section of each would say nothing more."""
    asked = units.listing(sentences.question(each.question) for each in answers)
    told = f"Asked, and not measured yet, for no budget held it: {asked}."
    return [html.paragraph(html.safe(told, len(told)), "missing")] if answers else []


def _waiting(answer: Estimates) -> Markup:
    """Return in one paragraph which competitors no budget held."""
    named = [f"{cell.title} ({cell.row[1]})" for cell in answer.cells if _is_waiting(cell)]
    told = f"Not measured yet, for no budget held it: {units.listing(named)}."
    return html.paragraph(html.safe(told, len(told)), "source") if named else Markup("")


def _section(found: Found, answer: Estimates) -> str:
    about = answer.question
    found = found._replace(
        matrix=[row for row in found.matrix if (row["workload"], row["optimizer"]) == (about.workload, about.optimizer)]
    )
    shown = answer._replace(cells=[cell for cell in answer.cells if not _is_waiting(cell)])
    made = (trained if answer.question.task in EPOCHS else table)(found, shown)
    told = f"### {heading(answer)}\n\n{html.paragraph(_sentence(answer))}\n{made}"
    notes = f"{_waiting(answer)}{_explained(found.matrix, answer)}{_apart(answer)}"
    return f"{told}\n{notes}\n{details.details(found, answer)}"


def _sentence(answer: Estimates) -> str:
    told = sentences.leaders(answer)
    return told[0].upper() + told[1:]


def heading(answer: Estimates) -> str:
    """Return a question as a heading: from the project's own words only, since a title is read unescaped."""
    about = answer.question
    optimizer = "" if about.optimizer == "none" else f", {about.optimizer}"
    where = f"{about.precision}, {about.device.upper()}, {units.count(about.threads, 'thread')}, {about.tier} tier"
    task = sentences.TASKS[about.task].capitalize()
    return f"{task}{known_data(about)}, batch size {about.batch_size}{optimizer}, {where}"


def known_data(about: Question) -> str:
    """Return the data set of a question as this project's own words, since a title is read unescaped."""
    named = getattr(registry.workload(about.workload), "DATASET", None)
    try:
        return sentences.data(about) if read_data(about.data).name == named else ""
    except DefinitionError:
        return ""


def _picture(found: Found, module: Any, key: str, name: str, machine: str) -> str:
    saved = found.pictures[key, name, machine]
    finding = "" if isinstance(saved, str) else html.paragraph(html.whole(units.opening(saved.alt), html.REASON_LENGTH))
    caption = f"{explained(module.__doc__)}\n{{ data-search-exclude }}"  # the same on every page
    parts = [finding, caption, figure(found, key, name, machine, ROOT)]
    return "\n\n".join([f"### {title(module.__doc__)}", *parts])


def table(found: Found, answer: Estimates) -> Markup:
    """Return a question's answers, those without a time with their reason."""
    cells = answer.cells
    step = units.common([cell.time.value for cell in cells if cell.time], units.SECONDS)
    first = units.common(
        [value for cell in cells for value in (cell.first_step_cold_s, cell.first_step_warm_s)], units.SECONDS
    )
    size = units.common([cell.memory_bytes for cell in cells], units.BYTES)
    named = ("", "", f" ({step.name})", "", f" ({first.name})", f" ({first.name})", f" ({size.name})", "", "", "")
    header = [f"{column}{unit}" for column, unit in zip(COLUMNS, named, strict=True)]
    rows = [_row(found, answer, cell, (step, first, size)) for cell in cells]
    caption = (
        f"{workload_title(answer.question.workload)}: {sentences.question(answer.question)}. Small print: "
        "99 % intervals, and the shares of the datasheet's peak and of a copy's bandwidth where they are known."
    )
    return html.table(caption, header, rows, "answers")


def _named(cell: Cell) -> Markup:
    """Return a competitor with its mode, and what a compiler made of that where it is known."""
    made = sentences.compiled(cell)
    note = [html.element("small", html.safe(made, html.NAME_LENGTH), kind="compiled")] if made else []
    return html.join([competitor(cell.title, cell.row, cell.is_default), *note])


def _row(found: Found, answer: Estimates, cell: Cell, scales: tuple[units.Unit, units.Unit, units.Unit]) -> list[str]:
    step, first, size = scales
    name = _named(cell)
    if cell.time is None:
        return [name, Wide(html.safe(cell.reason))]
    return [
        name,
        html.element("b", sentences.rank(answer, cell)),
        _time(cell, step),
        with_bounds(sentences.ratio(cell), sentences.ratio_between(cell)) if cell.to_fastest else sentences.ratio(cell),
        first(cell.first_step_cold_s),
        first(cell.first_step_warm_s),
        size(cell.memory_bytes),
        _used(cell),
        parity_mark(found.matrix, answer, cell),
        _rounds(cell),
    ]


def trained(found: Found, answer: Estimates) -> Markup:
    """Return what training over a data set took and reached, and the parts of its start, competitor by competitor."""
    known = training.trained(found.results.runs, answer)
    epoch = units.common([cell.time.value for cell in answer.measured if cell.time], units.SECONDS)
    first = units.common(
        [value for each in known.summaries.values() for value in each.start.first_epoch_s.values()], units.SECONDS
    )
    header = [
        "environment and mode",
        "rank",
        f"time per epoch ({epoch.name})",
        "times the fastest",
        f"first epoch, cold ({first.name})",
        f"{known.score} in the end",
        "to the target",
        "same losses for",
        "parity",
        "rounds",
    ]
    rows = [_trained_row(found, answer, cell, known, (epoch, first)) for cell in answer.cells]
    about = f"{workload_title(answer.question.workload)}: {sentences.question(answer.question)}"
    caption = (
        f"{about}. {training.judged_by(known.scale, known.score)} Small print: 99 % intervals, the first epoch with "
        "compiler caches as an earlier run left them, and whether the end is equivalent to the others'. "
        f"{training.ABOUT_SAME}"
    )
    parts = [startup.table(found, [answer], f"{about}: the parts of the start")] if known.summaries else []
    return html.join([html.table(html.safe(caption, len(caption)), header, rows, "answers"), *parts])


def _trained_row(
    found: Found, answer: Estimates, cell: Cell, known: training.Trained, scales: tuple[units.Unit, units.Unit]
) -> list[str]:
    name, (epoch, first) = _named(cell), scales
    own = known.summaries.get(cell.row)
    if cell.time is None or own is None:
        return [name, Wide(html.safe(cell.reason))]
    return [
        name,
        html.element("b", sentences.rank(answer, cell)),
        with_bounds(epoch(cell.time.value), units.between(cell.time, epoch)),
        with_bounds(sentences.ratio(cell), sentences.ratio_between(cell)) if cell.to_fastest else sentences.ratio(cell),
        startup.cold_and_warm(own.start.first_epoch_s, first),
        with_bounds(units.digits(own.final), own.agreement),
        training.to_target(known.scale, own),
        training.same_losses(own),
        parity_mark(found.matrix, answer, cell),
        _rounds(cell),
    ]


def _used(cell: Cell) -> Markup | str:
    share, others = units.share(cell.used.of_product), sentences.shares(cell)
    return with_bounds(share, others) if others else share


def _time(cell: Cell, unit: units.Unit) -> Markup:
    """Return a time with its interval and, where runs had none, the label "no steady state"."""
    label = [html.element("small", sentences.unsteady(cell))] if cell.unsteady else []
    bounds = with_bounds(unit(cell.time.value if cell.time else None), units.between(cell.time, unit))
    return html.join([bounds, *label])


def _rounds(cell: Cell) -> Markup:
    notes = [note for note in (cell.reason, cell.note) if note]
    return html.join([sentences.rounds(cell), *(html.element("small", html.safe(note, 80)) for note in notes)])


def parity_mark(matrix: Any, answer: Estimates, cell: Cell) -> Markup:
    """Return with how many other kept answers a competitor's agrees, and whether that is proof of what was measured."""
    rows = [row for row in matrix if _is_about(row, answer, cell)]
    doubt = _doubt(rows, cell)
    if not rows:
        return html.join(["proven", html.element("small", doubt)]) if doubt else html.Markup(units.NONE)
    agree = sum(bool(row["passes"]) for row in rows)
    mark = "✓" if 2 * agree > len(rows) else "✗"
    kept = html.link(f"{ROOT}parity/#{answer.question.workload}", f"{mark} {agree} of {len(rows)}")
    return with_bounds(kept, doubt) if doubt else kept


def _doubt(rows: Sequence[Mapping[str, Any]], cell: Cell) -> str | None:
    """Return why kept answers are not the proof of what was measured, which always had one; None where they are."""
    if not rows:
        return NOT_KEPT if cell.proofs else None
    return None if {row["proof_a"] for row in rows}.issuperset(cell.proofs) else OF_LATER


def _explained(matrix: Any, answer: Estimates) -> Markup:
    """Return what the small print of the column of parity means, where there is any."""
    doubts = {_doubt([row for row in matrix if _is_about(row, answer, cell)], cell) for cell in answer.measured}
    told = [f"{why}: {meaning}" for why, meaning in EXPLAINED.items() if why in doubts]
    return html.paragraph(f"Parity, {' '.join(told)}", "source") if told else Markup("")


def _apart(answer: Estimates) -> Markup:
    """Return which competitors were measured on which days, where they differ: they are compared in shared rounds."""
    named: dict[str, list[str]] = {}
    for cell in answer.measured:
        named.setdefault(units.days(cell.days), []).append(f"{cell.title} ({cell.row[1]})")
    if len(named) < 2:
        return Markup("")
    told = "; ".join(f"{days}: {units.listing(own)}" for days, own in sorted(named.items()))
    said = f"Not all were measured on the same days, and only in shared rounds are two compared. {told}."
    return html.paragraph(html.safe(said, len(said)), "source")


def _is_about(row: Mapping[str, Any], answer: Estimates, cell: Cell) -> bool:
    about = answer.question
    is_ours = (row["environment_a"], row["mode_a"]) == cell.row and row["environment_b"] != cell.row[0]
    return is_ours and row["workload"] == about.workload and row["optimizer"] == about.optimizer
