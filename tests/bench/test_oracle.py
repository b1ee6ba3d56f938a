"""The oracle says what right answers say, and refuses what too few frameworks could not tell from them."""

from pathlib import Path

import numpy as np
import pytest
from running import Bench

from bench import ablations, answer, oracle, proof, registry
from bench.cli import program_checks
from bench.proof import consensus as judge
from bench.proof import parity

# Networks whose oracle takes less than a second for two batches.
QUICK = ("linear", "mnist_mlp", "bn_mlp", "mnist_cnn", "keras_cifar10_cnn", "imdb_gru", "imdb_gru_reset_before",
         "lstm_forecast")  # fmt: skip


def asked(workload):
    """Return the workload's questions that an oracle can answer: outputs come with the first optimizer, and without."""
    return [registry.optimizers(workload)[0], "none"][bool(not registry.workload(workload).OPTIMIZERS) :]


@pytest.mark.parametrize("workload", [
    pytest.param(name, marks=[pytest.mark.nightly] * (name not in QUICK)) for name in registry.workload_names()
])  # fmt: skip
def test_every_right_answer_is_near_to_the_oracles(workload):
    assert oracle.is_known(workload)
    count = 0
    for optimizer in asked(workload):
        for subject, given in proof.answers(workload, optimizer).items():
            if ablations.is_same(subject.mode):
                assert max(judge.errors(workload, subject.task, given).values()) <= judge.TIMES, subject
                count += 1
    assert count > 10


def test_the_limit_leaves_out_what_a_mistake_does():
    """An epsilon of batch norm that is ten times what is stated."""
    problem = registry.workload("bn_mlp")
    right = judge.stated("bn_mlp", "infer")
    weights = problem.weights(np.random.RandomState(0))
    x, _ = registry.parity_batch(problem, np.random.RandomState(1))
    net = oracle.Layers({name: value.astype(float) for name, value in weights.items()}, is_training=False)
    hidden = net.batch_norm(oracle.relu(net.dense(x.astype(float), "hidden1")), "norm1", 1e-2)
    hidden = net.batch_norm(oracle.relu(net.dense(hidden, "hidden2")), "norm2", 1e-2)
    wrong = answer.comparable(net.dense(hidden, "head"), problem)
    assert judge.farthest(wrong[None], right.outputs[:1]) > judge.TIMES * judge.ROUNDING * 10


def test_the_two_forms_of_a_gru_are_not_the_same():
    problem = registry.workload("imdb_gru_reset_before")
    weights = {**problem.weights(np.random.RandomState(0)), "gru.recurrent_bias": np.zeros(300)}
    words, _ = registry.parity_batch(problem, np.random.RandomState(1))
    before, after = (oracle.outputs(name, weights, words) for name in ("imdb_gru_reset_before", "imdb_gru"))
    assert np.linalg.norm(before - after) / np.linalg.norm(before) > 10 * parity.TOLERANCES["outputs"]


def test_the_loss_of_each_kind_is_its_formula():
    logits, y = np.array([[1.0, 2.0, 0.5], [0.0, 0.0, 0.0]]), np.array([1, 2])
    shares = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    assert oracle.loss_of("linear", logits, y) == pytest.approx(-np.log(shares[[0, 1], y]).mean())
    ones = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    true = 1 / (1 + np.exp(-logits))
    expected = -(ones * np.log(true) + (1 - ones) * np.log(1 - true)).mean()
    assert oracle.loss_of("densenet121", logits, ones) == pytest.approx(expected)
    assert oracle.loss_of("lstm_forecast", logits, ones) == pytest.approx(((logits - ones) ** 2).mean())


def test_a_batchs_loss_is_that_which_frameworks_answered():
    problem, random = registry.workload("linear"), np.random.RandomState(1)
    weights, batch = problem.weights(np.random.RandomState(0)), registry.parity_batch(problem, random)
    given = next(iter(proof.answers("linear", "adam").values()))
    assert oracle.loss("linear", weights, batch) == pytest.approx(given["loss"][0], rel=1e-6)


