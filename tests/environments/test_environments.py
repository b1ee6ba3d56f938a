"""Inside every installed environment: contracts are kept, kept answers are of this code, planted bugs are found."""

import os
import shutil

import numpy as np
import pytest

from bench import answer, contract, parity, proof, registry
from bench.cases import Case
from bench.controls import waiting

pytestmark = pytest.mark.environment


def answered(row):
    return [name for name in registry.workload_names() if os.path.exists(registry.model_path(row, name))]


def test_an_environment_loads_its_pinned_versions(environment, ask):
    row, _ = environment
    reply = ask("probe")
    assert reply["status"] == "ok", reply
    pinned = dict(pin.split("==") for pin in row.packages + row.cpu if ";" not in pin)
    installed = {name.lower().replace("_", "-"): version for name, version in reply["packages"].items()}
    for name, version in pinned.items():
        assert installed[name.split("[")[0].lower().replace("_", "-")] == version


def test_the_adapter_keeps_its_contract_in_every_mode(environment, ask):
    row, _ = environment
    for mode in row.modes:
        reply = ask("contract", workload="mnist_mlp", mode=mode.name)
        assert reply["status"] == "ok", reply
        assert {sentence: problem for sentence, problem in reply["checks"].items() if problem} == {}, mode.name


@pytest.mark.parametrize("sabotage", [name for name in waiting.SABOTAGES if name != waiting.NOTHING])
def test_a_wait_that_was_left_out_is_noticed(sabotage, environment, ask):
    row, _ = environment
    reply = ask("control", control=waiting.NAME, workload=waiting.WORKLOAD, mode=row.modes[0].name, seed=0,
                sabotage=sabotage)  # fmt: skip
    if reply["status"] == "unsupported":
        pytest.skip(reply["reason"])
    assert reply["status"] == "ok", reply
    assert contract.wait_returns_the_number_of_its_step.__name__ in reply["about"]["caught_by"]


def looks_words_up(problem):
    x, _ = registry.parity_batch(problem, np.random.RandomState(0))
    return (x[0] if isinstance(x, tuple) else x).dtype.kind == "i"


def test_models_that_drop_out_or_look_words_up_do_as_stated(environment, ask):
    row, _ = environment
    sentences = [sentence.__name__ for sentence in contract.ABOUT_A_MODEL]
    for workload in answered(row):
        problem = registry.workload(workload)
        if hasattr(problem, "parity_batch") or not (problem.DROPOUT or looks_words_up(problem)):
            continue  # the kept answer has proven all: names, shapes, gradients and steps
        reply = ask("contract", workload=workload, mode=row.modes[0].name, sentences=sentences)
        assert reply["status"] == "ok", reply
        assert reply["checks"] == dict.fromkeys(sentences, ""), workload


def test_every_kept_answer_is_of_this_code_and_agrees_with_the_others(environment, ask):
    row, _ = environment
    proofs = ask("probe")["proofs"]
    for workload in answered(row):
        for optimizer in registry.optimizers(workload):
            kept = [subject for subject in proof.answers(workload, optimizer) if subject.environment == row.name]
            for subject in kept:
                verdict = proof.judge(subject, proofs[workload])
                assert verdict.passes, f"{subject}: {verdict.reason} (nox -s parity answers again)"


def test_one_workload_is_measured_in_training_and_inference(environment, ask):
    row, _ = environment
    for task, optimizer in (("train", "rmsprop"), ("infer", "none")):
        case = Case(
            "mnist_mlp",
            row.name,
            task,
            row.modes[0].name,
            "fp32",
            row.layout,
            "cpu",
            128,
            optimizer,
            "documented",
            "random",
        )
        reply = ask("measure", case=case._asdict(), profile="smoke", seed=1)
        assert reply["status"] == "ok", reply
        assert min(reply["block_s"]) > 0
        assert reply["peak_host_memory_bytes"] > 10**7


def test_training_over_data_is_measured_by_hand_and_by_the_frameworks_own_loop(environment, ask):
    row, _ = environment
    for task, losses in (("epochs", 2), ("fit", 1)):
        if task == "fit" and not row.has_fit:
            continue
        case = Case("mnist_mlp", row.name, task, row.modes[0].name, "fp32", row.layout, "cpu", 128, "rmsprop",
                    row.modes[0].tier, "mnist-stand-in-300")  # fmt: skip
        reply = ask("measure", case=case._asdict(), profile="smoke", seed=1, data=None)
        assert reply["status"] == "ok", reply
        assert (reply["steps_per_epoch"], len(reply["losses"]), len(reply["epoch_s"])) == (2, losses, 1)
        assert (reply["first_step_s"] is None) == (task == "fit")
        assert 0 <= reply["test_scores"][0] <= 1
        assert all(0 < loss < 100 for loss in reply["losses"])


def planted(row, folder, files, replacements):
    """Copy the environment's framework folder with a bug planted; returns the folder of frameworks."""
    target = folder / os.path.basename(row.folder)
    shutil.copytree(row.folder, target)
    found = 0
    for name in files(target):
        text = name.read_text()
        for right, wrong in replacements.items():
            found += text.count(right)
            text = text.replace(right, wrong)
        name.write_text(text)
    assert found, f"none of {list(replacements)} stands in {row.folder}: the bug could not be planted"
    return str(folder)


def adapters(folder):
    """Return a framework's files that are no model file: its adapter, and what lies beside it."""
    return [path for path in folder.glob("*.py") if path.stem not in registry.workload_names()]


BUGS = {  # the answer that shows it, where it is planted, what is written instead
    "batch norm epsilon": ("resnet50", "none", lambda folder: [folder / "resnet50.py"], lambda _: {"1.001e-5": "1e-3"}),
    "missing training flag": ("bn_mlp", "adam", adapters, lambda row: row.planted),
}


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_breaks_parity(bug, environment, ask, tmp_path):
    row, _ = environment
    workload, optimizer, files, replacements = BUGS[bug]
    if workload not in answered(row):
        pytest.skip(f"{row.title} has no batch norm to get wrong: it does not answer {workload}")
    subject = proof.Subject(workload, optimizer, row.name, row.modes[0].name)
    kept = proof.answers(workload, optimizer)
    others = {other: given for other, given in kept.items() if other.environment != row.name}
    assert others
    assert all(parity.compare(kept[subject], given).passes for given in others.values()), "without the bug"
    frameworks = planted(row, tmp_path / "frameworks", files, replacements(row))
    reply = ask("answer", subjects=[list(subject)], folder=str(tmp_path), frameworks=frameworks)
    assert reply["status"] == "ok", reply
    assert not any(parity.compare(answer.read(str(tmp_path / subject.file)), given).passes for given in others.values())
