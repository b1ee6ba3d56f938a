"""What this project has beside an article's numbers: tables, all of one machine; a Gap where a kind has none."""

import math
from collections.abc import Callable, Sequence
from statistics import median

from analysis import units
from analysis.articles import Section
from analysis.estimate import aggregate, measures, training
from analysis.estimate.contrasts import Contrast, compiling_contrasts, left_out
from analysis.estimate.estimates import Estimates
from analysis.figures import mean_time
from analysis.site.pages import Found, columns, competitor, feeding, gaps, loops, startup, with_bounds
from analysis.text import html, sentences
from analysis.text.html import Markup
from analysis.units import workload_title
from bench import registry
from bench.cases import STEPS

NO_MEAN = "These networks were not measured at the same batch sizes and optimisers, so a mean over them is not fair."
NO_EPOCHS = "None of these networks was trained over data on this machine, so it has no first epoch."
NO_LOOPS = "No environment trained one of these networks both by its own loop and by hand on this machine."
NO_FEEDING = "None of these networks was fed with photographs yet."
NO_USE = "No network was fed beside a GPU yet."
NO_CONTRAST = "No environment ran one of these networks both with and without a compiler on this machine."


Tables = list[Markup]


def _parameters(name: str) -> int:
    return int(registry.workload(name).PARAMETERS)


def times(found: Found, section: Section, machine: str) -> Tables:
    """Give each network a table of times: competitors by batch size and optimiser."""
    chosen = [aggregate.best_or_first(own) for own in gaps.by_network(found, section, machine)]
    return [_times(found, block, section.per_samples) for own in chosen for block in aggregate.blocks(own)]


def means(found: Found, section: Section, machine: str) -> Tables:
    """Give a table of means over batch sizes and optimisers: competitors by network, and over all networks."""
    made: Tables = []
    for block in _blocks(found, section, machine):
        parts = {mean_time.title(name): each for name, each in aggregate.means(found.results, block).items()}
        made.append(_means(found, block, parts) if parts else gaps.gap(NO_MEAN))
    return made


def first(found: Found, section: Section, machine: str) -> Tables:
    """Give how many times as long a first epoch takes as a later one, and its parts."""
    made: Tables = []
    for block in aggregate.blocks(aggregate.over_data(gaps.answers(found, section, machine))):
        ratios = aggregate.means(found.results, block, measures.first_to_later)
        about = f"{_data(block)}; {columns.where(found, block)}"
        if any(cell.time for each in ratios.values() for cell in each.measured):
            over = f"mean over {columns.facets(found, block)}{about}"
            caption = f"First epoch, compiler caches emptied, over a later one, of the whole data set; {over}"
            parts = {mean_time.title(name): each._replace(pairs=[]) for name, each in ratios.items()}  # no ranks
            made.append(columns.table(f"{caption}. Small print: 99 % interval.", parts, units.RATIO))
        made.extend(
            startup.table(found, own, f"The parts of the start, {columns.facet(*facet)}{about}")
            for facet, own in aggregate.facets([each for each in block if each.measured]).items()
        )
    return made or [gaps.gap(NO_EPOCHS)]


def _data(block: Sequence[Estimates]) -> str:
    """Return which data sets a block was trained on, with a comma before them."""
    return "".join(sorted({sentences.data(each.question) for each in block}))


def scores(found: Found, section: Section, machine: str) -> Tables:
    """Give each network that was trained over data a table of what it reached."""
    return [_scores(found, each) for each in _trained(found, section, machine)]


def totals(found: Found, section: Section, machine: str) -> Tables:
    """Give the time of a whole training where it is the article's: its data set, and all its epochs."""
    return [_total(found, each) for each in _trained(found, section, machine)]


def modes(found: Found, section: Section, machine: str) -> Tables:
    """Give a table of what compiling is worth in each environment that runs both ways."""
    answers = gaps.answers(found, section, machine)
    asked = found.results.about([each.question.key for each in answers]).of(STEPS)
    contrasts = compiling_contrasts(asked, "step_s")
    if not contrasts:
        return [gaps.gap(NO_CONTRAST)]
    cold = asked._replace(runs=asked.runs[asked.runs["cache"] == "cold"])
    firsts = {each.key: each for each in compiling_contrasts(cold, "first_step_s")}
    rows = [(*sentences.contrast(each), *units.ratio_cells(each.ratio), _break_even(each, firsts.get(each.key)))
            for each in contrasts]  # fmt: skip
    header = ("network", "question", "environment", "modes", "ratio", "99 % interval", "rounds", "steps until it pays")
    caption = (
        f"Time of a step without a compiler over time with one; {columns.where(found, answers)}. Compiling pays once "
        f"the longer first step is earned back.{left_out(asked)}"
    )
    return [html.table(caption, header, rows, "evidence")]


def _break_even(step: Contrast, first: Contrast | None) -> str:
    """Return after how many steps the longer first step is earned back, or "never"; a dash if that is not known."""
    if first is None:
        return units.NONE
    price, gain = (median(slow.values) - median(fast.values)
                   for slow, fast in ((first.compiling, first.plain), (step.plain, step.compiling)))  # fmt: skip
    if price <= 0:
        return "0"
    return f"{math.ceil(price / gain):,}" if gain > 0 else "never"


