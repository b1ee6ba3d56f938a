"""Defects that once passed every check, planted in a right program: each is caught by the check made for it."""

import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from environments import defects

from bench import answer, measure, proof, registry
from bench.errors import ContractError, DefinitionError
from bench.problem import RMSprop, dense, labels, merge
from bench.proof import consensus, parity
from bench.worker import contract, late_steps, programs

COUNTED = contract.the_statement_counts_its_parameters
DROPS_OUT = contract.training_drops_out_and_inference_does_not
STAYS = contract.what_has_no_gradient_stays


@pytest.fixture
def adapter(frameworks):
    return registry.adapter(registry.environment("numpy-a", frameworks))


def verdict(sentence, frameworks, adapter):
    environment = registry.environment("numpy-a", frameworks)
    return contract.check(environment, adapter, "plain", "mnist_mlp", (sentence,))[sentence.__name__]


def decayed_apart(adapter, _):
    adapter.Program = defects.planted(adapter.Program, defects.Decays, "mnist_mlp")


def decayed_in_the_gradient(adapter, _):
    """As the `weight_decay` of most frameworks' SGD, Adam and RMSprop does: which gradients() does not see."""
    train = adapter.Program._train

    def step(program, batch):
        def gradients(batch):
            outputs, loss, found = type(program).gradients(program, batch)
            return outputs, loss, {name: value + defects.DECAY * program.values[name] for name, value in found.items()}

        program.gradients = gradients
        loss = train(program, batch)
        del program.gradients
        return loss

    adapter.Program._train = step


def planted_in(**parts):
    """Return what replaces parts of the adapter's program."""
    return lambda adapter, monkeypatch: [monkeypatch.setattr(adapter.Program, *part) for part in parts.items()]


def stated_as(**parts):
    """Return what replaces parts of the workload's statement."""
    problem = registry.workload("mnist_mlp")
    return lambda _, monkeypatch: [monkeypatch.setattr(problem, *part) for part in parts.items()]


MISCOUNTED = stated_as(PARAMETERS=669_706 - 10)
BROKEN = {  # what is planted, the sentence that must break, and what it must say
    "decayed apart": (decayed_apart, STAYS, "kernel: without a gradient"),
    "decayed in the gradient": (decayed_in_the_gradient, STAYS, "kernel: without a gradient"),
    "dropped out where none is stated": (stated_as(DROPOUT=()), DROPS_OUT, "drops out unasked"),
    # As dropout in a layer that without_dropout() does not know, such as attention.
    "dropped out all the same": (planted_in(without_dropout=lambda _: None), DROPS_OUT, "drops out unasked"),
    "never dropped out": (
        planted_in(place=lambda program, x, y: program.without_dropout() or (x, y)), DROPS_OUT, "dropout is off"),
    "miscounted": (MISCOUNTED, COUNTED, "PARAMETERS is 669696"),
}  # fmt: skip


@pytest.mark.parametrize(("plant", "sentence", "said"), BROKEN.values(), ids=BROKEN)
def test_a_planted_defect_breaks_its_sentence(plant, sentence, said, frameworks, adapter, monkeypatch):
    assert verdict(sentence, frameworks, adapter) == ""
    plant(adapter, monkeypatch)
    assert said in verdict(sentence, frameworks, adapter)


def test_the_parameters_are_counted_first_and_by_an_answer_as_well(adapter, frameworks, monkeypatch):
    assert contract.CHECKS[0] is COUNTED
    MISCOUNTED(adapter, monkeypatch)
    environment = registry.environment("numpy-a", frameworks)
    asked = {"infer": answer.answer_inference, "train": partial(answer.answer_training, has_gradients=True)}
    for task, ask in asked.items():
        program = programs.program(adapter, environment, "mnist_mlp", task, "plain", "rmsprop")
        with pytest.raises(DefinitionError, match="PARAMETERS is 669696"):
            ask(program, registry.workload("mnist_mlp"))


def test_a_stated_decay_is_no_defect_and_another_one_is(frameworks, adapter, monkeypatch):
    class Decaying(RMSprop):
        weight_decay = defects.DECAY

    monkeypatch.setattr(registry.workload("mnist_mlp"), "OPTIMIZERS", {"rmsprop": Decaying(1e-3, 0.9, 1e-10)})
    assert "without a gradient" in verdict(STAYS, frameworks, adapter)
    decayed_apart(adapter, monkeypatch)
    assert verdict(STAYS, frameworks, adapter) == ""


