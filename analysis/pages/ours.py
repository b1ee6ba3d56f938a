"""What this project has beside an article's numbers: sentences that the data give, and tables, all of one machine."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from analysis import html, together, training, words
from analysis.articles import Section
from analysis.contrasts import compiling_contrasts
from analysis.estimates import Estimates
from analysis.figures import mean_time
from analysis.html import Markup
from analysis.lesson import verdicts
from analysis.pages import Found, columns, competitor, with_bounds
from analysis.words import workload_title
from bench import registry
from bench.cases import EPOCHS, STEPS

NO_INTERVAL = "Too few rounds for a ranking; the times are shown without one."
NO_MEAN = "These networks were not measured at the same batch sizes and optimisers: there is no fair mean over them."
NO_EPOCHS = "None of these networks was trained over data on this machine: there is no first epoch to compare."
NO_CONTRAST = "No environment ran one of these networks both with and without a compiler on this machine."


class Made(NamedTuple):
    """Sentences, and tables; in a table's place may stand a sentence that says why there is none."""

    findings: list[str]
    tables: list[Markup]


def sizes(found: Found, section: Section, machine: str) -> Made:
    """Say in how many pairs of networks, their times clearly apart, the one with more parameters takes longer."""
    longer: list[bool] = []
    for block in _blocks(found, section, machine):
        means = {name: each for name, each in together.means(found.results, block).items() if name}
        for smaller, larger in combinations(sorted(means, key=_parameters), 2):
            longer += _is_longer(means[larger], means[smaller])
    if not longer:
        return Made([], [])
    pairs = words.count(len(longer), "comparison")
    apart = f"Of {pairs} of two networks whose intervals are apart"
    return Made([f"{apart}, the one with more parameters takes longer in {sum(longer)}."], [])


def _parameters(name: str) -> int:
    return int(registry.workload(name).PARAMETERS)


def _is_longer(larger: Estimates, smaller: Estimates) -> Iterator[bool]:
    """Yield, for each competitor whose times at two networks are apart, whether that of the larger is the longer."""
    times = {cell.row: cell.time.bounds for cell in smaller.measured if cell.time and cell.time.low}
    for cell in larger.measured:
        if cell.time and cell.time.low and cell.row in times:
            (low, high), (other_low, other_high) = cell.time.bounds, times[cell.row]
            if low > other_high or high < other_low:
                yield low > other_high


def times(found: Found, section: Section, machine: str) -> Made:
    """Give each network a table of times: competitors by batch size and optimiser."""
    shown, tables = [], []
    for own in _answers(found, section, machine):
        chosen = together.best(own) or _like_the_first(own)
        shown += chosen
        tables += [_times(found, block, section.per_samples) for block in together.blocks(chosen)]
    return Made(_leading(shown), tables)


def means(found: Found, section: Section, machine: str) -> Made:
    """Give a table of means over batch sizes and optimisers: competitors by network, and over all networks."""
    made = Made([], [])
    for block in _blocks(found, section, machine):
        parts = {mean_time.title(name): each for name, each in together.means(found.results, block).items()}
        made.tables.append(_means(found, block, parts) if parts else gap(NO_MEAN))
        made.findings.extend(f"{title}: {words.leaders(each)}" for title, each in list(parts.items())[:1])
    return made


def first(found: Found, section: Section, machine: str) -> Made:
    """Give a table of how many times as long as a later epoch the first one takes: competitors by network."""
    made = Made([], [])
    for block in _blocks(found, section, machine):
        ratios = together.means(found.results, block, together.first_to_later)
        if block[0].question.task not in EPOCHS or not ratios:
            made.tables.append(gap(NO_EPOCHS))
            continue
        values = [cell.time.value for each in ratios.values() for cell in each.measured if cell.time]
        caption = f"First epoch over a later one, mean over {columns.facets(block)}; {columns.where(found, block)}"
        parts = {mean_time.title(name): each._replace(pairs=[]) for name, each in ratios.items()}  # no ranks
        made.tables.append(columns.table(f"{caption}. Small print: 99 % interval.", parts, words.RATIO))
        bounds = " to ".join(words.factor(value) for value in (min(values), max(values)))
        made.findings.append(f"The first epoch takes {bounds} times as long as a later one.")
    return made


def scores(found: Found, section: Section, machine: str) -> Made:
    """Give each network that was trained over data a table of what it reached."""
    return Made([], [_scores(found, each) for each in _trained(found, section, machine)])


def totals(found: Found, section: Section, machine: str) -> Made:
    """Give the time of a whole training where it is the article's: its data set, and all its epochs."""
    return Made([], [_total(found, each) for each in _trained(found, section, machine)])


def modes(found: Found, section: Section, machine: str) -> Made:
    """Give a table of what compiling is worth in each environment that runs both ways."""
    answers = [each for own in _answers(found, section, machine) for each in own]
    asked = found.results.about([each.question.key for each in answers]).of(STEPS)
    contrasts = compiling_contrasts(asked, "step_s")
    if not contrasts:
        return Made([], [gap(NO_CONTRAST)])
    rows = [(*each.names, *words.ratio_cells(each.ratio)) for each in contrasts]
    header = ("network", "question", "environment", "modes", "ratio", "99 % interval", "rounds")
    judged = Counter(verdicts([each.ratios for each in contrasts]))
    finding = (
        f"Compiling pays in {judged['holds']} of {words.count(len(contrasts), 'comparison')} within an environment, "
        f"does not in {judged['fails']}, and {judged['undecided']} are undecided."
    )
    caption = f"Time of a step without a compiler over time with one; {columns.where(found, answers)}"
    return Made([finding], [html.table(caption, header, rows, "evidence")])


