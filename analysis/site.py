"""Write the generated part of the website: figures with their data, and pages. The same input gives the same bytes."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from analysis import articles, control, drawing, figures, inputs, sets
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
from analysis.table import Results, read_results
from bench import proof, registry
from bench.cases import STEPS

CONTROL = "control"  # a picture of a control, where another names its figure
INCLUDED = {"contributing": "CONTRIBUTING.md", "results": "results/README.md"}

Key = tuple[str, str, str]  # figure, workload or article or "", machine


def write(results_folder: Path, output: Path) -> list[str]:
    """Write everything below `output`, remove what is no longer wanted; returns what was done, a line each."""
    results = read_results(results_folder)
    answers = estimate_all(results)
    steps = results.of(STEPS)
    defaults = _in_default_modes(steps)
    judged = control.judge_all(results_folder)
    pictures = dict(_pictures(results, answers, defaults))
    pictures.update(_control_pictures(judged))
    machines = sorted({*results.machines, *judged})
    files: dict[str, str] = {}
    saved: dict[Key, Saved | str] = {}
    for key, picture in pictures.items():
        saved[key] = _saved(key, picture, machines)
        files.update(_picture_files(key, picture, saved[key]))
    found = Found(
        results,
        answers,
        defaults,
        judge_all(steps),
        proof.matrix(str(results_folder / "parity")),
        saved,
        judged,
        sets.compare_all(results, answers),
    )
    files.update(pages(found))
    written = sum(drawing.write_if_changed(output / name, content) for name, content in files.items())
    removed = _remove_others(output, files)
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


def _pictures(results: Results, answers: list[Estimates], defaults: list[Estimates]) -> Iterator[tuple[Key, Picture]]:
    for name, module in figures.found().items():
        tasks = getattr(module, "TASKS", STEPS)
        known = defaults if getattr(module, "AMONG_DEFAULTS", False) else answers
        for about, workloads in _subjects(name, module.SCOPE).items():
            for machine in results.machines:
                own = [each for workload in workloads for each in known if each.question.workload == workload
                       and each.question.machine == machine and each.question.task in tasks]  # fmt: skip
                yield (name, about, machine), module.draw(results, own)


def _control_pictures(judged: Mapping[str, Mapping[str, Control]]) -> Iterator[tuple[Key, Picture]]:
    for machine, each in judged.items():
        for name, one in each.items():
            yield (CONTROL, name, machine), one.picture


def _subjects(figure: str, scope: str) -> dict[str, Sequence[str]]:
    """Return what a figure is drawn for, each with its workloads: a workload, an article that shows it, or all."""
    known = registry.workload_names()
    if scope == "machine":
        return {"": known}
    if scope == "workload":
        return {name: [name] for name in known}
    return {name: module.WORKLOADS for name, module in articles.asking(figure).items()}


def _saved(key: Key, picture: Picture, machines: list[str]) -> Saved | str:
    """Return a picture's file and size; names come from the registry, machines are numbered."""
    if picture.figure is None:
        return str(picture.reason)
    name, about, machine = key
    parts = [name, about, str(machines.index(machine) + 1)]
    return Saved("-".join(part for part in parts if part), drawing.pixels(picture.figure), picture.alt)


def _picture_files(key: Key, picture: Picture, saved: Saved | str) -> Mapping[str, str]:
    if picture.figure is None or isinstance(saved, str):
        return {}
    name, about, _ = key
    title = control.about(control.found()[about]).title if name == CONTROL else figures.title(figures.found()[name])
    return {
        f"figures/{saved.name}.svg": drawing.svg(picture.figure, title, picture.alt),
        f"figures/{saved.name}.csv": picture.data.to_csv(index=False, lineterminator="\n"),
    }


def _remove_others(output: Path, wanted: Mapping[str, str]) -> int:
    present = [path for path in output.rglob("*") if path.is_file() and path.name != inputs.STAMP]
    unwanted = [path for path in present if path.relative_to(output).as_posix() not in wanted]
    for path in unwanted:
        path.unlink()
    return len(unwanted)
