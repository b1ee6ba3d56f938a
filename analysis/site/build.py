"""Write the generated part of the website: figures with their data, and pages. The same input gives the same bytes.

While that lasts, `Progress` prints how far it is. `preview` builds the site with results that may be contributed.
"""

import functools
import itertools
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO

from analysis import cache, data, inputs
from analysis import controls as control
from analysis.compare import history, unpaired
from analysis.compare import peers as other_tools
from analysis.estimate import lineage
from analysis.estimate.estimates import Estimates, estimate_all
from analysis.found import Found
from analysis.lessons import judge_all
from analysis.load.table import read_results
from analysis.site import build_site, embed, feed, render
from analysis.site.pages import (
    article,
    checked,
    compare,
    devices,
    framework,
    machines,
    peers,
    releases,
    results,
    workload,
)
from bench import proof, registry
from bench.cases import STEPS
from bench.proof.parity import Comparison, Pair

PREVIEW = Path(registry.STATE, "preview")
FRAGMENTS = {
    "changes": machines.changes_page, "compare": compare.page, "controls": checked.controls_page,
    "coverage": checked.coverage_page, "devices": devices.page, "devices_measured": devices.measured,
    "data_files": results.data_files,
    "home": framework.home, "lessons": article.lessons_page, "machines": machines.page,
    "parity": checked.parity_page, "peers": peers.page, "results": results.page,
    "then_and_now": article.then_and_now, "releases": releases.page,
}  # fmt: skip
USUAL_S = {  # on two cores
    "reading": 2.0, "estimating": 1.0, "judging": 3.0, "comparing": 0.5, "drawing": 0.0, "writing pages": 8.0,
}  # fmt: skip
OFTEN_S, SELDOM_S = 0.1, 30.0  # between two lines: on a terminal, and where each of them stays
CLEAR = "\r\033[K"  # from the line's begin, remove what it says
PROVER = ("bench/proof/__init__.py", "bench/proof/proof_versions.csv", "bench/workloads")


def write(results_folder: Path, output: Path, tell: Callable[[str], None] = lambda _: None) -> str:
    """Write everything below `output`, remove other files; returns a line on what was done.

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
    found = Found(results, answers, defaults(answers), lessons, controls=judged, compared=compared, changed=changed,
                  peers=other_tools.read_all(results_folder),
                  history=history.read(results_folder))  # fmt: skip
    matrix = functools.partial(_matrix, results_folder / "parity")
    figures = render.draw_all(render.wanted(found), tell, [matrix])
    tell("writing pages")
    found = found._replace(matrix=matrix(), pictures=render.by_page(figures))
    files = {**pages(found), **render.files(figures)}
    files |= embed.pages(figures.values(), files) | feed.files(found)
    written = sum(cache.write_if_changed(output / name, content) for name, content in files.items())
    removed = _remove_others(output, files)
    cache.forget_unused()
    return f"{len(files)} generated files: {written} written, {removed} removed, the rest unchanged"


def preview(results_folder: Path, folder: Path) -> str:
    """Build the site with results that may be contributed; returns where it is. Raises BenchError if that fails.

    Without MkDocs, or with results from another folder, only the generated pages are built, as Markdown and figures.
    """
    begun = time.monotonic()
    if find_spec("material") and results_folder.resolve() == inputs.ROOT / "results":
        build_site(inputs.ROOT, folder)
        what = f"The whole site with these results: {folder / 'index.html'}"
    else:
        write(results_folder, folder)
        what = f"The generated pages with these results, without the theme: {folder}"
    return f"{what} (built in {time.monotonic() - begun:.0f} s)"


def pages(found: Found) -> dict[str, str]:
    """Return the generated pages and fragments by file name."""
    return {
        **{f"fragments/{name}.md": page(found) for name, page in FRAGMENTS.items()},
        **{f"fragments/articles/{name}.md": text for name, text in article.fragments(found).items()},
        **data.files(found), **results.data(found), **compare.data(found),
        **{f"machines/{name}.md": text for name, text in machines.pages(found).items()},
        "frameworks/index.md": framework.index(found), "workloads/index.md": workload.index(found),
        **{f"frameworks/{name}.md": framework.page(found, name) for name in registry.framework_names()},
        **{f"code/{name}.md": workload.code_page(name) for name in registry.framework_names()},
        **{f"workloads/{name}.md": workload.page(found, name) for name in registry.workload_names()},
    }  # fmt: skip


def defaults(answers: Sequence[Estimates]) -> list[Estimates]:
    """Return the answers on one batch in default modes of today's versions, without those that have none."""
    today = (lineage.of_today(answer) for answer in answers if answer.question.task in STEPS)
    return [answer for answer in today if answer.cells]


def _matrix(answers: Path) -> list[Pair]:
    """Return the pairs of bench.proof.matrix."""
    rows = cache.recall("matrix", [cache.folder(answers)], lambda: proof.matrix(str(answers)), PROVER)
    pairs = itertools.starmap(Pair, rows)
    return [pair._replace(comparison=pair.comparison and Comparison(*pair.comparison)) for pair in pairs]


def _remove_others(output: Path, wanted: Mapping[str, str]) -> int:
    unwanted = [path for path in output.rglob("*") if path.is_file() and path.name != inputs.STAMP
                and path.relative_to(output).as_posix() not in wanted]  # fmt: skip
    for path in unwanted:
        path.unlink()
    return len(unwanted)


class Progress:
    """Prints the part of a build that is at work, with the time that is left: one rewritten line on a terminal.

    The time of a part is estimated from its finished pieces. Other parts take their usual time. Drawing is counted only
    after it has begun, because most builds draw next to nothing.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.clear = CLEAR if self.stream.isatty() else ""  # only a terminal shows one line that is rewritten
        self.began = self.part_began = self.printed = time.monotonic()
        self.part = ""

    def __call__(self, what: str) -> None:
        """Note which part is at work, and how many of its pieces are done, as in "drawing: 3 of 8"."""
        now = time.monotonic()
        part, _, count = what.partition(": ")
        is_new = part != self.part
        if is_new:
            self.part, self.part_began = part, now
        if (self.clear and is_new) or now - self.printed > (OFTEN_S if self.clear else SELDOM_S):
            self.printed = now
            times = f"{now - self.began:.0f} s, about {self._left_s(now - self.part_began, count):.0f} s left"
            line = f"{self.clear}building pages: {f'{part} {count}'.strip()}, {times}"
            print(line, end="" if self.clear else "\n", file=self.stream, flush=True)

    def end(self) -> None:
        """Remove the line from a terminal."""
        print(self.clear, end="", file=self.stream, flush=True)

    def _left_s(self, spent_s: float, count: str) -> float:
        parts = list(USUAL_S)
        later_s = sum(USUAL_S[name] for name in parts[parts.index(self.part) + 1 :])
        done, _, of = count.partition(" of ")
        if count and int(done):
            return later_s + spent_s / int(done) * (int(of) - int(done))
        return later_s + max(0.0, USUAL_S[self.part] - spent_s)
