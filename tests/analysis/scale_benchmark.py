"""How the analysis grows with the results: `python tests/analysis/scale_benchmark.py --runs 1000 100000`.

Writes results of about so many runs, as years of measuring on many machines would leave them (synthetic.py), and makes
the generated part of the site of them three times, each in a fresh process: with nothing kept of before; again; and
after one more campaign. Prints seconds and peak memory by part, what was drawn and written, and how each part grows: a
slope of 1 means that ten times the runs take ten times as long. The goals, on a machine that does nothing else:
reading, estimating and judging 1,000, 100,000 and 1,000,000 runs within 10, 30 and 60 s and 2 GiB, no figure drawn
twice, and one more campaign within 15 s. What others took of the processors meanwhile stands beside it.
"""

import argparse
import contextlib
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "site"), str(ROOT)]

import synthetic  # noqa: E402
import weights  # noqa: E402

from analysis import figures, inputs  # noqa: E402
from analysis.figures import style  # noqa: E402
from analysis.site import build as site  # noqa: E402
from bench import telemetry  # noqa: E402

ANALYSIS = ("reading", "estimating", "judging")
AFTER_ANALYSIS = "comparing"
PARTS = (*ANALYSIS, AFTER_ANALYSIS, "drawing", "writing pages")
COPIED = ("analysis", "bench", "docs", "overrides", "mkdocs.yml", "CONTRIBUTING.md", "README.md")  # to build the site

SHOWN = (  # title, what was measured, digits
    ("seconds", "seconds", 1),
    ("of processors", "processor", 1),
    ("of others", "others", 1),  # that processors were busy for anyone else, other guests of the host among them
    ("peak MiB", "peaks", 0),
)

Measured = dict[str, Any]


class Enough(Exception):  # noqa: N818 - nothing went wrong
    """What was asked for is measured."""


def measure(results: Path, output: Path, until: str) -> Measured:
    """Make the pages; returns what each part took, the peak of memory in MiB after each, and what was done."""
    found: Measured = {name: dict.fromkeys(PARTS, 0.0) for name in ("seconds", "processor", "others", "peaks")}
    part, since, done = "", (0.0, 0.0, 0.0), ["nothing was drawn or written"]
    cores = list(range(os.cpu_count() or 1))

    def tell(what: str) -> None:
        nonlocal part, since
        own_s = sum(os.times()[:4])
        now = time.perf_counter(), own_s, (telemetry.busy_s(cores) or math.nan) - own_s
        if part:
            for name, begun, ended in zip(("seconds", "processor", "others"), since, now, strict=True):
                found[name][part] += ended - begun
            found["peaks"][part] = peak_mib()
        part, since = what.partition(":")[0], now
        if part == until:
            raise Enough

    with contextlib.suppress(Enough):
        done = site.write(results, output, tell)
        tell("")
    return {**found, "done": done[0]}


