"""Draw the figures of all machines, and keep each until its data, its looks or its code change."""

import functools
import gc
import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import Any, NamedTuple

from analysis import articles, cache, figures
from analysis.estimate.contrasts import own_loops
from analysis.estimate.estimates import Estimates
from analysis.figures import style
from analysis.figures.style import Picture
from analysis.load.campaigns import READER, Campaign
from analysis.load.table import Results
from analysis.plugins import title
from bench import registry
from bench.cases import FED, STEPS
from bench.plausible import Context

MANY = 8  # new figures: fewer are drawn before other processes have begun
AHEAD = 32  # figures whose data other processes have: those of all would fill the memory
NOTHING_KNOWN = Context(None, 0, {}, {}, {}, {})


Key = tuple[str, str, str]  # figure, workload or article or "", machine


class Drawn(NamedTuple):
    """A figure's files, its size in CSS pixels and its words; or nothing but the reason why there is none."""

    svg: str | None
    csv: str | None
    size: tuple[int, int] | None
    words: str


class Wanted(NamedTuple):
    """A figure: all that it depends on, beside the code of `sources`; and how it begins.

    `begin` gathers what it is drawn from, and returns what draws it: here, or in another process that is given it.
    """

    inputs: list[str]
    sources: list[str]
    begin: Callable[[], Callable[[], Drawn]]

    def draw(self) -> Drawn:
        """Draw it here."""
        return self.begin()()


def draw_all(
    wanted: Mapping[Key, Wanted], tell: Callable[[str], None], beside: Sequence[Callable[[], object]] = ()
) -> dict[Key, Drawn]:
    """Return every figure; only those are drawn whose data, looks or code have changed, many of them on all cores.

    Meanwhile, other processes do the work of `beside`, whose results they keep.
    """
    places = {cache.place("figures", each.inputs, each.sources): each for each in wanted.values()}
    new = [each for place, each in places.items() if not place.exists()]
    if len(new) + len(beside) >= MANY:
        _draw_on_all_cores(new, tell, beside)
    return {key: _figure(each.inputs, each.sources, each.draw) for key, each in wanted.items()}


def _draw_on_all_cores(
    new: Sequence[Wanted], tell: Callable[[str], None], beside: Sequence[Callable[[], object]]
) -> None:
    """Draw figures in other processes, each of which has its next one waiting."""
    with ProcessPoolExecutor(initializer=gc.freeze) as processes:  # what a process is born with is never garbage
        at_work = {processes.submit(_done, work) for work in beside}
        for number, each in enumerate(new):
            at_work = _with_room(at_work, AHEAD)
            tell(f"drawing: {max(0, number - len(at_work))} of {len(new)}")
            at_work.add(processes.submit(_kept, each.inputs, each.sources, each.begin()))
        while at_work:
            tell(f"drawing: {max(0, len(new) - len(at_work))} of {len(new)}")
            at_work = _with_room(at_work, 1)


def _with_room(at_work: set[Future[None]], most: int) -> set[Future[None]]:
    """Return what is still at work, once that is less than `most`; raises what any of it failed with."""
    done: set[Future[None]] = set()
    if len(at_work) >= most:
        done, at_work = wait(at_work, return_when=FIRST_COMPLETED)
    for future in done:
        future.result()
    return at_work


def _done(work: Callable[[], object]) -> None:
    work()


def _kept(inputs: list[str], sources: list[str], draw: Callable[[], Drawn]) -> None:
    _figure(inputs, sources, draw)


def _figure(inputs: list[str], sources: list[str], draw: Callable[[], Drawn]) -> Drawn:
    """Return a figure as it was kept, or draw it."""
    return Drawn(*cache.recall("figures", inputs, draw, sources))


def kept(name: str, inputs: list[str], module: str, draw: Callable[[], Drawn]) -> Drawn:
    """Return a picture that is no figure's as it was kept, or draw it by a module of analysis/."""
    return _figure([name, *inputs], sources(module), draw)


def of_results(results: Results, answers: Sequence[Estimates], defaults: Sequence[Estimates]) -> dict[Key, Wanted]:
    """Return the figures of all machines."""
    return dict(_of_machines(results, answers, defaults))


