"""Write the generated part of the website: figures with their data, and pages. The same input gives the same bytes."""

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from analysis import cache, data, inputs
from analysis import controls as control
from analysis.compare import unpaired
from analysis.estimate import lineage
from analysis.estimate.estimates import Estimates, estimate_all
from analysis.found import Found
from analysis.lessons import judge_all
from analysis.load.table import read_results
from analysis.site import render
from analysis.site.beyond import embed, feed
from analysis.site.pages import (
    article,
    changes,
    code,
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
    then_and_now,
    workload,
)
from bench import proof, registry
from bench.cases import STEPS
from bench.proof.parity import Comparison, Pair

FRAGMENTS = (changes, compare, controls, coverage, data_files, home, lessons, machines, parity, results,
             then_and_now)  # fmt: skip
PROVER = ("bench/proof/__init__.py", "bench/proof/proof_versions.csv", "bench/workloads")


def write(results_folder: Path, output: Path, tell: Callable[[str], None] = lambda _: None) -> list[str]:
    """Write everything below `output`, remove what is no longer wanted; returns what was done, a line each.

    `tell` hears which part begins, and how far it is, as in "drawing: 3 of 8".
    """
    tell("reading")
    results = read_results(results_folder)
    tell("estimating")
    answers, changed = estimate_all(results), estimate_all(results.ablations)
    tell("judging")
    judged, lessons = control.judge_all(results_folder), judge_all(results, answers)
    tell("comparing")
    compared = unpaired.compare_all(results, answers)
    tell("drawing")
    found = Found(results, answers, defaults(answers), lessons, controls=judged, compared=compared, changed=changed)
    matrix = functools.partial(_matrix, results_folder / "parity")
    figures = render.draw_all(render.wanted(found), tell, [matrix])
    tell("writing pages")
    found = found._replace(matrix=matrix(), pictures=render.by_page(figures))
    files = {**pages(found), **render.files(figures)}
    shown = [each for own in found.pictures.values() for each in own]
    files.update({**embed.pages(shown, files), **feed.files(found)})
    written = sum(cache.write_if_changed(output / name, content) for name, content in files.items())
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
    files.update((f"code/{name}.md", code.page(name)) for name in registry.framework_names())
    files["workloads/index.md"] = workload.index(found)
    for name in registry.workload_names():
        files[f"workloads/{name}.md"] = workload.page(found, name)
    return files


def defaults(answers: Sequence[Estimates]) -> list[Estimates]:
    """Return the answers on one batch in default modes of today's versions, without those that have none."""
    found = (lineage.of_today(each) for each in answers if each.question.task in STEPS)
    return [each for each in found if each.cells]


def _matrix(answers: Path) -> list[Pair]:
    """Return the pairs of bench.proof.matrix."""
    rows = cache.recall("matrix", [cache.folder(answers)], lambda: proof.matrix(str(answers)), PROVER)
    pairs = itertools.starmap(Pair, rows)
    return [pair._replace(comparison=pair.comparison and Comparison(*pair.comparison)) for pair in pairs]


def _remove_others(output: Path, wanted: Mapping[str, str]) -> int:
    present = [path for path in output.rglob("*") if path.is_file() and path.name != inputs.STAMP]
    unwanted = [path for path in present if path.relative_to(output).as_posix() not in wanted]
    for path in unwanted:
        path.unlink()
    return len(unwanted)
