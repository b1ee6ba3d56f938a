"""Inside every installed environment: contracts are kept, kept answers are of this code, planted bugs are found."""

import contextlib
import itertools
import json
import os
import re
import shutil

import defects
import learns_less
import numpy as np
import pytest
import waits
from within import THREADS, TIMEOUT_S, inside, small

from bench import ablations, answer, compiling, files, proof, registry
from bench.campaign import campaign as campaigns
from bench.cases import FED, PIPELINES, TASKS, Selection, most_workers, select
from bench.data import photographs
from bench.driver import processes, system
from bench.errors import DefinitionError
from bench.proof import parity
from bench.results import records
from bench.worker import contract, sabotage

pytestmark = pytest.mark.environment


def lightest(row, task):
    """Return the lightest case of a task among the small networks that an environment answers: none is compulsory.

    In the first of its modes that has the task.
    """
    asked = Selection(environments=[row.name], tasks=[task], examples=300, first_only=True)
    known = small(row)
    for case in select(asked, {row.name: "cpu"}):
        if case.workload in known:
            return case
    return pytest.skip(f"{row.title} answers no small network that has the task {task}")


def test_an_environment_loads_its_pinned_versions(environment, probed):
    row, _ = environment
    pinned = dict(pin.split("==") for pin in row.packages + row.cpu if ";" not in pin)
    installed = {name.lower().replace("_", "-"): version for name, version in probed["packages"].items()}
    for name, version in pinned.items():
        assert installed[name.split("[")[0].lower().replace("_", "-")] == version


def test_the_adapter_keeps_its_contract_in_every_mode(environment, ask):
    row, _ = environment
    workload = lightest(row, "train").workload
    lacking = {mode.name: system.missing(mode.system or {}) for mode in registry.modes(row, "train")}
    modes = [mode for mode, reason in lacking.items() if reason is None]
    checks = ask("contract", asked=[[workload, mode, None] for mode in modes])["checks"]
    for mode, found in zip(modes, checks, strict=True):
        assert {sentence: problem for sentence, problem in found.items() if problem} == {}, mode
    for mode, reason in lacking.items():
        if reason:
            pytest.skip(f"in mode {mode}: {reason}")


def test_a_wait_that_was_left_out_is_noticed(environment, tmp_path, cache):
    row, python = environment
    case = lightest(row, "train")
    noticed = contract.wait_returns_the_number_of_its_step.__name__
    said = told(inside(row, python, tmp_path, cache, waits.__file__, row.name, case.workload, case.mode))
    assert noticed not in said.pop(sabotage.NOTHING)
    if said[sabotage.HANDLE] is None:
        said.pop(sabotage.HANDLE)  # a step waits by itself and returns the number
    assert {name: noticed in by for name, by in said.items()} == dict.fromkeys(said, True)


def told(done):
    """Return what a script inside an environment has printed last."""
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def looks_words_up(problem):
    x, _ = registry.parity_batch(problem, np.random.RandomState(0))
    return (x[0] if isinstance(x, tuple) else x).dtype.kind == "i"


def questions_about_dropout_and_words(row):
    """Return what to ask of each small network: of all else, the kept answer has proven names, shapes and steps."""
    asked = []
    for workload in small(row):
        problem = registry.workload(workload)
        about = contract.ABOUT_DROPOUT * bool(problem.DROPOUT) + contract.ABOUT_WORDS * looks_words_up(problem)
        asked += [[workload, row.modes[0].name, [sentence.__name__ for sentence in about]]] if about else []
    return asked


def lightest_of_each(asked):
    """Return each sentence of these questions once, of the lightest network that it is about."""
    found, seen = [], set()
    for workload, mode, names in asked:
        new = [name for name in names if name not in seen]
        found += [[workload, mode, new]] if new else []
        seen.update(new)
    return found


@pytest.mark.long
@pytest.mark.parametrize("which", ["lightest", pytest.param("all", marks=pytest.mark.nightly)])
def test_models_that_drop_out_or_look_words_up_do_as_stated(which, environment, ask):
    row, _ = environment
    asked = questions_about_dropout_and_words(row)
    asked = lightest_of_each(asked) if which == "lightest" else asked
    for (workload, _, names), checks in zip(asked, ask("contract", asked=asked)["checks"], strict=True):
        assert checks == dict.fromkeys(names, ""), workload


