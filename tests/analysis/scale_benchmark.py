"""How the analysis grows with the results: `python tests/analysis/scale_benchmark.py --runs 1000 100000`.

Writes results of about so many runs, as years of measuring on many machines would leave them (synthetic.py), and makes
the generated part of the site of them three times, each in a fresh process: with nothing kept of before; again; and
after one more campaign. Prints seconds by part, the peak of memory, and what was drawn and written. The goal, of
100,000 runs on a machine that does nothing else: reading, estimating and judging within 6 s, all of it after one more
campaign within 12 s, and 1 GiB.
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

from analysis.site import build  # noqa: E402

ANALYSIS = ("reading", "estimating", "judging")
PARTS = (*ANALYSIS, "comparing", "drawing", "writing pages")

Measured = dict[str, Any]


def measure(results: Path, output: Path) -> Measured:
    """Make the pages; returns the seconds that each part took, the peak of memory in MiB, and what was done."""
    begun: list[tuple[str, float]] = []
    done = build.write(results, output, lambda what: begun.append((what.partition(":")[0], time.perf_counter())))
    ends = [*(since for _, since in begun[1:]), time.perf_counter()]
    seconds = dict.fromkeys(PARTS, 0.0)
    for (part, since), end in zip(begun, ends, strict=True):
        seconds[part] += end - since
    return {"seconds": seconds, "peak_mib": peak_mib(), "done": done[0]}


def peak_mib() -> float:
    """Return the most resident memory so far, of this process or of one that it started."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / unit


def apart(folder: Path) -> Measured:
    """Return what `measure` returns, from a process of its own."""
    command = [sys.executable, __file__, "--measure", str(folder / "results"), str(folder / "generated")]
    variables = {**os.environ, "BENCH_STATE": str(folder / "state")}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=variables)
    found: Measured = json.loads(done.stdout)
    return found


def grow(runs: int, where: Path | None) -> None:
    """Measure one size, and print what came."""
    with tempfile.TemporaryDirectory(dir=where) as name:
        folder, planned = Path(name), synthetic.plans(runs)
        shutil.copytree(ROOT / "results" / "parity", folder / "results" / "parity")
        written = synthetic.write(folder / "results", planned)
        size_mb = sum(path.stat().st_size for path in folder.rglob("*.jsonl")) / 1e6
        print(f"\n{written:,} runs: {len(planned)} campaigns, {size_mb:,.0f} MB", flush=True)
        for turn in ("nothing kept", "unchanged", "one more campaign"):
            if turn == "one more campaign":
                synthetic.write(folder / "results", [synthetic.one_more(planned)])
            found = apart(folder)
            told = "  ".join(f"{part} {found['seconds'][part]:.1f}" for part in PARTS)
            analysis_s = sum(found["seconds"][part] for part in ANALYSIS)
            print(f"{turn}: {told}  | analysis {analysis_s:.1f} s, all {sum(found['seconds'].values()):.1f} s, "
                  f"{found['peak_mib']:,.0f} MiB; {found['done']}", flush=True)  # fmt: skip


def main() -> None:
    """Measure each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, nargs="+", default=[1_000, 100_000])
    parser.add_argument("--folder", type=Path, help="where to write (100,000 runs: 0.2 GB; default: as tempfile does)")
    parser.add_argument("--measure", type=Path, nargs=2, metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return
    for runs in options.runs:
        grow(runs, options.folder)


if __name__ == "__main__":
    main()
