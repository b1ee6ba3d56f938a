"""Draw the figures of all machines, and keep each until its data, its looks or its code change."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

from analysis import articles, drawing, earlier, figures, kept, over_time, sets
from analysis.campaigns import READER, Campaign
from analysis.drawing import Picture
from analysis.estimates import Estimates
from analysis.sets import Compared, Set
from analysis.table import Results
from bench import registry
from bench.cases import STEPS
from bench.plausible import Context

MANY = 8  # new figures: fewer are drawn before other processes have begun
AT_ONCE = 32  # figures whose data are given to other processes: those of all would fill the memory
NOTHING_KNOWN = Context(None, 0, {}, {}, {}, {})


Key = tuple[str, str, str]  # figure, workload or article or "", machine


class Drawn(NamedTuple):
    """A figure's files, its size in CSS pixels and its words; or nothing but the reason why there is none."""

    svg: str | None
    csv: str | None
    size: tuple[int, int] | None
    words: str


class Wanted(NamedTuple):
    """A figure of one machine: what it is about, and all that it depends on."""

    name: str
    machine: str
    answers: list[Estimates]
    questions: list[earlier.Key]
    looks: dict[str, Any]  # of the environments: their records
    inputs: list[str]

    @property
    def sources(self) -> list[str]:
        """The code that draws it, and that says what of: another figure's, or a page's, is none of it."""
        return [f"analysis/figures/{self.name}.py", "analysis/pictures.py", *READER]

    def seen(self, results: Results) -> Results:
        """Return what it is drawn from."""
        campaign = Campaign({"machine": {"name": self.machine}}, self.looks, (), None, NOTHING_KNOWN)
        return Results(results.about(self.questions).runs, {self.machine: campaign})


def draw_all(
    results: Results, answers: Sequence[Estimates], defaults: Sequence[Estimates], tell: Callable[[str], None]
) -> dict[Key, Drawn]:
    """Return every figure; only those are drawn whose data, looks or code have changed, many of them on all cores."""
    wanted = dict(_wanted(results, answers, defaults))
    new = [each for each in wanted.values() if not kept.has("figures", each.inputs, each.sources)]
    if len(new) >= MANY:
        with ProcessPoolExecutor() as processes:
            for start in range(0, len(new), AT_ONCE):
                tell(f"drawing: {start} of {len(new)} figures; {len(wanted) - len(new)} are as they were")
                batch = new[start : start + AT_ONCE]
                list(processes.map(_figure, batch, [each.seen(results) for each in batch]))
    return {key: _figure(each, results) for key, each in wanted.items()}


def _by_workload(answers: Sequence[Estimates]) -> dict[tuple[str, str], list[Estimates]]:
    found: dict[tuple[str, str], list[Estimates]] = {}
    for each in answers:
        found.setdefault((each.question.machine, each.question.workload), []).append(each)
    return found


def _wanted(
    results: Results, answers: Sequence[Estimates], defaults: Sequence[Estimates]
) -> Iterator[tuple[Key, Wanted]]:
    of_all, of_defaults = _by_workload(answers), _by_workload(defaults)
    for name, module in figures.found().items():
        tasks = getattr(module, "TASKS", STEPS)
        known = of_defaults if getattr(module, "AMONG_DEFAULTS", False) else of_all
        for about, workloads in _subjects(name, module.SCOPE).items():
            for machine in results.machines:
                own = [each for workload in workloads for each in known.get((machine, workload), ())
                        if each.question.task in tasks]  # fmt: skip
                looks = _looks(results.campaigns[machine], {cell.row[0] for each in own for cell in each.cells})
                questions = [each.question.key for each in own]
                inputs = [name, *results.came_from(questions), json.dumps(looks, sort_keys=True)]
                yield (name, about, machine), Wanted(name, machine, own, questions, looks, inputs)


def _figure(wanted: Wanted, results: Results) -> Drawn:
    """Return a figure as it was kept, or draw it."""
    module = figures.found()[wanted.name]

    def draw() -> Drawn:
        return drawn(module.draw(wanted.seen(results), wanted.answers), figures.title(module))

    return Drawn(*kept.recall("figures", wanted.inputs, draw, wanted.sources))


def _looks(campaign: Campaign, names: Collection[str]) -> dict[str, Any]:
    """Return the records of environments as figures take looks from them: without what says when they were made."""
    known = {name: campaign.environments[name] for name in sorted(names) if name in campaign.environments}
    recorded = {name: {key: value for key, value in each.items() if key not in ("campaign", "seal")}
                for name, each in known.items()}  # fmt: skip
    return {name: {**each, **drawing.of_folder(name)} for name, each in recorded.items()}


def over_campaigns(compared: Compared) -> dict[Key, Drawn]:
    """Return a figure for each framework and machine of which several campaigns have a time."""
    found = {}
    for machine in sorted({each.machine for each in compared.sets.get(sets.CAMPAIGNS, ())}):
        own = [each for each in reversed(compared.sets[sets.CAMPAIGNS]) if each.machine == machine]
        for name in registry.framework_names():
            found[over_time.NAME, name, machine] = _of_campaigns(name, own)
    return {key: each for key, each in found.items() if each.size}


def _of_campaigns(name: str, own: Sequence[Set]) -> Drawn:
    environments = [each.name for each in registry.environments().values() if each.framework == name]

    def draw() -> Drawn:
        return drawn(over_time.draw(own, environments), figures.title(over_time))

    looks = json.dumps([drawing.of_folder(each) for each in environments])
    inputs = [over_time.NAME, name, looks, *(each.campaigns[-1].source for each in own)]
    return Drawn(*kept.recall("figures", inputs, draw, ["analysis/over_time.py", "analysis/pictures.py", *READER]))


def drawn(picture: Picture, title: str) -> Drawn:
    """Return a picture's files and words."""
    if picture.figure is None:
        return Drawn(None, None, None, str(picture.reason))
    table = picture.data.to_csv(index=False, lineterminator="\n")
    return Drawn(drawing.svg(picture.figure, title, picture.alt), table, drawing.pixels(picture.figure), picture.alt)


def _subjects(figure: str, scope: str) -> dict[str, Sequence[str]]:
    """Return what a figure is drawn for, each with its workloads: a workload, an article that shows it, or all."""
    known = registry.workload_names()
    if scope == "machine":
        return {"": known}
    if scope == "workload":
        return {name: [name] for name in known}
    return {name: module.WORKLOADS for name, module in articles.asking(figure).items()}