def by_tanh(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@pytest.fixture(scope="module")
def outputs():
    """What the oracle says of text_transformer, and with GELU by tanh, of which a scale leaves a quarter."""
    right = judge.stated("text_transformer", "infer").outputs
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("bench.oracle.text_transformer.gelu", by_tanh)
        return right, right + (judge.stated.__wrapped__("text_transformer", "infer").outputs - right) / 4


@pytest.fixture
def few(outputs, tmp_path):
    """Three frameworks' answers to text_transformer: the last is wrong."""
    about = {"problem": proof.problem_hash("text_transformer"), "proof": "p"}
    right, wrong = outputs
    subjects = []
    for name, given in (("a", right), ("b", right), ("c", wrong)):
        subjects.append(proof.Subject("text_transformer", "none", name, "plain"))
        answer.save(str(tmp_path / subjects[-1].file), {"outputs": given.astype(np.float32)}, about)
    return subjects


def test_with_three_frameworks_gelu_by_tanh_is_refused(few, tmp_path):
    *right, wrong = few
    kept = proof.answers("text_transformer", "none", str(tmp_path))
    assert all(parity.compare(kept[wrong], kept[each]).passes for each in right), "parity alone lets it pass"
    assert all(proof.judge(each, "p", str(tmp_path)).passes for each in right)
    found = proof.judge(wrong, "p", str(tmp_path))
    assert not found.passes
    assert "its outputs" in found.reason
    assert "as far from what the statement says in NumPy (bench/oracle/text_transformer.py)" in found.reason


def test_a_stated_reason_lets_it_pass(few, tmp_path, monkeypatch):
    monkeypatch.setattr(judge, "differs", lambda *_: {"outputs": "GELU is so here"})
    assert proof.judge(few[-1], "p", str(tmp_path)).passes
    monkeypatch.setattr(judge, "differs", lambda *_: {"learning": "about another thing"})
    assert not proof.judge(few[-1], "p", str(tmp_path)).passes


def test_outputs_of_another_shape_or_that_are_no_numbers_are_far():
    right = np.ones((2, 3, 4))
    assert judge.farthest(right[:, :2], right) == float("inf")
    assert judge.farthest(right * np.nan, right) == float("inf")


@pytest.mark.usefixtures("without_oracle")
def test_a_workload_without_an_oracle_is_a_warning():
    (row,) = program_checks.oracles("linear", [], None)
    assert (row.what, row.of, row.outcome) == ("oracle", "linear", "warning")
    assert "bench/oracle/linear.py" in row.found


def rows(done):
    cells = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in done.stdout.splitlines()]
    return {row[0]: row[2:] for row in cells if len(row) == 4}


@pytest.mark.parametrize(("wrong", "outcome"), [
    ("FRACTION_BITS = 14", "ok"), ("", "warning"), pytest.param("absent", "warning", marks=pytest.mark.nightly),
])  # fmt: skip
def test_check_plants_mistakes_and_tells_which_pass_unseen(wrong, outcome, tmp_path, own_frameworks):
    path = own_frameworks / "numpy" / "framework.toml"
    planted = f'\n[planted.activation]\n"DROPOUT = 0.2" = "DROPOUT = 0.3; {wrong}"\n'  # inference has no dropout
    path.write_text(path.read_text() + planted)
    found = rows(Bench(tmp_path, str(own_frameworks), ("numpy-a", "numpy-b"))("check", "--workload", "mnist_mlp"))
    assert found["mistakes"][0] == outcome
    assert found["oracle"] == ["ok", "4 answers are as near as float32 allows"]


def test_every_current_framework_says_how_mistakes_are_written():
    asked = [each for each in registry.environments().values() if each.is_default]
    modern = [each for each in asked if "gelu" in each.planted and each.name in registry.usual()]
    lacking = {each.name for each in modern if not set(program_checks.IN_MODEL_FILES) <= set(each.planted)}
    assert len({Path(each.folder).name for each in modern if each.name not in lacking}) >= 4, lacking