def peak_mib() -> float:
    """Return the most resident memory so far, of this process or of one that it started."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / unit


def draw_nothing() -> None:
    """Leave the figures out: each says so in its place."""
    for module in figures.found().values():
        module.draw = lambda *_: style.nothing("it was left out of this measurement")


def apart(folder: Path, options: argparse.Namespace) -> Measured:
    """Return what `measure` returns, from a process of its own, and how many figures it drew."""
    kept = folder / "state" / "analysis" / "figures"
    before = sum(1 for _ in kept.glob("*.json"))
    words = ["--measure", str(folder / "results"), str(folder / "generated"), *["--no-figures"] * options.no_figures,
             *["--no-pages"] * options.no_pages]  # fmt: skip
    done = subprocess.run([sys.executable, __file__, *words], check=True, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "BENCH_STATE": str(folder / "state")})  # fmt: skip
    return {**json.loads(done.stdout), "drawn": sum(1 for _ in kept.glob("*.json")) - before}


def build(folder: Path, output: Path) -> tuple[float, list[str]]:
    """Return the seconds that MkDocs takes to build the whole site around these pages, and what is over its budget."""
    tree = folder / "tree"
    tree.joinpath("results").mkdir(parents=True)  # mkdocs.yml watches it
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tree / name)
    shutil.rmtree(tree / "docs" / "generated", ignore_errors=True)
    shutil.copytree(output, tree / "docs" / "generated")
    note = "from analysis import inputs; inputs.remember(inputs.digest())"  # so that nothing is generated anew
    subprocess.run([sys.executable, "-B", "-c", note], cwd=tree, check=True)
    begun = time.perf_counter()
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run([sys.executable, "-B", "-m", "mkdocs", "build", "--quiet"], cwd=tree, check=True, env=quiet)
    return time.perf_counter() - begun, weights.too_heavy(tree / "site")


def grow(runs: int, options: argparse.Namespace) -> dict[str, Measured]:
    """Measure one size; returns what came, by the name of the turn."""
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder, planned = Path(name), synthetic.plans(runs)
        shutil.copytree(inputs.ROOT / "results" / "parity", folder / "results" / "parity")
        begun = time.perf_counter()
        written = synthetic.write(folder / "results", planned)
        machines, took = len({plan.machine for plan in planned}), time.perf_counter() - begun
        print(f"\n{written:,} runs: {len(planned)} campaigns on {machines} machines, "
              f"{size_mb(folder / 'results'):,.0f} MB, written in {took:.0f} s", flush=True)  # fmt: skip
        turns = {}
        for turn in ("nothing kept", "unchanged", "one more campaign"):
            if turn == "one more campaign":
                synthetic.write(folder / "results", [synthetic.one_more(planned)])
            turns[turn] = {**apart(folder, options), "runs": written}
            show(turn, turns[turn])
        files = [path for path in (folder / "generated").rglob("*") if path.is_file()]
        pages = sum(path.suffix == ".md" for path in files)
        print(f"{pages} pages and fragments among {len(files)} files, {size_mb(folder / 'generated'):,.1f} MB; kept: "
              f"{size_mb(folder / 'state'):,.1f} MB", flush=True)  # fmt: skip
        if options.mkdocs:
            took_s, heavy = build(folder, folder / "generated")
            print(f"mkdocs build: {took_s:.1f} s; over a budget: {'; '.join(heavy) or 'nothing'}", flush=True)
    return turns


def size_mb(folder: Path) -> float:
    """Return the megabytes of a folder's files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def show(turn: str, found: Measured) -> None:
    """Print one turn."""
    print(f"{turn}: {found['drawn']} figures made; {found['done']}")
    for title, name, digits in SHOWN:
        values = [found[name][part] for part in PARTS]
        told = "  ".join(f"{part} {value:,.{digits}f}" for part, value in zip(PARTS, values, strict=True))
        both = (sum(values[: len(ANALYSIS)]), sum(values)) if digits else (max(values[: len(ANALYSIS)]), max(values))
        print(f"  {title:14s} {told}  | analysis {both[0]:,.{digits}f}, all {both[1]:,.{digits}f}", flush=True)


def show_growth(smaller: dict[str, Measured], larger: dict[str, Measured]) -> None:
    """Print how each part grew from one size to the next, in the time of processors: others may use them too."""
    for turn, after in larger.items():
        before = smaller[turn]
        slopes = [f"{part} {_slope(before, after, part)}" for part in PARTS]
        print(f"slope, {turn:18s} {'  '.join(slopes)}", flush=True)


def _slope(before: Measured, after: Measured, part: str) -> str:
    times = after["processor"][part], before["processor"][part]
    return f"{math.log(times[0] / times[1]) / math.log(after['runs'] / before['runs']):.2f}" if min(times) > 0 else "-"


def main() -> None:
    """Measure each size, and print how it grew from the one before."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, nargs="+", default=[1_000, 100_000, 1_000_000])
    parser.add_argument(
        "--no-figures", action="store_true", help="draw nothing: the figures of a million runs take long"
    )
    parser.add_argument("--no-pages", action="store_true", help="only read, estimate and judge")
    parser.add_argument(
        "--mkdocs", action="store_true", help="build the site around the pages too, after the last turn"
    )
    parser.add_argument(
        "--folder", type=Path, help="where to write (a million runs take 2 GB; default: as tempfile does)"
    )
    parser.add_argument("--measure", type=Path, nargs=2, metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        if options.no_figures:
            draw_nothing()
        print(json.dumps(measure(*options.measure, AFTER_ANALYSIS if options.no_pages else "never")))
        return
    before = None
    for runs in options.runs:
        turns = grow(runs, options)
        if before:
            show_growth(before, turns)
        before = turns


if __name__ == "__main__":
    main()