TABLES: dict[str, Callable[[Found, Section, str], Made]] = {
    "sizes": sizes,
    "times": times,
    "means": means,
    "first": first,
    "scores": scores,
    "totals": totals,
    "modes": modes,
}


def parameters(section: Section) -> Markup:
    """Return a table of how many parameters the networks have here; it belongs to no machine."""
    rows = [(with_bounds(workload_title(name), name), f"{_parameters(name):,}") for name in _known(section)]
    return html.table("Parameters as stated and checked here", ("network", "parameters"), rows, "counts")


def missing(found: Found, section: Section) -> list[Markup]:
    """Return a sentence for each network that this project has no file for or, on a machine, no result."""
    known = _known(section)
    absent = [f"{name} is not among this project's workloads yet." for name in section.workloads if name not in known]
    unmeasured = [
        f"{workload_title(name)} was not measured on {machine}."
        for machine in found.results.machines
        for name in known
        if not found.of(machine, name)
    ]
    return [gap(sentence) for sentence in (*absent, *unmeasured, *section.gaps)]


def gap(sentence: str) -> Markup:
    """Return why there is nothing."""
    return html.paragraph(sentence, "missing")


def _known(section: Section) -> list[str]:
    names = registry.workload_names()
    return [name for name in section.workloads if name in names]


def _answers(found: Found, section: Section, machine: str) -> list[list[Estimates]]:
    """Return the answers to each of the section's networks that has any."""
    return [own for own in (found.of(machine, name) for name in _known(section)) if own]


def _blocks(found: Found, section: Section, machine: str) -> list[list[Estimates]]:
    answers = [each for own in _answers(found, section, machine) for each in own]
    return together.blocks(together.best(answers))


def _trained(found: Found, section: Section, machine: str) -> list[Estimates]:
    chosen = [each for own in _answers(found, section, machine) for each in together.best(own)]
    return [each for each in chosen if each.question.task in EPOCHS and each.measured]


def _like_the_first(answers: Sequence[Estimates]) -> list[Estimates]:
    kind = together.kind(answers[0].question)
    return [each for each in answers if together.kind(each.question) == kind]


def _leading(answers: Sequence[Estimates]) -> list[str]:
    """Return who is first: of one question, or in how many of several."""
    if len(answers) < 2:
        return [f"{workload_title(each.question.workload)}: {words.leaders(each)}" for each in answers]
    ranked = [each for each in answers if words.can_rank(each)]
    if not ranked:
        return [NO_INTERVAL]
    counts = Counter(f"{cell.title} ({cell.row[1]})" for each in ranked for cell in each.measured if cell.rank == 1)
    best = words.listing(f"{name} in {number}" for name, number in counts.most_common(3))
    return [f"First or tied for first in {words.count(len(ranked), 'question')}: {best}."]


def _times(found: Found, block: Sequence[Estimates], per_samples: int | None) -> Markup:
    """Return the times of one network: a row for each competitor, a column for each batch size and optimiser."""
    about = block[0].question
    samples = per_samples if about.task in STEPS else None
    scaled = [columns.scaled(each, samples / each.question.batch_size) if samples else each for each in block]
    parts = {columns.facet(each.question.optimizer, each.question.batch_size): each for each in scaled}
    unit = columns.unit_of(scaled)
    per = f"{samples:,} samples" if samples else words.PER[about.task]
    caption = (
        f"{workload_title(about.workload)}: time per {per} ({unit.name}), {words.TASKS[about.task]}"
        f"{words.data(about)}; {columns.where(found, block)}. Small print: 99 % interval and rank."
    )
    return columns.table(caption, parts, unit)


def _means(found: Found, block: Sequence[Estimates], parts: dict[str, Estimates]) -> Markup:
    about, unit = block[0].question, columns.unit_of(list(parts.values()))
    caption = (
        f"Mean time per {words.PER[about.task]} ({unit.name}) over {columns.facets(block)}, {words.TASKS[about.task]}; "
        f"{columns.where(found, block)}. Small print: 99 % interval and rank."
    )
    return columns.table(caption, parts, unit)


def _scores(found: Found, answer: Estimates) -> Markup:
    about = answer.question
    known = {each.row: each for each in training.summaries(found.results.runs, answer)}
    titled = [(cell, known[cell.row]) for cell in answer.measured if cell.row in known]
    rows = [
        (competitor(cell.title, cell.row, cell.is_default), words.digits(own.final), own.agreement, own.to_target)
        for cell, own in titled
    ]
    caption = (
        f"{workload_title(about.workload)}: {titled[0][1].score} after the last epoch{words.data(about)}, a mean over "
        f"rounds, and whether it agrees with the fastest competitor's; {columns.where(found, [answer])}"
    )
    return html.table(caption, ("environment and mode", "score", "agreement", "steps to the target"), rows, "answers")


def _total(found: Found, answer: Estimates) -> Markup:
    about, problem = answer.question, registry.workload(answer.question.workload)
    if about.data != getattr(problem, "DATASET", None):
        return gap("A stand-in for the data set was trained on: its whole training is not the article's.")
    runs = together.runs_of(found.results.runs, about)
    done = {len(seconds) for seconds in runs.loc[runs["step_s"].notna(), "epoch_s"]}
    if done != {problem.EPOCHS}:
        return gap(f"{max(done)} of the article's {problem.EPOCHS} epochs were run: the whole training is not known.")
    whole = together.pooled(found.results, [answer], together.training_s)
    unit = columns.unit_of([whole])
    caption = (
        f"{workload_title(about.workload)}: time of the whole training ({unit.name}), {problem.EPOCHS} epochs without "
        f"evaluations; {columns.where(found, [answer])}. Small print: 99 % interval and rank."
    )
    return columns.table(caption, {columns.facet(about.optimizer, about.batch_size): whole}, unit)