def test_every_kept_answer_is_of_the_code_and_the_versions_that_the_environment_loads(environment, probed):
    """That answers agree with each other, tests/bench/test_parity.py shows without an environment."""
    row, _ = environment
    own = [subject for subject in proof.subjects(proof.FOLDER) if subject.environment == row.name]
    assert {subject.workload for subject in own} >= set(registry.answered(row))
    proofs = {subject: proof.about(subject, row, probed["loaded"])["proof"] for subject in own}
    stale = [subject for subject in own if not proof.is_kept(subject, proofs[subject])]
    assert stale == [], "nox -s parity answers again"


def test_every_ablation_has_proven_what_it_says_of_itself(environment, probed):
    row, _ = environment
    if not row.is_default:
        pytest.skip(f"{row.title} is no default environment: nobody is asked for its ablations")
    tasks = [task for task in TASKS if task not in FED]  # a loader leaves programs as they are
    for workload, task in itertools.product(registry.answered(row), tasks):
        for mode in ablations.variants(row, workload, task, "cpu"):
            optimizer = "none" if task == "infer" else registry.optimizers(workload)[0]
            subject = proof.Subject(workload, optimizer, row.name, mode.name)
            own = proof.about(subject, row, probed["loaded"])["proof"]
            assert proof.is_kept(subject, own), f"{subject}: nox -s parity -- --suite lessons"


def test_one_workload_is_measured_in_training_and_inference(environment, measure):
    row, _ = environment
    for task in ("train", "infer"):
        reply = measure(lightest(row, task))
        assert len(reply["block_s"]) == 3
        assert min(reply["block_s"]) > 0
        assert reply["peak_host_memory_bytes"] > 10**7


def test_training_over_data_is_measured_by_hand_and_by_the_frameworks_own_loop(environment, measure):
    row, _ = environment
    for task in ("epochs", "fit"):
        if task == "fit" and not row.has_fit:
            continue
        case = lightest(row, task)
        reply = measure(case)
        steps = 300 // case.batch_size
        losses = steps if task == "epochs" else 1
        assert (reply["steps_per_epoch"], len(reply["losses"]), len(reply["epoch_s"])) == (steps, losses, 1)
        assert (reply["first_step_s"] is None) == (task == "fit")
        assert 0 <= reply["test_scores"][0] <= 1
        assert all(0 < loss < 100 for loss in reply["losses"])


def loaders(row, examples):
    """Return the cases of an environment's loaders, and of the network alone; none where it has no loader."""
    asked = Selection(["photo_cnn"], [row.name], batch_sizes=[8], examples=examples, suite=PIPELINES)
    documented = registry.modes(row, FED[0])[0].name
    if_asked = [f"{documented}+{name}+{number}" for name in ablations.names() for number in (0, 2)
                if getattr(ablations.statement(name), "NUMBERS", None) == ()]  # fmt: skip
    found = []
    for modes in ([], if_asked):
        with contextlib.suppress(DefinitionError):
            found += select(asked._replace(modes=modes), {row.name: "cpu"})
    return found


@pytest.mark.parametrize("which", ["most workers", pytest.param("all", marks=pytest.mark.nightly)])
def test_every_loader_brings_what_is_in_the_files(which, environment, measure, tmp_path):
    row, _ = environment
    cases = loaders(row, 16) if which == "all" else most_workers(loaders(row, 16))
    if not cases:
        pytest.skip(f"{row.title} has no loader")
    photographs.prepare(cases, str(tmp_path), "", print)
    for case in cases:
        # Which holds a loader against the photographs before it is timed, and says where a version has none.
        reply = measure(case, str(tmp_path), may_skip=bool(ablations.split(case.mode)[1]))
        assert (reply["steps_per_epoch"], len(reply["epoch_s"])) == (2, 2), case.mode
        assert len(reply["loading_s"]) == bool(ablations.split(case.mode)[1]), case.mode


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
    "batch norm epsilon": ("bn_mlp", "none", lambda folder: [folder / "bn_mlp.py"], lambda _: {"1e-3": "1e-5"}),
    "deep batch norm epsilon": (
        "resnet50",
        "none",
        lambda folder: [folder / "resnet50.py"],
        lambda _: {"1.001e-5": "1e-3"},
    ),
    "missing training flag": ("bn_mlp", "adam", adapters, lambda row: row.planted["training"]),
}


DEEP = "deep batch norm epsilon"


