"""How the analysis grows with the results: `python tests/analysis/scale_benchmark.py`.

Writes results of about 1,000, 10,000 and 100,000 runs, as years of measuring on many machines would leave them
(synthetic.py), and reads, estimates and judges each of them in a fresh process that has kept nothing of before. Prints
seconds by part and for each 1,000 runs, and the peak of memory of any process. The goal, on two cores that do nothing
else: 100,000 runs within 15 s and 1 GiB, and no more seconds for each 1,000 runs than of 10,000.

`--site` makes the generated part of the site of them three times instead: with nothing kept of before; again; and after
one more campaign; and prints what was drawn and written.
"""

import argparse
import json
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
sys.path[:0] = [str(HERE), str(ROOT)]

import synthetic  # noqa: E402

from analysis import lessons  # noqa: E402
from analysis.estimate.estimates import estimate_all  # noqa: E402
from analysis.load.table import read_results  # noqa: E402

SIZES = (1_000, 10_000, 100_000)
ANALYSIS = ("reading", "estimating", "judging")
PARTS = (*ANALYSIS, "comparing", "drawing", "writing pages")
HEADER = "{:>8}  {:>9}  {:>12}  {:>9}  {:>9}  {:>9}  {:>16}"

Measured = dict[str, Any]


def analysed(results: Path) -> Measured:
    """Read, estimate and judge; returns the seconds that each took, the peak of memory in MiB, and how many runs."""
    lessons.found()  # loads modules, which takes as long for any size
    times = [time.perf_counter()]
    found = read_results(results)
    times.append(time.perf_counter())
    answers = estimate_all(found)
    times.append(time.perf_counter())
    lessons.judge_all(found, answers)
    times.append(time.perf_counter())
    seconds = {part: end - begin for part, begin, end in zip(ANALYSIS, times, times[1:], strict=False)}
    return {"seconds": seconds, "peak_mib": peak_mib(), "done": len(found.runs)}


def measure(results: Path, output: Path) -> Measured:
    """Make the pages; returns the seconds that each part took, the peak of memory in MiB, and what was done."""
    from analysis.site import build

    begun: list[tuple[str, float]] = []
    done = build.write(results, output, lambda what: begun.append((what.partition(":")[0], time.perf_counter())))
    ends = [*(since for _, since in begun[1:]), time.perf_counter()]
    seconds = dict.fromkeys(PARTS, 0.0)
    for (part, since), end in zip(begun, ends, strict=True):
        seconds[part] += end - since
    return {"seconds": seconds, "peak_mib": peak_mib(), "done": done}


def peak_mib() -> float:
    """Return the most resident memory so far, of this process or of one that it started."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / unit


def apart(folder: Path, what: str) -> Measured:
    """Return what `analysed` or `measure` returns, from a process of its own."""
    words = [str(folder / "results"), *([str(folder / "generated")] if what == "--measure" else [])]
    variables = {**os.environ, "BENCH_STATE": str(folder / "state")}
    done = subprocess.run(
        [sys.executable, __file__, what, *words], check=True, stdout=subprocess.PIPE, text=True, env=variables
    )
    found: Measured = json.loads(done.stdout)
    return found


def row(runs: int, where: Path | None) -> str:
    """Return one size's line of the table."""
    with tempfile.TemporaryDirectory(dir=where) as name:
        written = synthetic.write(Path(name) / "results", synthetic.plans(runs))
        found = apart(Path(name), "--analysed")
    parts = [found["seconds"][part] for part in ANALYSIS]
    numbers = (*parts, sum(parts))
    each = 1_000 * sum(parts) / written
    return HEADER.format(
        f"{written:,}", *(f"{each:.2f}" for each in numbers), f"{found['peak_mib']:,.0f}", f"{each:.3f}"
    )


def grow(runs: int, where: Path | None) -> None:
    """Make the site of one size, and print what came."""
    with tempfile.TemporaryDirectory(dir=where) as name:
        folder, planned = Path(name), synthetic.plans(runs)
        shutil.copytree(ROOT / "results" / "parity", folder / "results" / "parity")
        written = synthetic.write(folder / "results", planned)
        size_mb = sum(path.stat().st_size for path in folder.rglob("*.jsonl")) / 1e6
        print(f"\n{written:,} runs: {len(planned)} campaigns, {size_mb:,.0f} MB", flush=True)
        for turn in ("nothing kept", "unchanged", "one more campaign"):
            if turn == "one more campaign":
                synthetic.write(folder / "results", [synthetic.one_more(planned)])
            found = apart(folder, "--measure")
            told = "  ".join(f"{part} {found['seconds'][part]:.1f}" for part in PARTS)
            print(f"{turn}: {told}  | all {sum(found['seconds'].values()):.1f} s, "
                  f"{found['peak_mib']:,.0f} MiB; {found['done']}", flush=True)  # fmt: skip


def main() -> None:
    """Measure each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, nargs="+", default=SIZES)
    parser.add_argument("--folder", type=Path, help="where to write (100,000 runs: 0.2 GB; default: as tempfile does)")
    parser.add_argument("--site", action="store_true", help="make the whole site of them")
    parser.add_argument("--analysed", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--measure", type=Path, nargs=2, metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.analysed or options.measure:
        print(json.dumps(analysed(options.analysed) if options.analysed else measure(*options.measure)))
        return
    if not options.site:
        print(HEADER.format("runs", "reading s", "estimating s", "judging s", "all s", "peak MiB", "s for each 1,000"))
    for runs in options.runs:
        if options.site:
            grow(runs, options.folder)
        else:
            print(row(runs, options.folder), flush=True)


if __name__ == "__main__":
    main()
