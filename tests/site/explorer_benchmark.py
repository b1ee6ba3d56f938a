"""How fast the explorer is with many cells: `python tests/site/explorer_benchmark.py --cells 10000`.

In a real browser, prints what its files weigh against their budget, the time to the first drawn row and to all cells,
and how long a filter, a baseline and a sort take. The goals, on a machine that does nothing else: the first row within
a second, a click within 100 ms.
"""

import argparse
import gzip
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from driven import Visitor, browser, visiting  # noqa: E402
from reader import WHOLE  # noqa: E402
from served import STRICT, served, write_explorer  # noqa: E402
from weights import DATA  # noqa: E402

from analysis.estimate import estimates  # noqa: E402
from analysis.estimate.estimates import Cell, Estimates, Question, Row  # noqa: E402
from analysis.load.utilization import Shares  # noqa: E402
from analysis.site.pages import explorer, explorer_data, files  # noqa: E402
from analysis.stats import interval  # noqa: E402

ROUNDS = 5
MODES = ("eager", "compiled")
COMPETITORS = [(f"framework-{number // 2}.{number % 2}", mode) for number in range(6) for mode in MODES]
WATCH = """
new MutationObserver(() => {
  if (window.drawn === undefined && document.querySelector('.results tbody tr')) {
    window.drawn = Infinity;
    requestAnimationFrame(() => setTimeout(() => { window.drawn = performance.now(); }));
  }
}).observe(document, {childList: true, subtree: true});
"""
DRAWN = """
return new Promise(function look(done) { window.drawn < 1e9 ? done(window.drawn) : setTimeout(look, 20, done); });
"""
COMPLETE = """
const [selector] = arguments;
return new Promise(function look(done) {
  document.querySelector(selector) ? done(performance.now()) : setTimeout(look, 5, done);
});
"""
CLICK = """
const [selector, value] = arguments;
const control = document.querySelector(selector);
const start = performance.now();
if (value) { control.value = value; control.dispatchEvent(new Event('change')); } else control.click();
const ready = performance.now();
return new Promise(requestAnimationFrame).then(() => new Promise(done => setTimeout(done))).then(
  () => [ready - start, performance.now() - start]);
"""


def synthetic(count: int, seed: int = 0) -> list[Estimates]:
    """Return so many cells, twelve to a question, with times and pairs as a campaign of five rounds gives them."""
    random = np.random.default_rng(seed)
    questions = -(-count // len(COMPETITORS))
    return [_answer(random, number) for number in range(questions)]


def _answer(random: np.random.Generator, number: int) -> Estimates:
    question = Question(f"machine-{number % 5}", f"workload_{number % 20}", ("train", "infer")[number % 2],
                        ("fp32", "tf32")[number // 2 % 2], ("cpu", "gpu")[number // 4 % 2], 2 ** (number // 8 % 8),
                        ("sgd", "adam")[number // 64 % 2], "documented", "random")  # fmt: skip
    truth = {row: random.lognormal(-4, 1) for row in COMPETITORS}
    times = {row: dict(enumerate(truth[row] * random.normal(1, 0.02, ROUNDS))) for row in COMPETITORS}
    missing = {row for row in COMPETITORS if random.random() < 0.1}
    order = sorted((row for row in COMPETITORS if row not in missing), key=lambda row: truth[row])
    pairs = estimates.compare({row: times[row] for row in order})
    return Estimates(question, [_cell(row, times[row], row in missing) for row in COMPETITORS], pairs)


def _cell(row: Row, times: dict[int, float], is_missing: bool) -> Cell:
    about = {"row": row, "title": row[0].title(), "is_default": row[1] == "eager", "unsteady": 0, "lost_rounds": 0,
             "proofs": (), "used": Shares()}  # fmt: skip
    if is_missing:
        reason = "over budget: its rounds were not held"
        return _filled(about, rounds=0, status="over_budget", reason=reason)
    time = interval.mean(list(times.values()))
    return _filled(about, time=time, median_s=time.value, rounds=ROUNDS, status="ok", rank=1, cores=1.9,
                   first_step_cold_s=90 * time.value, first_step_warm_s=20 * time.value,
                   host_memory_bytes=2e10 * time.value,
                   used=Shares(of_product=0.004 / time.value, energy_j=300 * time.value))  # fmt: skip


def _filled(about: dict[str, object], **more: object) -> Cell:
    return Cell(**{**dict.fromkeys(Cell._fields), **about, **more})


def main() -> None:
    """Write the page, open it some times, click, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=7, help="how often each is measured (default: 7)")
    options = parser.parse_args()
    answers = synthetic(options.cells)
    known = {(answer.question.machine, row[0]): row[0].split(".")[0] for answer in answers for row in COMPETITORS}
    data = files.texts(explorer_data.columns(answers, known), explorer.DATA)
    size = sum(len(answer.cells) for answer in answers)
    pairs = sum(len(answer.pairs) for answer in answers)
    print(f"{size:,} cells, {pairs:,} pairs")
    for path, text in data.items():
        print(f"{path}: {len(text) / 1e3:,.0f} KB; {_weighed(text)}")
    with tempfile.TemporaryDirectory() as folder:
        path = f"../generated/{explorer.DATA}"
        write_explorer(Path(folder), f'<div id="explorer" class="explorer" data-file="{path}"></div>', data)
        with served(Path(folder), STRICT) as address, browser() as chromium, visiting(chromium, WATCH) as visitor:
            measure(visitor, f"{address}explorer/", options.repeats)


def _weighed(text: str) -> str:
    """Say what a file weighs as it is sent, against the budget of a file of data."""
    weight = len(gzip.compress(text.encode(), 6))
    verdict = "within" if weight <= DATA else f"{weight / DATA:.1f} times"
    return f"compressed {weight / 1e3:,.0f} KB, {verdict} the budget of {DATA / 1e3:,.0f} KB"


def measure(visitor: Visitor, page: str, repeats: int) -> None:
    """Print the median and the longest of each time."""
    opened = [_opened(visitor, page) for _ in range(repeats)]
    _print("first row drawn", [drawn for drawn, _ in opened])
    _print("all cells there", [complete for _, complete in opened])
    for title, selector, values in (
        ("filter: one value", "input[name=explorer-environment]", [""]),
        ("filter: another facet", "input[name=explorer-machine]", [""]),
        ("baseline", ".explorer select", ["framework-1.0/eager", "fastest"]),
        ("sort by ratio", "[data-sort=ratio]", [""]),
        ("sort by time", "[data-sort=time]", [""]),
    ):
        took = [visitor.do(CLICK, selector, values[turn % len(values)]) for turn in range(repeats)]
        _print(f"{title}: script", [script for script, _ in took])
        _print(f"{title}: painted", [painted for _, painted in took])


def _opened(visitor: Visitor, page: str) -> tuple[float, float]:
    visitor.open(page)
    return float(visitor.do(DRAWN)), float(visitor.do(COMPLETE, WHOLE))


def _print(title: str, took: list[float]) -> None:
    print(f"{title:32s} median {statistics.median(took):7.0f} ms   longest {max(took):7.0f} ms", flush=True)


if __name__ == "__main__":
    main()