def both_loops(found: Found, section: Section, machine: str) -> Tables:
    """Give a table of what the framework's own training loop costs against the one written by hand."""
    return [loops.table(found, gaps.answers(found, section, machine)) or gaps.gap(NO_LOOPS)]


def fed(found: Found, section: Section, machine: str) -> Tables:
    """Give each network that was fed a table of loaders by environment."""
    answers = feeding.answers(found, section.workloads, machine)
    return [feeding.table(found, each) for each in answers] or [gaps.gap(NO_FEEDING)]


def use(found: Found, section: Section, machine: str) -> Tables:
    """Give each network that was fed beside a GPU a table of for how much of the time each loader kept it at work."""
    known = [feeding.use(found, each) for each in feeding.answers(found, section.workloads, machine)]
    return [each[1] for each in known if each] or [gaps.gap(NO_USE)]


TABLES: dict[str, Callable[[Found, Section, str], Tables]] = {
    "times": times,
    "means": means,
    "first": first,
    "scores": scores,
    "totals": totals,
    "modes": modes,
    "loops": both_loops,
    "feeding": fed,
    "use": use,
}


def parameters(section: Section) -> Markup:
    """Return a table of how many parameters the networks have here; it belongs to no machine."""
    rows = [(with_bounds(workload_title(name), name), f"{_parameters(name):,}") for name in gaps.networks(section)]
    return html.table("Parameters as stated and checked here", ("network", "parameters"), rows, "counts")


def _blocks(found: Found, section: Section, machine: str) -> list[list[Estimates]]:
    return aggregate.blocks(aggregate.best(gaps.answers(found, section, machine)))


def _trained(found: Found, section: Section, machine: str) -> list[Estimates]:
    chosen = [each for own in gaps.by_network(found, section, machine) for each in aggregate.over_data(own)]
    return [each for each in chosen if each.measured]


def _times(found: Found, block: Sequence[Estimates], per_samples: int | None) -> Markup:
    """Return the times of one network: a row for each competitor, a column for each batch size and optimiser."""
    about = block[0].question
    samples = per_samples if about.task in STEPS else None
    scaled = [columns.scaled(each, samples / each.question.batch_size) if samples else each for each in block]
    parts = {columns.facet(each.question.optimizer, each.question.batch_size): each for each in scaled}
    unit = columns.unit_of(scaled)
    per = f"{samples:,} samples" if samples else sentences.PER[about.task]
    caption = (
        f"{workload_title(about.workload)}: time per {per} ({unit.name}), {sentences.TASKS[about.task]}"
        f"{sentences.data(about)}; {columns.where(found, block)}. Small print: 99 % interval and rank."
    )
    return columns.table(caption, parts, unit)


def _means(found: Found, block: Sequence[Estimates], parts: dict[str, Estimates]) -> Markup:
    about, unit = block[0].question, columns.unit_of(list(parts.values()))
    caption = (
        f"Mean time per {sentences.PER[about.task]} ({unit.name}) over {columns.facets(found, block)}, "
        f"{sentences.TASKS[about.task]}; {columns.where(found, block)}. Small print: 99 % interval and rank."
    )
    return columns.table(caption, parts, unit)


def _scores(found: Found, answer: Estimates) -> Markup:
    known = training.trained(found.results.runs, answer)
    titled = [(cell, known.summaries[cell.row]) for cell in answer.measured if cell.row in known.summaries]
    rows = [
        (
            competitor(cell.title, cell.row, cell.is_default),
            units.digits(own.final),
            own.agreement,
            training.to_target(known.scale, own),
            training.same_losses(own),
        )
        for cell, own in titled
    ]
    caption = (
        f"{workload_title(answer.question.workload)}: {known.score} after the last epoch"
        f"{sentences.data(answer.question)}, a mean over rounds, and whether it agrees with that of the others. "
        f"{training.ABOUT_SAME} "
        f"{training.judged_by(known.scale, known.score)} {columns.where(found, [answer])}"
    )
    header = ("environment and mode", "score", "agreement", "to the target", "same losses for")
    return html.table(html.safe(caption, len(caption)), header, rows, "answers")


def _total(found: Found, answer: Estimates) -> Markup:
    about, problem = answer.question, registry.workload(answer.question.workload)
    if about.data != getattr(problem, "DATASET", None):
        return gaps.gap("A stand-in for the data set was trained on: its whole training is not the article's.")
    runs = aggregate.runs_of(found.results.runs, about)
    done = {len(seconds) for seconds in runs.loc[runs["step_s"].notna(), "epoch_s"]}
    if done != {problem.EPOCHS}:
        return gaps.gap(
            f"{max(done)} of {problem.EPOCHS} epochs were run: the time of the whole training is not known."
        )
    whole = aggregate.pooled(found.results, [answer], measures.training_s)
    unit = columns.unit_of([whole])
    caption = (
        f"{workload_title(about.workload)}: time of the whole training ({unit.name}), {problem.EPOCHS} epochs without "
        f"evaluations; {columns.where(found, [answer])}. Small print: 99 % interval and rank."
    )
    return columns.table(caption, {columns.facet(about.optimizer, about.batch_size): whole}, unit)