@pytest.mark.parametrize("last", [("head.bias",), ()])
def test_where_most_kernels_have_a_gradient_nothing_is_told_and_that_is_said(last, frameworks, adapter, monkeypatch):
    monkeypatch.setattr(registry.workload("mnist_mlp"), "LAST", last, raising=False)
    assert "only 0 of 3 kernels have no gradient" in verdict(STAYS, frameworks, adapter)


def run(adapter, task, drops_out, defect=None, stated=None):
    """Let a small program, or one with a defect, make as many steps as a short run, and look at the late ones."""
    random, rates = np.random.RandomState(0), (0.2, 0.2) if drops_out else ()
    source = SimpleNamespace(LAYERS=("hidden1", "hidden2", "head"), DROPOUT=0.2 if drops_out else 0.0)
    program = adapter.Program(source, task, "plain", "rmsprop", None)
    program = defect(program) if defect else program
    weights = merge(dense(random, "hidden1", 30, 20), dense(random, "hidden2", 20, 20), dense(random, "head", 20, 10))
    program.load(weights)
    batch = program.place(random.standard_normal((16, 30)).astype("float32"), labels(random, 16, 10))
    numbers = [measure.block(program, batch, 1)[2] for _ in range(defects.STEPS)]
    timings = SimpleNamespace(loss_first=numbers[0], loss_last=numbers[-1], block_s=[0.01] * 6000, steps_per_block=2)
    problem = SimpleNamespace(DROPOUT=rates if stated is None else stated)
    late_steps.check(program, problem, task, weights, batch, timings)


@pytest.mark.parametrize("drops_out", [False, True])
@pytest.mark.parametrize("task", ["train", "infer"])
def test_a_right_run_goes_on_as_it_began(task, drops_out, adapter):
    run(adapter, task, drops_out)


@pytest.mark.parametrize(
    ("defect", "task", "drops_out", "said"),
    [
        (defects.LeavesOutEvery50th, "train", False, "moved no weight"),
        (defects.LeavesOutEvery50th, "train", True, "moved no weight"),
        (defects.LeavesOutEverySecondFrom30On, "train", False, "moved no weight"),
        (defects.LeavesOutEverySecondFrom30On, "train", True, "moved no weight"),
        (defects.SkipsEveryTenthWait, "train", False, "a wait gave a loss again"),
        (defects.SkipsEveryTenthWait, "train", True, "a wait gave a loss again"),
        (defects.SkipsWaitsOfBlocks, "train", False, "a wait gave the number"),
        (defects.SkipsWaitsOfBlocks, "infer", False, "a wait gave the number"),
        (defects.KeepsANumber, "train", False, "expected .* as at first"),
        (defects.KeepsANumber, "train", True, "expected|all had the loss"),
        (defects.KeepsANumber, "infer", False, "whatever the weights"),
    ],
)
def test_an_update_left_out_late_and_a_number_that_is_kept_are_seen(defect, task, drops_out, said, adapter):
    with pytest.raises(ContractError, match=said):
        run(adapter, task, drops_out, defect)


def test_dropout_where_none_is_stated_is_seen_in_the_run_itself(adapter):
    with pytest.raises(ContractError, match="as at first"):
        run(adapter, "train", drops_out=True, stated=())


def gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def gelu_by_tanh(x):
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


def outputs(activation, seed):
    """Return a two-layer network's outputs, rounded as one float32 implementation would."""
    random = np.random.RandomState(0)
    x, hidden, head = (random.standard_normal(shape) for shape in ((8, 16, 32), (32, 64), (64, 10)))
    rounding = 1e-7 * np.random.RandomState(seed).standard_normal((8, 16, 10))
    return {"outputs": (activation(x @ hidden) @ head * (1 + rounding)).astype(np.float32)}


def keep(folder, environment, given):
    subject = proof.Subject("mnist_mlp", "none", environment, "plain")
    answer.save(str(folder / subject.file), given, {"problem": proof.problem_hash("mnist_mlp"), "proof": "p"})
    return subject


@pytest.fixture
def answers(tmp_path):
    """Answers of four frameworks, the last of which has GELU by the hyperbolic tangent."""
    activations = {"a": gelu, "b": gelu, "c": gelu, "d": gelu_by_tanh}
    return [keep(tmp_path, name, outputs(each, seed)) for seed, (name, each) in enumerate(activations.items())]