def _by_workload(answers: Sequence[Estimates]) -> dict[tuple[str, str], list[Estimates]]:
    found: dict[tuple[str, str], list[Estimates]] = {}
    for each in answers:
        found.setdefault((each.question.machine, each.question.workload), []).append(each)
    return found


def _of_machines(
    results: Results, answers: Sequence[Estimates], defaults: Sequence[Estimates]
) -> Iterator[tuple[Key, Wanted]]:
    of_all, of_defaults = _by_workload(answers), _by_workload(defaults)
    settled = {id(each): _settled(each) for each in (*answers, *defaults)}
    for name, module in figures.found().items():
        tasks = getattr(module, "TASKS", STEPS)
        known = of_defaults if getattr(module, "AMONG_DEFAULTS", False) else of_all
        for about, workloads in _subjects(name, module.SCOPE).items():
            for machine in results.machines:
                own = [each for workload in workloads for each in known.get((machine, workload), ())
                        if each.question.task in tasks]  # fmt: skip
                of = results.ablations if tasks == FED else results
                looks = _looks(results, machine, {cell.row[0] for each in own for cell in each.cells})
                came_from = results.came_from([each.question.key for each in own])
                inputs = [name, *came_from, *(settled[id(each)] for each in own), json.dumps(looks, sort_keys=True)]
                yield (
                    (name, about, machine),
                    Wanted(
                        inputs,
                        sources(f"figures/{name}"),
                        functools.partial(_begun, name, of, machine, own, looks),
                    ),
                )


def _settled(answer: Estimates) -> str:
    """Return a digest of a question's intervals and claims: its machine's other questions share their variances."""
    told = repr((answer.pairs, [cell.time for cell in answer.cells]))
    return hashlib.sha256(told.encode()).hexdigest()


def sources(module: str) -> list[str]:
    """Return the code by which a module of analysis/ draws a figure: another figure's, or a page's, is none of it."""
    return [f"analysis/{module}.py", "analysis/site/render.py", *READER]


def seen(results: Results, machine: str, answers: Sequence[Estimates], looks: Mapping[str, Any]) -> Results:
    """Return what a machine's figure of some answers is drawn from; `looks` are the records of their environments."""
    campaign = Campaign({"machine": {"name": machine}}, dict(looks), (), None, NOTHING_KNOWN)
    return Results(results.about([each.question.key for each in answers]).runs, {machine: campaign})


def _begun(
    name: str, results: Results, machine: str, answers: Sequence[Estimates], looks: Mapping[str, Any]
) -> Callable[[], Drawn]:
    return functools.partial(_drawn, name, seen(results, machine, answers, looks), answers)


def _drawn(name: str, results: Results, answers: Sequence[Estimates]) -> Drawn:
    module = figures.found()[name]
    return drawn(module.draw(results, answers), title(module.__doc__))


def _looks(results: Results, machine: str, names: Collection[str]) -> dict[str, Any]:
    """Return the records of environments as figures take looks from them: without what says when they were made.

    With them goes what a figure takes from an environment's folder here.
    """
    known = {name: record for name in sorted(names) if (record := results.environment(machine, name))}
    recorded = {name: {key: value for key, value in each.items() if key not in ("campaign", "seal")}
                for name, each in known.items()}  # fmt: skip
    return {name: {**each, **style.of_folder(name), "own_loops": own_loops(name)} for name, each in recorded.items()}


def drawn(picture: Picture, title: str) -> Drawn:
    """Return a picture's files and words."""
    if picture.figure is None:
        return Drawn(None, None, None, str(picture.reason))
    table = picture.data.to_csv(index=False, lineterminator="\n")
    return Drawn(style.svg(picture.figure, title, picture.alt), table, style.pixels(picture.figure), picture.alt)


def _subjects(figure: str, scope: str) -> dict[str, Sequence[str]]:
    """Return what a figure is drawn for, each with its workloads: a workload, an article that shows it, or all."""
    known = registry.workload_names()
    if scope == "machine":
        return {"": known}
    if scope == "workload":
        own = {each for module in articles.asking(figure).values() for section in module.SECTIONS.values()
               for each in section.workloads if figure in section.figures}  # fmt: skip
        return {name: [name] for name in known if name in own}
    return {name: module.WORKLOADS for name, module in articles.asking(figure).items()}
