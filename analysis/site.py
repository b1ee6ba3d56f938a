"""Write the generated part of the website: figures with their data, and pages. The same input gives the same bytes."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from analysis import articles, control, drawing, figures, inputs, kept
from analysis.control import Control
from analysis.drawing import Picture, Saved
from analysis.estimates import Estimates, estimate_all
from analysis.lesson import judge_all
from analysis.pages import (
    Found,
    article,
    controls,
    explorer,
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

NOTHING_KNOWN = Context(None, 0, {}, {}, {}, {})

Key = tuple[str, str, str]  # figure, workload or article or "", machine


class Drawn(NamedTuple):
    """A figure's files, its size in CSS pixels and its words; or nothing but the reason why there is none."""

    svg: str | None
    csv: str | None
    size: tuple[int, int] | None
    words: str


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
    tell("drawing")
    machines = sorted({*results.machines, *judged})
    drawn = {**_figures(results, answers, tell), **_control_figures(judged)}
    saved = {key: _saved(key, each, machines) for key, each in drawn.items()}
    tell("writing pages")
    files = pages(Found(results, answers, defaults, lessons, matrix, saved, judged))
    for key, each in drawn.items():
        files.update(_figure_files(each, saved[key]))
    written = sum(drawing.write_if_changed(output / name, content) for name, content in files.items())
    removed = _remove_others(output, files)
    kept.forget_unused()
    return [f"{len(files)} generated files: {written} written, {removed} removed, the rest unchanged"]


def pages(found: Found) -> dict[str, str]:
    """Return the generated pages and fragments by file name."""
    fragments = {
        "controls": controls,
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


def _figures(results: Results, answers: Sequence[Estimates], tell: Callable[[str], None]) -> dict[Key, Drawn]:
    """Return every figure; only those are drawn whose data, looks or code have changed."""
    asked = [
        (name, module, about, workloads, machine)
        for name, module in figures.found().items()
        for about, workloads in _subjects(name, module.SCOPE).items()
        for machine in results.machines
    ]
    of_workload: dict[tuple[str, str], list[Estimates]] = {}
    for each in answers:
        of_workload.setdefault((each.question.machine, each.question.workload), []).append(each)
    found: dict[Key, Drawn] = {}
    for number, (name, module, about, workloads, machine) in enumerate(asked):
        tasks = getattr(module, "TASKS", STEPS)
        own = [each for workload in workloads for each in of_workload.get((machine, workload), ())
               if each.question.task in tasks]  # fmt: skip
        tell(f"drawing: {number} of {len(asked)} figures")
        found[name, about, machine] = _figure(module, results, own, machine)
    return found


def _figure(module: ModuleType, results: Results, own: Sequence[Estimates], machine: str) -> Drawn:
    questions = [each.question.key for each in own]
    looks = _looks(results.campaigns[machine], {cell.row[0] for each in own for cell in each.cells})
    inputs = [module.__name__, *results.came_from(questions), json.dumps(looks, sort_keys=True)]

    def draw() -> Drawn:
        campaign = Campaign({"machine": {"name": machine}}, looks, (), None, NOTHING_KNOWN)
        seen = Results(results.about(questions).runs, {machine: campaign})
        return _drawn(module.draw(seen, own), figures.title(module))

    return Drawn(*kept.recall("figures", inputs, draw))


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