def test_gelus_approximation_in_one_framework_is_within_the_tolerance_and_far_from_all_others(answers, tmp_path):
    kept = proof.answers("mnist_mlp", "none", str(tmp_path))
    *right, wrong = answers
    assert all(parity.compare(kept[wrong], kept[each]).passes for each in right)
    assert all(proof.judge(each, "p", str(tmp_path)).passes for each in right)
    found = proof.judge(wrong, "p", str(tmp_path))
    assert not found.passes
    assert "outputs" in found.reason
    assert "DIFFERS" in found.reason


def test_a_stated_reason_lets_it_pass_and_is_told(answers, tmp_path, monkeypatch):
    monkeypatch.setattr(consensus, "differs", lambda *_: {"outputs": "GELU by the hyperbolic tangent"})
    found = proof.judge(answers[-1], "p", str(tmp_path))
    assert found.passes
    assert "GELU by the hyperbolic tangent" in found.reason


def learns_less(given):
    """Let the losses fall by a hundredth less, and leave the weights as they were."""
    moved = given["losses"][: len(given["loss"])] - given["loss"]
    losses = given["losses"].copy()
    losses[: len(moved)] -= np.float32(0.01) * moved
    return {"losses": losses}


def moves_less(given):
    """Let one small tensor move half as far, and leave the losses as they were."""
    weights, place = given["weights"].copy(), given["weight_names"].tolist().index("head.bias")
    weights[place] = (weights[place] + given["start"][place]) / 2
    return {"weights": weights}


@pytest.mark.parametrize(
    ("alter", "said"), [(learns_less, "its learning at step "), (moves_less, "its movement at head.bias ")]
)
def test_a_kept_answer_of_which_one_kind_alone_is_far_from_all_others_is_refused(alter, said, tmp_path):
    documented = {(row.name, row.modes[0].name) for row in registry.environments().values() if row.is_default}
    kept = {subject: given for subject, given in proof.answers("linear", "adam").items() if subject[2:] in documented}
    for subject, given in kept.items():
        arrays = {name: value for name, value in given.items() if name not in ("start", "about")}
        altered = alter(given) if subject.environment == "pytorch" else {}
        about = {"problem": proof.problem_hash("linear"), "proof": "p"}
        answer.save(str(tmp_path / subject.file), dict(arrays, **altered), about)
    found = {subject.environment: proof.judge(subject, "p", str(tmp_path)) for subject in kept}
    assert "agrees with only" not in found["pytorch"].reason, "the comparisons alone let it pass"
    assert f"; {said}" in found["pytorch"].reason
    assert found["pytorch"].reason.count("times as far") == 1, "no other kind is far"
    assert [name for name, verdict in found.items() if not verdict.passes] == ["pytorch"]


@pytest.mark.usefixtures("without_oracle")
def test_of_three_answers_none_is_the_odd_one_without_an_oracle(answers, tmp_path):
    for path in (tmp_path / "a").iterdir():
        path.unlink()
    assert proof.judge(answers[-1], "p", str(tmp_path)).passes


def test_two_that_share_a_defect_are_not_far_from_each_other(answers, tmp_path):
    keep(tmp_path, "e", outputs(gelu_by_tanh, 7))
    assert all(proof.judge(each, "p", str(tmp_path)).passes for each in answers)


def test_environments_of_one_framework_that_share_a_defect_do_not_vouch_for_each_other(answers, tmp_path, monkeypatch):
    keep(tmp_path, "e", outputs(gelu_by_tanh, 7))
    known = {name: SimpleNamespace(framework="one", folder=str(tmp_path)) for name in ("d", "e")}
    monkeypatch.setattr(registry, "environments", lambda: known)
    (tmp_path / "mnist_mlp.py").write_text('"""A model file."""\n')
    assert not proof.judge(answers[-1], "p", str(tmp_path)).passes
    (tmp_path / "mnist_mlp.py").write_text('import absent\n\nDIFFERS = "as this framework\'s GELU is"\n')
    assert "as this framework's GELU is" in proof.judge(answers[-1], "p", str(tmp_path)).reason
    assert all(proof.judge(each, "p", str(tmp_path)).passes for each in answers[:-1]), "what is right stays right"
