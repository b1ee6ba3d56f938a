"""The figures that pages of networks and the home page show: slow-downs by machine, and by kind of network."""

import functools
from collections.abc import Iterator, Sequence

from analysis import units
from analysis.estimate import standing
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.figures import slowdowns, style
from analysis.figures.slowdowns import Line, Mark
from analysis.figures.style import Look
from analysis.plugins import title
from analysis.site import render
from analysis.site.pages import Found, kinds
from analysis.site.render import Drawn, Key, Wanted
from analysis.text import sentences
from bench import registry

HOME: Key = (slowdowns.NAME, "", "")
BY_MACHINE, BY_KIND = "time as a multiple of the fastest (99 % interval)", "time as a multiple of the fastest (range)"


def wanted(found: Found) -> dict[Key, Wanted]:
    """Return the figure of each network that was measured, and that of the home page."""
    own = {(slowdowns.NAME, name, ""): (_of_workload(found, name), BY_MACHINE) for name in registry.workload_names()}
    every = {**own, HOME: (_of_kinds(found), BY_KIND)}
    return {key: _wanted(lines, unit) for key, (lines, unit) in every.items() if lines}


def _wanted(lines: Sequence[Line], unit: str) -> Wanted:
    draw = functools.partial(_draw, lines, unit)
    return Wanted([repr((lines, unit))], render.sources(f"figures/{slowdowns.NAME}"), lambda: draw)


def _draw(lines: Sequence[Line], unit: str) -> Drawn:
    return render.drawn(slowdowns.draw(lines, unit), title(slowdowns.__doc__))


def _of_workload(found: Found, name: str) -> list[Line]:
    return [Line(f"{found.names[each.machine]}\n{conditions(answer)}{_few(found, each.machine)}", marks)
            for each in standing.standings(found.defaults, list(found.names), name) for answer in each.answers
            if (marks := list(_marks(found, answer)))]  # fmt: skip


def _few(found: Found, machine: str) -> str:
    """Return that a machine has a single campaign, which says less than many."""
    return "\n1 campaign" if len(found.campaigns(machine)) == 1 else ""


def conditions(answer: Estimates) -> str:
    """Return what a row's numbers depend on: precision, batch size and threads."""
    about = answer.question
    threads = [] if about.device == "gpu" else [units.count(about.threads, "thread")]
    return ", ".join([about.precision, f"batch {about.batch_size}", *threads])


def _marks(found: Found, answer: Estimates) -> Iterator[Mark]:
    if len(answer.measured) < 2:
        return
    known = standing.slow_downs(answer)
    for cell in sorted(answer.measured, key=lambda each: place(standing.family(each.title))):
        ratio = cell.to_fastest.ratio if cell.to_fastest else None
        value = known[standing.family(cell.title)]
        low, high = ratio.bounds if ratio and ratio.low is not None else (value, value)
        yield Mark(standing.family(cell.title), _look(found, answer, cell), value, low, high)


def _look(found: Found, answer: Estimates, cell: Cell) -> Look:
    """Return how a family looks: as its environment by default does, whatever version was measured."""
    known = {standing.family(each.title): each.name for each in registry.environments().values() if each.is_default}
    name = known.get(standing.family(cell.title), cell.row[0])
    return style.look_of(name, found.results.environment(answer.question.machine, cell.row[0]), True)


def place(name: str) -> tuple[int, str]:
    """Return where a family comes in tables and legends: those measured by default first, in the registry's order."""
    known = standing.families()
    return known.index(name) if name in known else len(known), name


def _of_kinds(found: Found) -> list[Line]:
    """Return a row for each kind of network on each kind of device: the very cells of the home page's table."""
    return [Line(f"{row.kind}\n{row.device}", [
                Mark(name, style.look_of(_default(name), None, True), None, row.ranges[name].low, row.ranges[name].high)
                for name in sorted(row.ranges, key=place)])
            for row in kinds.grid(found)]  # fmt: skip


def _default(name: str) -> str:
    own = (each.name for each in registry.environments().values() if standing.family(each.title) == name)
    return next(own, name)


def described(answer: Estimates) -> str:
    """Return a question's conditions with its task and optimiser, for the title of a table."""
    about = answer.question
    optimizer = [] if about.optimizer == "none" else [about.optimizer]
    return ", ".join([sentences.TASKS[about.task], conditions(answer), *optimizer])