@pytest.mark.parametrize("bug", [pytest.param(bug, marks=[pytest.mark.nightly] * (bug == DEEP)) for bug in BUGS])
def test_a_planted_bug_breaks_parity(bug, environment, ask, tmp_path):
    row, _ = environment
    workload, optimizer, files, replacements = BUGS[bug]
    if not registry.answers(row, workload):
        pytest.skip(f"{row.title} has no batch norm to get wrong: it does not answer {workload}")
    subject = proof.Subject(workload, optimizer, row.name, row.modes[0].name)
    kept = proof.answers(workload, optimizer)
    as_documented = [each for each in kept if not ablations.split(each.mode)[1]]  # one forgets the flag on purpose
    others = {other: kept[other] for other in as_documented if other.environment != row.name}
    assert others
    assert all(parity.compare(kept[subject], given).passes for given in others.values()), "without the bug"
    frameworks = planted(row, tmp_path / "frameworks", files, replacements(row))
    ask("answer", subjects=[list(subject)], folder=str(tmp_path), frameworks=frameworks)
    assert not any(parity.compare(answer.read(str(tmp_path / subject.file)), given).passes for given in others.values())


def test_a_misspelled_layer_is_told_with_the_names_on_both_sides(environment, cache, tmp_path):
    row, python = environment
    if not registry.answers(row, "linear"):
        pytest.skip(f"{row.title} does not answer linear")
    subject = proof.Subject("linear", "none", row.name, registry.modes(row, "infer")[0].name)
    frameworks = planted(row, tmp_path / "frameworks", lambda folder: [folder / "linear.py"], {"head": "fc"})
    request = {"request": "answer", "subjects": [list(subject)], "about": [{}], "loaded": {}, "folder": str(tmp_path),
               "threads": THREADS, "frameworks": frameworks, "device": "cpu", "precision": "fp32"}  # fmt: skip
    reply = processes.call(python, row, request, TIMEOUT_S, cache)
    assert reply["status"] == "failed"
    assert re.search(r"does not state: (fc|fc\.bias, fc\.kernel); the workload states", reply["reason"])  # or the layer
    assert "never asks for: head.bias, head.kernel. Likely a layer is misspelled" in reply["reason"]


def test_gelus_approximation_in_one_framework_fails(environment, ask, tmp_path):
    row, _ = environment
    if "gelu" not in row.planted:
        pytest.skip(f"{row.title} has no GELU to get wrong: it answers no workload that has one")
    subject = proof.Subject("text_transformer", "none", row.name, registry.modes(row, "infer")[0].name)
    kept = [each for each in proof.answers(subject.workload, subject.optimizer) if each.environment != row.name]
    known = registry.environments()
    if len({known[each.environment].framework for each in kept} - {row.framework}) < proof.LEAST_OTHERS:
        pytest.skip("fewer than three other frameworks have answered text_transformer: nox -s parity")
    for each in kept:
        (tmp_path / each.file).parent.mkdir(exist_ok=True)
        shutil.copy(os.path.join(proof.FOLDER, each.file), tmp_path / each.file)
    files = [tmp_path / "frameworks" / os.path.basename(row.folder) / "text_transformer.py"]
    frameworks = planted(row, tmp_path / "frameworks", lambda _: files, row.planted["gelu"])
    ask("answer", subjects=[list(subject)], folder=str(tmp_path), frameworks=frameworks)
    verdict = proof.judge(subject, answer.read(str(tmp_path / subject.file))["about"]["proof"], str(tmp_path))
    assert not verdict.passes
    assert "outputs" in verdict.reason


def other_frameworks(row, subject, folder, most):
    """Copy an answer of each of at most so many other frameworks to a question, and return them."""
    known, found = registry.environments(), {}
    for each in proof.answers(subject.workload, subject.optimizer):
        framework = known[each.environment].framework
        if framework != row.framework and ablations.is_same(each.mode) and (framework in found or len(found) < most):
            found.setdefault(framework, each)
    for each in found.values():
        (folder / each.file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.path.join(proof.FOLDER, each.file), folder / each.file)
    return list(found.values())


def test_with_three_frameworks_a_mistake_within_the_tolerance_fails(environment, ask, tmp_path):
    """An epsilon of layer norm that is a little off: parity's tolerance allows it, and float32 does not explain it."""
    row, _ = environment
    if not registry.answers(row, "text_transformer"):
        pytest.skip(f"{row.title} does not answer text_transformer")
    subject = proof.Subject("text_transformer", "none", row.name, registry.modes(row, "infer")[0].name)
    others = other_frameworks(row, subject, tmp_path, 2)
    assert len(others) == 2
    files = [tmp_path / "frameworks" / os.path.basename(row.folder) / "text_transformer.py"]
    frameworks = planted(row, tmp_path / "frameworks", lambda _: files, {"1e-5": "1.03e-5"})
    ask("answer", subjects=[list(subject)], folder=str(tmp_path), frameworks=frameworks)
    given = answer.read(str(tmp_path / subject.file))
    kept = proof.answers(subject.workload, subject.optimizer)
    assert all(parity.compare(given, kept[other]).passes for other in others), "parity alone lets it pass"
    verdict = proof.judge(subject, given["about"]["proof"], str(tmp_path))
    assert not verdict.passes
    assert "what the statement says in NumPy" in verdict.reason


