"""Write the generated part of the website: figures with their data, and pages. The same input gives the same bytes."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from analysis import articles, control, drawing, figures, inputs, kept, sets, table
from analysis.control import Control
from analysis.drawing import Picture, Saved
from analysis.estimates import Estimates, estimate_all
from analysis.lesson import judge_all
from analysis.pages import (
    Found,
    article,
    changes,
    checked,
    compare,
    controls,
    coverage,
    explorer,
    framework,
    home,
    included,
    lessons,
    machines,
    parity,
    rosetta,
    workload,
)
from analysis.table import Campaign, Results, read_results
from bench import proof, registry
from bench.cases import STEPS
from bench.parity import Comparison
from bench.plausible import Context

CONTROL = "control"  # a picture of a control, where another names its figure
INCLUDED = {"contributing": "CONTRIBUTING.md", "results": "results/README.md"}

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
    questions: list[table.Key]
    looks: dict[str, Any]  # of the environments: their records
    inputs: list[str]

    def seen(self, results: Results) -> Results:
        """Return what it is drawn from."""
        campaign = Campaign({"machine": {"name": self.machine}}, self.looks, (), None, NOTHING_KNOWN)
        return Results(results.about(self.questions).runs, {self.machine: campaign})


def write(results_folder: Path, output: Path, tell: Callable[[str], None] = lambda _: None) -> list[str]:
    """Write everything below `output`, remove what is no longer wanted; returns what was done, a line each.

    `tell` hears what begins, while it takes long.
    """
    tell("reading")
    results = read_results(results_folder)
    tell("estimating")
    answers = estimate_all(results)
    defaults = _in_default_modes(results.of(STEPS))
    tell("judging")
    judged = control.judge_all(results_folder)
    lessons = judge_all(results.of(STEPS))
    matrix = _matrix(results_folder / "parity")
    tell("comparing")
    compared = sets.compare_all(results, answers)
    tell("drawing")
    machines = sorted({*results.machines, *judged})
    drawn = {**_figures(results, answers, defaults, tell), **_control_figures(judged)}
    saved = {key: _saved(key, each, machines) for key, each in drawn.items()}
    tell("writing pages")
    files = pages(Found(results, answers, defaults, lessons, matrix, saved, judged, compared))
    for key, each in drawn.items():
        files.update(_figure_files(each, saved[key]))
    written = sum(drawing.write_if_changed(output / name, content) for name, content in files.items())
    removed = _remove_others(output, files)
    kept.forget_unused()
    return [f"{len(files)} generated files: {written} written, {removed} removed, the rest unchanged"]


def pages(found: Found) -> dict[str, str]:
    """Return the generated pages and fragments by file name."""
    fragments = {
        "compare": compare,
        "changes": changes,
        "checked": checked,
        "controls": controls,
        "coverage": coverage,
        "explorer": explorer,
        "home": home,
        "lessons": lessons,
        "machines": machines,
        "parity": parity,
        "rosetta": rosetta,
    }
    files = {f"fragments/{name}.md": module.page(found) for name, module in fragments.items()}
    files.update((f"fragments/{name}.md", included.page(path)) for name, path in INCLUDED.items())
    files.update((f"fragments/articles/{name}.md", text) for name, text in article.fragments(found).items())
    files[explorer.DATA] = explorer.data(found)
    files[compare.DATA] = compare.data(found)
    files.update((f"machines/{number}.md", text) for number, text in enumerate(machines.pages(found), 1))
    files["frameworks/index.md"] = framework.index(found)
    files.update((f"frameworks/{name}.md", framework.page(found, name)) for name in registry.framework_names())
    files["workloads/index.md"] = workload.index()
    for name in registry.workload_names():
        files[f"workloads/{name}.md"] = workload.page(found, name)
        files[f"rosetta/{name}.md"] = rosetta.workload_page(found, name)
    return files


def _in_default_modes(results: Results) -> list[Estimates]:
    return estimate_all(results._replace(runs=results.runs[results.runs["is_default"] == True]))  # noqa: E712


def _matrix(answers: Path) -> list[dict[str, Any]]:
    """Return the rows of bench.proof.matrix."""
    rows = kept.recall("matrix", [kept.folder(answers)], lambda: proof.matrix(str(answers)), ("bench",))
    return [{**row, "comparison": row["comparison"] and Comparison(*row["comparison"])} for row in rows]


def _figures(
    results: Results, answers: Sequence[Estimates], defaults: Sequence[Estimates], tell: Callable[[str], None]
) -> dict[Key, Drawn]:
    """Return every figure; only those are drawn whose data, looks or code have changed, many of them on all cores."""
    wanted = dict(_wanted(results, answers, defaults))
    new = [each for each in wanted.values() if not kept.has("figures", each.inputs)]
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
        return _drawn(module.draw(wanted.seen(results), wanted.answers), figures.title(module))

    return Drawn(*kept.recall("figures", wanted.inputs, draw))


def _looks(campaign: Campaign, names: Collection[str]) -> dict[str, Any]:
    """Return the records of environments, without what says when they were made: figures take looks from them."""
    known = {name: campaign.environments[name] for name in sorted(names) if name in campaign.environments}
    return {name: {key: value for key, value in each.items() if key not in ("campaign", "seal")}
            for name, each in known.items()}  # fmt: skip


def _control_figures(judged: Mapping[str, Mapping[str, Control]]) -> dict[Key, Drawn]:
    titles = {name: control.about(module).title for name, module in control.found().items()}
    return {(CONTROL, name, machine): _drawn(one.picture, titles[name])
            for machine, each in judged.items() for name, one in each.items()}  # fmt: skip


def _drawn(picture: Picture, title: str) -> Drawn:
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


def _saved(key: Key, drawn: Drawn, machines: list[str]) -> Saved | str:
    """Return a figure's file and size; names come from the registry, machines are numbered."""
    if drawn.size is None:
        return drawn.words
    name, about, machine = key
    parts = [name, about, str(machines.index(machine) + 1)]
    width, height = drawn.size
    return Saved("-".join(part for part in parts if part), (width, height), drawn.words)


def _figure_files(drawn: Drawn, saved: Saved | str) -> dict[str, str]:
    if drawn.svg is None or drawn.csv is None or isinstance(saved, str):
        return {}
    return {f"figures/{saved.name}.svg": drawn.svg, f"figures/{saved.name}.csv": drawn.csv}


def _remove_others(output: Path, wanted: Mapping[str, str]) -> int:
    present = [path for path in output.rglob("*") if path.is_file() and path.name != inputs.STAMP]
    unwanted = [path for path in present if path.relative_to(output).as_posix() not in wanted]
    for path in unwanted:
        path.unlink()
    return len(unwanted)
