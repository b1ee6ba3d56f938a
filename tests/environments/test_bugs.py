"""Inside every installed environment: bugs that are planted in an adapter or a model file are found."""

import os
import re
import shutil

import defects
import learns_less
import pytest
from within import THREADS, TIMEOUT_S, adapters, inside, planted, printed

from bench import ablations, answer, files, proof, registry
from bench.campaign import campaign as campaigns
from bench.cases import Case
from bench.driver import processes
from bench.proof import parity
from bench.replies import Answer, Request
from bench.results import rivals

pytestmark = pytest.mark.environment
REPLY = {"status": "ok", "reason": None, "error_tail": None, "duration_s": 1.0}


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
def test_a_planted_bug_breaks_parity(bug, environment, save_answers, tmp_path):
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
    save_answers([subject], tmp_path, frameworks)
    assert not any(parity.compare(answer.read(str(tmp_path / subject.file)), given).passes for given in others.values())


def test_a_misspelled_layer_is_told_with_the_names_on_both_sides(environment, cache, tmp_path):
    row, python = environment
    if not registry.answers(row, "linear"):
        pytest.skip(f"{row.title} does not answer linear")
    subject = proof.Subject("linear", "none", row.name, registry.modes(row, "infer")[0].name)
    frameworks = planted(row, tmp_path / "frameworks", lambda folder: [folder / "linear.py"], {"head": "fc"})
    work = Answer([subject], [{}], {}, str(tmp_path))
    request = Request("answer", row.name, frameworks, THREADS, "cpu", work=work)
    reply = processes.call(python, row, request, TIMEOUT_S, cache)
    assert reply.status == "failed"
    assert re.search(r"does not state: (fc|fc\.bias, fc\.kernel); the workload states", reply.reason)  # or the layer
    assert "never asks for: head.bias, head.kernel. Likely a layer is misspelled" in reply.reason


def test_gelus_approximation_in_one_framework_fails(environment, save_answers, tmp_path):
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
    save_answers([subject], tmp_path, frameworks)
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


def test_with_three_frameworks_a_mistake_within_the_tolerance_fails(environment, save_answers, tmp_path):
    """An epsilon of layer norm that is a little off: parity's tolerance allows it, and float32 does not explain it."""
    row, _ = environment
    if not registry.answers(row, "text_transformer"):
        pytest.skip(f"{row.title} does not answer text_transformer")
    subject = proof.Subject("text_transformer", "none", row.name, registry.modes(row, "infer")[0].name)
    others = other_frameworks(row, subject, tmp_path, 2)
    assert len(others) == 2
    files = [tmp_path / "frameworks" / os.path.basename(row.folder) / "text_transformer.py"]
    frameworks = planted(row, tmp_path / "frameworks", lambda _: files, {"1e-5": "1.03e-5"})
    save_answers([subject], tmp_path, frameworks)
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


def judged(answer):
    """Return what a check said: its text, or what rivals say of the numbers that it printed."""
    if isinstance(answer, str):
        return answer
    case, right = Case(*answer["case"]), answer["right"]
    runs = [
        campaigns.run_record(each, {**REPLY, **numbers}, campaigns.Where(1, 0, 0), files.now(), "cold", 1, None)
        for each, numbers in ((case, answer["run"]), *((case._replace(environment=name), right) for name in "ab"))
    ]
    is_blind = registry.workload(case.workload).DROPOUT and right.get("loss_without_dropout") is None
    return rivals.odd(runs).get(0, defects.UNSEEN if is_blind and answer["is_planted"] else "")


def test_defects_that_once_passed_every_check_are_caught(environment, tmp_path, cache):
    row, python = environment
    if not registry.answers(row, "linear"):
        pytest.skip(f"{row.title} does not answer linear, which is small and has no dropout")
    printed_checks = printed(inside(row, python, tmp_path, cache, defects.__file__, row.name, "linear"))
    said = {check: judged(answer) for check, answer in printed_checks.items()}
    assert {check: said.pop(f"nothing: {check}") for check in defects.CHECKS} == dict.fromkeys(defects.CHECKS, "")
    expected = {f"{defect.__name__}: {check}": part for defect, check, part in defects.DEFECTS}
    unseen = {name for name in expected if said[name] == defects.UNSEEN}
    assert {name: part for name, part in expected.items() if name not in unseen and part not in said[name]} == {}
    assert unseen <= {"ShiftsLabelsOfTheMeasuredSize: rivals that drop out"}
    if unseen:
        pytest.skip(f"{row.title}: {defects.UNSEEN}")
