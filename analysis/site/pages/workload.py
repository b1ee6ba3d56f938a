"""One page per workload: the question, its answers with intervals, the figures, and the very code that was measured."""

from collections.abc import Sequence
from typing import Any

from analysis import figures, units
from analysis.estimate.estimates import Estimates, Question
from analysis.plugins import explained, title
from analysis.site.pages import (
    NOTHING,
    UNSEARCHED,
    Found,
    code,
    columns,
    details,
    facts,
    figure,
    in_full,
    loops,
    tables,
)
from analysis.text import frameworks, html, sentences
from analysis.text.html import Markup
from analysis.units import workload_about, workload_title
from bench import oracle, registry
from bench.cases import EPOCHS, read_data
from bench.errors import DefinitionError

WITHOUT_ORACLE = (
    "Nothing in bench/oracle says in NumPy what this network computes: where fewer than four frameworks have answered, "
    "a small mistake of one of them would not be told from rounding."
)


def index(found: Found) -> str:
    """Return the page that lists the workloads, each with who is fastest at its first question on each machine."""
    first = {machine: found.first(machine) for machine in found.results.machines}
    parts = [
        "---\nsearch: {exclude: true}\n---\n",  # each workload's own page is found
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
    machines = found.results.machines
    results = [_machine(found, name, machine, number) for number, machine in enumerate(machines, 1)]
    is_measured = any(found.of(machine, name) for machine in machines)
    parts = [
        f"# {workload_title(name)}\n\n{workload_about(name)}\n\n{sizes(registry.workload(name))}\n",
        code.collapsed("The problem, stated in NumPy", *code.statements(name)),
        *(in_full(sentence) for sentence in frameworks.causes(name, _asked_by_default())),
        *([] if oracle.is_known(name) else [html.paragraph(WITHOUT_ORACLE, "missing")]),
        *(results if is_measured else [f"## Results\n\n{NOTHING}"]),
        f"\n## The code that was measured{UNSEARCHED}\n",
        f"[Any two of these side by side](../rosetta/{name}.md), with the step that each trains by.\n",
        *code.changed(found, name),
        *(
            code.tab(answer.title, [code.measured_by(answer), code.block(answer.path), _adapter(answer)])
            for answer in code.answers(name)
        ),
    ]
    return "\n".join(parts)


def _asked_by_default() -> list[str]:
    return [name for name, each in registry.environments().items() if each.is_default]


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
    where = f", machine {number}" if found.has_several else ""
    answers = found.of(machine, name)
    if not answers:
        nothing = html.paragraph("This machine has not measured this workload.", "missing")
        return f"## Results{where}{UNSEARCHED}\n\n{nothing}"
    both = loops.table(found, answers)
    drawn = [(key, module) for key, module in figures.found().items() if module.SCOPE == "workload"]
    tried = [each for each in answers if not all(map(columns.is_waiting, each.cells))]
    usual = found.usual_threads(machine)
    shown = [each for each in tried if each.question.threads == usual] or tried
    parts = [
        f"## Results{where}{UNSEARCHED}\n",
        _campaigns(found, machine, answers),
        *(f"### {heading(each)}{UNSEARCHED}\n\n{_section(found, each)}" for each in shown),
        *_unanswered([each for each in answers if each not in tried]),
        *_folded(found, [each for each in tried if each not in shown]),
        *([f"### The framework's own loop{where}{UNSEARCHED}\n\n{both}"] if both else []),
        f"\n## Figures{where}{UNSEARCHED}\n",
        *(_picture(found, module, key, name, machine) for key, module in drawn),
    ]
    return "\n".join(parts)


def _campaigns(found: Found, machine: str, answers: Sequence[Estimates]) -> Markup:
    """Return when and on what some answers were measured, and what unfolds: the campaigns, the newest first."""
    known = {each.name: each for answer in answers for each in found.results.answered[answer.question.key]}
    of = [known[name] for name in sorted(known, reverse=True)]
    header = ("measured", "processor", "profile", "void rounds")
    rows = [[html.safe(dict(facts(each))[name]) for name in header] for each in of]
    days = units.days(sorted({each.day for each in of}))
    told = f"{machine}: {of[0].bench['machine']['cpu']}; measured {days}, in {units.count(len(of), 'campaign')}."
    table = html.table("Campaigns that these answers are taken from, the newest first", header, rows)
    return html.join([in_full(told, "source"), details.unfolding("The campaigns", table)])


def _unanswered(answers: Sequence[Estimates]) -> list[Markup]:
    """Return one paragraph of questions that no budget held: a section of each would say nothing more."""
    asked = units.listing(sentences.question(each.question) for each in answers)
    told = f"Asked, and not measured yet, for no budget held it: {asked}."
    return [in_full(told, "missing")] if answers else []


def _folded(found: Found, answers: Sequence[Estimates]) -> list[Markup]:
    """Return what unfolds: questions with another number of threads than is usual on their machine."""
    if not answers:
        return []
    parts = [html.join([html.element("h4", heading(each)), _section(found, each)]) for each in answers]
    return [
        details.unfolding(f"With another number of threads: {units.count(len(parts), 'question')}", html.join(parts))
    ]


def _section(found: Found, answer: Estimates) -> Markup:
    """Return a question's answers below its heading."""
    kept = tables.kept_answers(found, answer)
    shown = answer._replace(cells=[cell for cell in answer.cells if not columns.is_waiting(cell)])
    is_training = answer.question.task in EPOCHS
    made = tables.trained(found, shown, kept) if is_training else tables.table(shown, kept)
    waiting = columns.waiting([cell for cell in answer.cells if columns.is_waiting(cell)])
    parts = [html.paragraph(_sentence(answer)), made, waiting, tables.doubts(answer, kept), _apart(answer)]
    return html.join([*parts, details.details(found, answer)], "\n")


def _sentence(answer: Estimates) -> str:
    told = sentences.leaders(answer)
    return told[0].upper() + told[1:]


def heading(answer: Estimates) -> str:
    """Return a question as a heading: from the project's own words only, since a title is read unescaped."""
    about = answer.question
    optimizer = "" if about.optimizer == "none" else f", {about.optimizer}"
    device = f"{sentences.precision(about)}, {about.device.upper()}"
    where = f"{device}, {units.count(about.threads, 'thread')}, {about.tier} tier"
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
    parts = [finding, caption, figure(found, key, name, machine, tables.ROOT)]
    heading = f"### {title(module.__doc__)}{UNSEARCHED}"
    return "\n\n".join([heading, *parts])


def _apart(answer: Estimates) -> Markup:
    """Return which competitors were measured on which days, where they differ: they are compared in shared rounds."""
    named: dict[str, list[str]] = {}
    for cell in answer.measured:
        named.setdefault(units.days(cell.days), []).append(f"{cell.title} ({cell.row[1]})")
    if len(named) < 2:
        return Markup("")
    told = "; ".join(f"{days}: {units.listing(own)}" for days, own in sorted(named.items()))
    said = f"Not all were measured on the same days, and only in shared rounds are two compared. {told}."
    return in_full(said, "source")
