"""Write the generated part of the website: figures with their data, and pages. The same input gives the same bytes."""

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis import articles, cache, data, inputs
from analysis import controls as control
from analysis.compare import unpaired
from analysis.estimate import lineage
from analysis.estimate.estimates import Estimates, estimate_all
from analysis.figures import style
from analysis.figures.style import Saved
from analysis.lessons import Lesson, by_source, judge_all, picture
from analysis.load.table import read_results
from analysis.site import render
from analysis.site.pages import (
    Found,
    article,
    changes,
    compare,
    controls,
    coverage,
    data_files,
    framework,
    home,
    lessons,
    machines,
    parity,
    results,
    rosetta,
    then_and_now,
    workload,
)
from analysis.site.render import Drawn, Key, Wanted
from analysis.text import html
from bench import proof, registry
from bench.cases import FED, STEPS
from bench.parity import Comparison

FRAGMENTS = (changes, compare, controls, coverage, data_files, home, lessons, machines, parity, results, rosetta,
             then_and_now)  # fmt: skip
NO_TABLE = pd.DataFrame()  # a picture needs none
PROVER = ("bench/proof.py", "bench/hashes.py", "bench/proof_hashes.py", "bench/migration.py",
          "bench/proof_versions.csv", "bench/workloads")  # fmt: skip


def write(results_folder: Path, output: Path, tell: Callable[[str], None] = lambda _: None) -> list[str]:
    """Write everything below `output`, remove what is no longer wanted; returns what was done, a line each.

    `tell` hears which part begins, and how far it is, as in "drawing: 3 of 8".
    """
    tell("reading")
    results = read_results(results_folder)
    tell("estimating")
    answers, changed = estimate_all(results), estimate_all(results.ablations)
    in_defaults = defaults(answers)
    tell("judging")
    judged, lessons = control.judge_all(results_folder), judge_all(results, answers)
    tell("comparing")
    compared = unpaired.compare_all(results, answers)
    tell("drawing")
    wanted = {**render.of_results(results, [*answers, *_fed(changed)], in_defaults, compared), **_of_lessons(lessons)}
    matrix = functools.partial(_matrix, results_folder / "parity")
    drawn = render.draw_all(wanted, tell, [matrix])
    saved = {key: _saved(key, each) for key, each in drawn.items()}
    tell("writing pages")
    files = pages(Found(results, answers, in_defaults, lessons, matrix(), saved, judged, compared, changed))
    for key, each in drawn.items():
        files.update(_figure_files(each, saved[key]))
    written = sum(style.write_if_changed(output / name, content) for name, content in files.items())
    removed = _remove_others(output, files)
    cache.forget_unused()
    return [f"{len(files)} generated files: {written} written, {removed} removed, the rest unchanged"]


def pages(found: Found) -> dict[str, str]:
    """Return the generated pages and fragments by file name."""
    files = {f"fragments/{each.__name__.rpartition('.')[2]}.md": each.page(found) for each in FRAGMENTS}
    files.update((f"fragments/articles/{name}.md", text) for name, text in article.fragments(found).items())
    files.update(data.files(found))
    files.update(results.data(found))
    files.update(compare.data(found))
    files.update((f"machines/{name}.md", text) for name, text in machines.pages(found).items())
    files["frameworks/index.md"] = framework.index(found)
    files.update((f"frameworks/{name}.md", framework.page(found, name)) for name in registry.framework_names())
    files["workloads/index.md"] = workload.index(found)
    for name in registry.workload_names():
        files[f"workloads/{name}.md"] = workload.page(found, name)
        files[f"rosetta/{name}.md"] = rosetta.workload_page(found, name)
    return files


def defaults(answers: Sequence[Estimates]) -> list[Estimates]:
    """Return the answers on one batch in default modes of today's versions, without those that have none."""
    found = (lineage.of_today(each) for each in answers if each.question.task in STEPS)
    return [each for each in found if each.cells]


def _fed(changed: Sequence[Estimates]) -> list[Estimates]:
    """Return the answers about what loaders bring, which have figures as those of no other ablation have."""
    return [each for each in changed if each.question.task in FED]


def _matrix(answers: Path) -> list[dict[str, Any]]:
    """Return the rows of bench.proof.matrix."""
    rows = cache.recall("matrix", [cache.folder(answers)], lambda: proof.matrix(str(answers)), PROVER)
    return [{**row, "comparison": row["comparison"] and Comparison(*row["comparison"])} for row in rows]


def _of_lessons(judged: Sequence[Lesson]) -> dict[Key, Wanted]:
    """Return a figure of each article's claims, under its name."""
    of_source = by_source(judged)
    return {("lessons", name, ""): _of_claims([each._replace(evidence=NO_TABLE) for each in of_source[module.SOURCE]])
            for name, module in articles.found().items() if module.SOURCE in of_source}  # fmt: skip


def _of_claims(judged: Sequence[Lesson]) -> Wanted:
    inputs = [repr(each._replace(evidence=None)) for each in judged]
    return Wanted(inputs, render.sources("lessons/picture"), lambda: functools.partial(_drawn_claims, judged))


def _drawn_claims(judged: Sequence[Lesson]) -> Drawn:
    return render.drawn(picture.draw(judged), "What claims came to")


def _saved(key: Key, drawn: Drawn) -> Saved | str:
    """Return a figure's file and size; names come from the registry, a hash stands for a machine's."""
    if drawn.size is None:
        return drawn.words
    name, about, machine = key
    parts = [name, about, html.slug(machine)]
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
