"""Competitors of a round that computed something else than most are refused: by lines, and by a whole bench."""

import shutil
import types
from pathlib import Path

import pytest
from competitors import runs
from replies import RUN
from running import Bench

from bench import registry
from bench.cases import Case
from bench.results import lines, plausible, records, rivals, schema

CASE = Case("linear", "pytorch", "train", "eager", "fp32", "nchw", "cpu", 1000, "adam", "documented", "random")
RIGHT = 2.6


def line(environment, loss=RIGHT, mode="eager", field="loss_first", **changes):
    case = CASE._replace(environment=environment, mode=mode, **changes)
    return schema.read({**RUN, "case": case._asdict(), "loss_first": RIGHT, field: loss})


def odd(*runs, **asked):
    return sorted(rivals.odd(runs, **asked))


ABLATION = {"tier": "ablation", "workload": "imdb_gru"}
DROPS_OUT = {"workload": "mnist_mlp", "field": "loss_without_dropout"}
INFERS = {"task": "infer", "optimizer": "none", "field": "size_of_outputs"}
CASES = {  # lines, and the places of those that are refused
    "all alike": ([line("pytorch"), line("jax", RIGHT * (1 + 2e-6)), line("tensorflow")], []),
    "one is odd": ([line("pytorch", 2.7), line("jax"), line("tensorflow")], [0]),
    "just beyond": ([line("pytorch", RIGHT * (1 + 2e-5)), line("jax"), line("tensorflow")], [0]),
    "two that differ": ([line("pytorch", 2.7), line("jax")], [0, 1]),
    "two against two": ([line("pytorch", 2.7), line("chainer-3.1", 2.7), line("jax"), line("tensorflow")],
                        [0, 1, 2, 3]),
    "one framework's three environments are one vote": (
        [line(f"keras-{each}", 2.7, "fit") for each in ("jax", "torch", "tensorflow")] + [line("pytorch"), line("jax")],
        [0, 1, 2],
    ),
    "one environment of a framework": (
        [line("keras-jax", 2.7, "fit"), line("keras-torch", mode="fit"), line("pytorch"), line("jax")], [0]
    ),
    "environments of one framework alone": (
        [line("keras-jax", 2.7, "fit"), line("keras-torch", mode="fit"), line("keras-tensorflow", mode="fit")], [0]
    ),
    "modes of one environment": ([line("jax", 2.7, "jit"), line("jax", mode="nnx_jit")], [0, 1]),
    "another round": ([line("pytorch", 2.7), schema.changed(line("jax"), round=2)], []),
    "another precision": ([line("pytorch", 2.7, precision="bf16"), line("jax")], []),
    "within bf16": ([line("pytorch", 2.61, precision="bf16"), line("jax", precision="bf16")], []),
    "beyond bf16": ([line("pytorch", 2.75, precision="bf16"), line("jax", precision="bf16")], [0, 1]),
    "within tf32": ([line("pytorch", 2.605, precision="tf32"), line("jax", precision="tf32")], []),
    "what computes something else, within itself": (
        [line("jax", mode="jit", **ABLATION), line("pytorch", **ABLATION),
         line("jax", 2.7, "jit+hard_gates", **ABLATION), line("pytorch", 2.7, "eager+hard_gates", **ABLATION)], []
    ),
    "what computes the same, beside all": (
        [line("jax", mode="jit", **ABLATION), line("pytorch", **ABLATION), line("tensorflow", mode="graph", **ABLATION),
         line("jax", 2.7, "jit+time_major", **ABLATION)], [3]
    ),
    "one that failed": ([schema.changed(line("pytorch", 2.7), status="failed"), line("jax")], []),
    "over data": ([line("pytorch", 2.7, task="epochs"), line("jax", task="epochs")], []),
    "dropout": ([line("pytorch", 2.7, workload="mnist_mlp"), line("jax", workload="mnist_mlp")], []),
    "without dropout": ([line("pytorch", 2.7, **DROPS_OUT), line("jax", **DROPS_OUT),
                         line("caffe2-1.0", None, **DROPS_OUT), line("chainer-3.1", **DROPS_OUT)], [0]),
    "labels alone": ([line(each, loss, **{**DROPS_OUT, "field": "loss_of_biases"})
                      for each, loss in (("pytorch", 2.7), ("jax", RIGHT), ("tensorflow", RIGHT))], [0]),
    "outputs that cancel": (
        [schema.changed(line(name, 1000.0, **INFERS), loss_first=total)
         for name, total in (("pytorch", 1e-4), ("jax", 0.0))], []
    ),
    "other outputs": ([line("pytorch", 990.0, **INFERS), line("jax", 1000.0, **INFERS),
                       line("tensorflow", 1000.0, **INFERS)], [0]),
    "outputs of other signs": (
        [schema.changed(line(name, 1000.0, **INFERS), loss_first=total)
         for name, total in (("pytorch", -5.0), ("jax", 5.0), ("tensorflow", 5.0))], [0]
    ),
    "a workload of tomorrow": ([line("pytorch", 2.7, workload="tomorrow"), line("jax", workload="tomorrow")], []),
}  # fmt: skip