def test_a_tensor_that_learns_a_little_less_passes_each_comparison_and_is_far_from_all(environment, tmp_path, cache):
    row, python = environment
    if not registry.answers(row, "linear"):
        pytest.skip(f"{row.title} does not answer linear")
    subject = proof.Subject("linear", registry.optimizers("linear")[0], row.name, row.modes[0].name)
    answers = tmp_path / "answers"
    assert len(other_frameworks(row, subject, answers, 5)) == 5
    done = inside(
        row, python, tmp_path, cache, learns_less.__file__, row.name, *subject[:2], subject.mode, str(tmp_path)
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for number, (*_, said) in enumerate(learns_less.PLANTED):
        given = answer.read(str(tmp_path / f"{number}.npz"))
        del given["about"]
        answer.save(str(answers / subject.file), given, {"problem": proof.problem_hash("linear"), "proof": "p"})
        verdict = proof.judge(subject, "p", str(answers))
        assert verdict.passes is not bool(said), verdict.reason
        assert verdict.reason.startswith("agrees with"), verdict.reason
        assert "agrees with only" not in verdict.reason, "the comparisons alone let it pass"
        assert said in verdict.reason


def test_defects_that_once_passed_every_check_are_caught(environment, tmp_path, cache):
    row, python = environment
    if not registry.answers(row, "linear"):
        pytest.skip(f"{row.title} does not answer linear, which is small and has no dropout")
    said = told(inside(row, python, tmp_path, cache, defects.__file__, row.name, "linear"))
    assert {check: said.pop(f"nothing: {check}") for check in defects.CHECKS} == dict.fromkeys(defects.CHECKS, "")
    expected = {f"{defect.__name__}: {check}": part for defect, check, part in defects.DEFECTS}
    unseen = {name for name in expected if said[name] == defects.UNSEEN}
    assert {name: part for name, part in expected.items() if name not in unseen and part not in said[name]} == {}
    assert unseen <= {"ShiftsLabelsOfTheMeasuredSize: rivals that drop out"}
    if unseen:
        pytest.skip(f"{row.title}: {defects.UNSEEN}")


def compiling_case(row):
    """Return the lightest training case of an environment's first mode that compiles; skip if none can here."""
    modes = [mode for mode in registry.modes(row, "train") if mode.compiles and not system.missing(mode.system or {})]
    if not modes:
        pytest.skip(f"{row.title} has no mode that compiles here")
    return lightest(row, "train")._replace(mode=modes[0].name)


def test_a_line_of_a_campaign_says_what_was_compiled(environment, measure, tmp_path):
    """From the worker to the file."""
    case = compiling_case(environment[0])
    where, folder = campaigns.Where(1, 0, 0), str(tmp_path / "campaign.jsonl")
    reply = {"status": "ok", "reason": None, "error_tail": None, **measure(case)}
    campaign = campaigns.CampaignFile(folder, [])
    campaign.write(campaigns.run_record(case, reply, where, files.now(), "cold", 1, None))
    (line,) = records.read(folder)
    assert line.status == "ok"
    assert line.compiled not in (None, compiling.NOTHING)


def test_a_compiling_mode_that_is_forced_to_run_eagerly_says_so(environment, measure, tmp_path):
    row, _ = environment
    if "eager" not in row.planted:
        pytest.skip(f"{row.title} says in no [planted.eager] how its step could stay as it is")
    frameworks = planted(row, tmp_path / "frameworks", adapters, row.planted["eager"])
    assert measure(compiling_case(row), frameworks=frameworks)["compiled"] == compiling.NOTHING


def test_a_variable_that_changes_arithmetic_is_refused_in_the_shell_and_part_of_the_proof_in_the_environment(
    environment, ask, monkeypatch
):
    row, _ = environment
    workload = registry.answered(row)[0]
    stated = row._replace(variables={**row.variables, "ONEDNN_DEFAULT_FPMATH_MODE": "BF16"})
    assert proof.proof_hash(workload, stated, {}) != proof.proof_hash(workload, row, {})
    monkeypatch.setenv("ONEDNN_DEFAULT_FPMATH_MODE", "BF16")
    with pytest.raises(DefinitionError, match=r"ONEDNN_DEFAULT_FPMATH_MODE=BF16 changes what .* Unset it"):
        ask("probe")
    monkeypatch.delenv("ONEDNN_DEFAULT_FPMATH_MODE")
    assert ask("probe")["loaded"]
