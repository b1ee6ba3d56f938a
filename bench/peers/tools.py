"""The compared tools: how each measures a pair, and by which rule it reports a difference.

The advice of each documentation that is followed here:

- hyperfine: whole commands, a warm-up run, at least 10 runs, no shell around short commands. Its script welch_ttest.py
  reports a difference at p < 0.05.
- pyperf: a script with `Runner().bench_func`, many processes of 3 values with a warm-up each, calibrated loops. More
  processes fill the time. `pyperf compare_to` reports a difference at p < 0.05.
- torch.utils.benchmark: one process, one thread, `adaptive_autorange`, and `Compare` with trimmed digits. It knows no
  test, so two programs differ if the numbers in its table differ.
- asv: `asv continuous` of two commits, with interleaved rounds, and more rounds to fill the time. It reports a ratio
  beyond --factor whose Mann-Whitney test has p < 0.002. Its default factor of 1.1 would hide these differences, so it
  is 1.01, which is also the limit of versus.
- versus: its default settings, except for the budget. Looking for causes is off, because no other tool does that.
"""

import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import statistics
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from bench.peers import asv_project
from bench.peers.pairs import NAMES, Pair, run

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TORCH_TIMER = """import json
import sys

from torch.utils import benchmark

modules = [__import__(name) for name in sys.argv[2:]]
results = [
    benchmark.Timer(
        "step()", globals={"step": module.step}, label="products", sub_label="step", description=module.__name__
    ).adaptive_autorange(min_run_time=float(sys.argv[1]), max_run_time=2 * float(sys.argv[1]))
    for module in modules
]
compare = benchmark.Compare(results)
compare.trim_significant_figures()
print(json.dumps({"times": [result.times for result in results], "table": str(compare)}))
"""


class Outcome(NamedTuple):
    """What a tool says about a pair."""

    ratio: float  # of slower.py to faster.py, by the number that the tool compares
    is_different: bool  # by the tool's own rule
    times_s: Sequence[Sequence[float]]  # its raw values in seconds, of faster.py and slower.py


class Tool(NamedTuple):
    """A tool: how it measures a pair in about so many seconds, and why it cannot here."""

    measure: Callable[[Pair, float], Outcome]
    absence: Callable[[], str]  # empty: it is available
    version: Callable[[], str]


def _versus(pair: Pair, budget_s: float) -> Outcome:
    words = ["versus", *(name + ".py" for name in pair.order), f"--folder={pair.folder}", f"--budget={budget_s:.0f}s",
             "--no-causes", "--json", f"--python=a={sys.executable}", f"--python=b={sys.executable}"]  # fmt: skip
    found = json.loads(run([sys.executable, "-m", "bench", *words], REPOSITORY))
    programs = {os.path.splitext(one["file"])[0]: one for one in found["programs"]}
    (judged,) = found["pairs"]
    is_slower = judged["one"] == programs["slower"]["letter"]
    return Outcome(
        judged["value"] if is_slower else 1 / judged["value"], judged["word"] == "different",
        [programs[name]["round_step_s"] for name in NAMES],
    )  # fmt: skip


def _hyperfine(pair: Pair, budget_s: float) -> Outcome:
    seconds = max(
        budget_s / 2 / 11 - pair.scale.start_s, pair.scale.start_s
    )  # of steps in a command: 10 runs, 1 warm-up
    steps = max(1, round(seconds / pair.scale.step_s))
    runs = max(3, round(budget_s / 2 / (pair.scale.start_s + seconds)) - 1)
    file = os.path.join(pair.folder, "hyperfine.json")
    commands = [f"{sys.executable} {os.path.join(pair.folder, name)}.py {steps}" for name in pair.order]
    run(["hyperfine", "--shell=none", "--warmup=1", f"--runs={runs}", f"--export-json={file}", *commands])
    with open(file, encoding="utf-8") as lines:
        results = json.load(lines)["results"]
    times = dict(zip(pair.order, [result["times"] for result in results]))
    from scipy import stats

    is_different = bool(stats.ttest_ind(times["slower"], times["faster"], equal_var=False).pvalue < 0.05)
    return _by(statistics.fmean, times, is_different)


def _pyperf(pair: Pair, budget_s: float) -> Outcome:
    import pyperf

    usual_s = pair.scale.start_s + 4 * 0.1 + 0.1  # a process: three values and a warm-up of 0.1 s
    processes = max(3, round(budget_s / 2 / usual_s) - 1)  # and one that calibrates
    files = {}
    for name in pair.order:
        script, files[name] = (os.path.join(pair.folder, f"pyperf_{name}.{end}") for end in ("py", "json"))
        with open(script, "w", encoding="utf-8") as file:
            file.write(f'import pyperf\nfrom {name} import step\n\npyperf.Runner().bench_func("step", step)\n')
        _remove(files[name])
        run([sys.executable, script, f"--processes={processes}", f"--output={files[name]}", "--quiet", "--copy-env"])
    text = run([sys.executable, "-m", "pyperf", "compare_to", *(files[name] for name in pair.order)])
    times = {name: list(pyperf.Benchmark.load(file).get_values()) for name, file in files.items()}
    return _by(statistics.fmean, times, "not significant" not in text)


def _torch(pair: Pair, budget_s: float) -> Outcome:
    script = os.path.join(pair.folder, "torch_timer.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(TORCH_TIMER)
    seconds = max(1.0, budget_s / 2 - 1.5)  # without the start and the choice of a block's size
    found = json.loads(run([sys.executable, script, str(seconds), *pair.order]).splitlines()[-1])
    row = next(line for line in found["table"].splitlines() if re.match(r"\s+step\b", line))
    shown = [cell.strip() for cell in row.split("|")[1:]]
    return _by(statistics.median, dict(zip(pair.order, found["times"])), shown[0] != shown[1])


def _asv(pair: Pair, budget_s: float) -> Outcome:
    rounds = max(2, int((budget_s - pair.scale.asv_s) / pair.scale.asv_round_s))
    text, times = asv_project.continuous(pair, rounds)
    return _by(statistics.median, times, "NOT SIGNIFICANTLY CHANGED" not in text)


def _by(middle: Callable[[Any], float], times: dict[str, list[float]], is_different: bool) -> Outcome:
    return Outcome(middle(times["slower"]) / middle(times["faster"]), is_different, [times[name] for name in NAMES])


def _remove(path: str) -> None:
    if os.path.exists(path):
        os.remove(path)


def _needs(*modules: str) -> Callable[[], str]:
    def absence() -> str:
        missing = [name for name in modules if importlib.util.find_spec(name) is None]
        return f"{', '.join(missing)}: pip install -r bench/peers/requirements.txt" if missing else ""

    return absence


def _no_hyperfine() -> str:
    return _needs("scipy")() if shutil.which("hyperfine") else "hyperfine is not installed: apt install hyperfine"


def _of_package(name: str) -> Callable[[], str]:
    return lambda: importlib.metadata.version(name)


def _revision() -> str:
    return run(["git", "rev-parse", "--short=12", "HEAD"], REPOSITORY).strip() if shutil.which("git") else ""


TOOLS = {
    "versus": Tool(_versus, _needs("numpy"), _revision),
    "hyperfine": Tool(_hyperfine, _no_hyperfine, lambda: run(["hyperfine", "--version"]).split()[-1]),
    "pyperf": Tool(_pyperf, _needs("pyperf"), _of_package("pyperf")),
    "torch.utils.benchmark": Tool(_torch, _needs("torch"), _of_package("torch")),
    "asv continuous": Tool(_asv, _needs("asv", "virtualenv"), _of_package("asv")),
}