@pytest.mark.parametrize(("runs", "expected"), CASES.values(), ids=CASES)
def test_a_run_that_computed_something_else_than_most_is_odd(runs, expected):
    assert odd(*runs) == expected


def test_the_reason_names_the_cause_and_a_rival_that_differs():
    why = rivals.odd([line("pytorch", 2.7), line("jax", mode="jit"), line("tensorflow", mode="graph")])[0]
    assert "its first loss at the measured batch size, 2.7, differs from that of jax in jit, 2.6:" in why
    assert "are all examples of a batch used, with their labels?" in why


@pytest.mark.parametrize(("stated", "expected"), [(RIGHT, [0]), (2.7, [1]), (3.0, [0, 1]), (None, [0, 1])])
def test_of_two_that_differ_the_statement_tells_which_is_wrong(stated, expected, monkeypatch):
    monkeypatch.setattr(rivals, "oracle", types.SimpleNamespace(loss=lambda *_: stated))
    both = [line("pytorch", 2.7), line("jax")]
    assert odd(*both, asks_statement=True) == expected
    assert odd(*both) == [0, 1], "when results are read, nothing is computed"
    assert odd(both[0], asks_statement=True) == ([0] if stated in (RIGHT, 3.0) else [])


def is_measured(one):
    return isinstance(one, lines.Run) and one.status == "ok" and one.case.workload == "linear"


def test_what_is_read_later_is_judged_as_well():
    paths = sorted(Path(registry.ROOT, "results").glob("*/*.jsonl"))
    campaign = next(each for each in map(records.read, map(str, paths)) if sum(is_measured(one) for one in each) >= 6)
    place = next(place for place, one in enumerate(campaign) if is_measured(one))
    assert plausible.judge_all(campaign)[place].status == "ok"
    campaign[place].loss_first *= 1 + 3e-5
    judged = plausible.judge_all(campaign)
    assert judged[place].status == "implausible"
    assert "are all examples of a batch used" in judged[place].reason


SKIPS = """
        self.waits = getattr(self, "waits", 0) + 1
        if self.waits <= 20 or self.waits % 10:
            self.kept = handle
        return self.kept
"""
DEFECTS = {  # of a third environment's adapter: what replaces it, and what is reported
    "keeps the first 32": ("return x, y\n", "return x[:32], y[:32]\n", "are all examples of a batch used"),
    "shifts labels at the measured size": (
        "return x, y\n", "return x, np.roll(y, int(len(y) > 32))\n", "with their labels"
    ),
    "skips every tenth wait": (
        "        return handle\n",
        SKIPS,
        "a wait gave a loss again",
    ),
}  # fmt: skip


def framework(target, frameworks, right, wrong):
    """Make another framework of the NumPy one, with something else in its adapter; return its first environment."""
    shutil.copytree(f"{frameworks}/numpy", target, ignore=shutil.ignore_patterns("__pycache__"))
    for path, old, new in (("adapter.py", right, wrong), ("framework.toml", "numpy-", target.name + "-")):
        text = (target / path).read_text()
        assert old in text
        (target / path).write_text(text.replace(old, new))
    return target.name + "-a"


@pytest.mark.parametrize(
    "defects", [["keeps the first 32", "skips every tenth wait"],
                pytest.param(["shifts labels at the measured size"], marks=pytest.mark.nightly)]
)  # fmt: skip
def test_a_bench_refuses_what_no_parity_saw(defects, tmp_path, frameworks):
    own = tmp_path / "frameworks"
    shutil.copytree(f"{frameworks}/numpy", own / "numpy", ignore=shutil.ignore_patterns("__pycache__"))
    odd = [framework(own / f"odd{place}", frameworks, *DEFECTS[each][:2]) for place, each in enumerate(defects)]
    bench = Bench(tmp_path, str(own), ("numpy-a", "numpy-b", *odd))
    asked = ("--workload", "mnist_mlp", "--mode", "plain")
    bench("parity", *asked)
    bench("run", "--profile", "smoke", *asked, "--json")
    found = {run.case.environment: run for run in runs(bench)}
    assert (found["numpy-a"].status, found["numpy-b"].status) == ("ok", "ok")
    for name, defect in zip(odd, defects, strict=True):
        assert found[name].status in ("implausible", "failed")
        assert DEFECTS[defect][2] in found[name].reason
    assert found["numpy-a"].loss_without_dropout == pytest.approx(found["numpy-b"].loss_without_dropout)
    assert found["numpy-a"].loss_of_biases == pytest.approx(2.6, abs=0.2)
