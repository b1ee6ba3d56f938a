"""Parity finds what it must, and nothing else."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

from bench import answer, proof, registry
from bench.errors import ParityError
from bench.proof import kept_files, parity

AGAIN = "python -c 'from bench import proof; proof.write_starts()'"


def an_answer(seed=0, tensors=6, size=5000):
    random = np.random.RandomState(seed)
    values = {f"layer{i}.kernel": random.standard_normal(size) for i in range(tensors)}
    return values, {
        "outputs": random.standard_normal((3, 8, 10)).astype(np.float32),
        "loss": np.array([2.3, 2.4, 2.5], np.float32),
        "gradients": np.stack([answer.sketches(values)] * 3),
        "losses": np.linspace(2.3, 2.0, 20).astype(np.float32),
        "weights": answer.sketches(values),
        "gradient_names": np.array(sorted(values)),
        "weight_names": np.array(sorted(values)),
        "start": answer.sketches({name: 1.01 * value for name, value in values.items()}),
    }


def test_an_answer_equals_itself():
    _, one = an_answer()
    assert parity.compare(one, one).errors == dict.fromkeys(parity.TOLERANCES, 0)


@pytest.mark.parametrize("relative", [1e-5, 1e-3, 1e-1])
def test_a_sketch_measures_a_tensors_distance_to_within_its_stated_error(relative):
    ratios = []
    for seed in range(200):
        random = np.random.RandomState(seed)
        value = random.standard_normal(3000 + seed)
        a, b = answer.sketch(value + random.standard_normal(value.size) * relative), answer.sketch(value)
        ratios.append(np.linalg.norm(a - b) / np.linalg.norm(b) / relative)
    assert np.median(ratios) == pytest.approx(1, rel=0.05)
    assert np.std(ratios) < 0.35  # 18 % in numerator and denominator each


def test_one_changed_element_among_a_million_is_seen():
    value = np.random.RandomState(0).standard_normal(10**6)
    other = value.copy()
    other[123_456] += 50  # 5 % of the norm
    assert np.linalg.norm(answer.sketch(other) - answer.sketch(value)) == pytest.approx(50, rel=1e-3)


@pytest.mark.parametrize("kind", ["outputs", "loss", "losses", "weights", "gradients"])
def test_an_error_beyond_the_tolerance_fails_and_one_within_passes(kind):
    _, one = an_answer()
    tolerance = parity.TOLERANCES.get(kind, parity.TOLERANCES["outputs"])
    for factor, passes in ((2.0, False), (0.3, True)):
        other = dict(one)
        other[kind] = one[kind] * np.float32(1 + factor * tolerance)
        assert parity.compare(other, one).passes is passes, factor


def test_a_flipped_tie_in_one_batch_is_forgiven_and_a_bug_in_all_is_not():
    _, one = an_answer()
    other = dict(one, gradients=one["gradients"].copy())
    other["gradients"][0, 2] *= 1.05
    assert parity.compare(other, one).passes
    other["gradients"][:, 2] *= 1.05
    found = parity.compare(other, one)
    assert not found.passes
    assert found.worst["gradients"] == "layer2.kernel"
    assert "layer2.kernel" in parity.explain(found)


def test_an_optimizer_that_stands_still_is_found_even_where_20_steps_change_little():
    _, one = an_answer()
    one["loss"] = np.array([4.8, 4.9, 4.7], np.float32)
    one["losses"] = np.full(20, 4.8, np.float32)
    one["losses"][:3] = one["loss"] - np.array([0, 0.001, 0.002], np.float32)
    still = dict(one, losses=one["losses"].copy())
    still["losses"][:3] = one["loss"]
    found = parity.compare(still, one)
    assert found.errors["losses"] < parity.TOLERANCES["losses"] / 10
    assert (found.passes, found.worst["learning"]) == (False, "step 3")
    assert found.errors["learning"] == pytest.approx(1)
    assert not parity.compare(still, still).passes, "two that stand still prove nothing"


def test_nan_never_passes():
    _, one = an_answer()
    for kind in ("outputs", "loss", "losses", "weights", "gradients"):
        other = dict(one, **{kind: one[kind].copy()})
        other[kind].flat[0] = np.nan
        assert not parity.compare(other, one).passes, kind


def test_a_missing_weight_is_an_error_that_names_it():
    _, one = an_answer()
    _, other = an_answer(tensors=5)
    with pytest.raises(ParityError, match="layer5"):
        parity.compare(one, other)


def test_logits_and_log_probabilities_are_the_same_outputs():
    logits = np.random.RandomState(0).standard_normal((4, 10))
    log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    problem = registry.workload("mnist_mlp")
    assert np.allclose(answer.comparable(logits, problem), answer.comparable(log_p, problem), atol=1e-6)


def test_an_answer_in_inference_is_compared_by_its_outputs_alone():
    _, trained = an_answer()
    one = {"outputs": trained["outputs"]}
    assert parity.compare(one, one).errors == {"outputs": 0}
    other = {"outputs": one["outputs"].copy()}
    other["outputs"][1, 2, 3] += np.float32(1e-3)
    found = parity.compare(other, one)
    assert not found.passes
    assert "batch 2" in parity.explain(found)


def keep(folder, environment, given, proof_hash="p", question=("mnist_mlp", "rmsprop"), mode="plain"):
    subject = proof.Subject(*question, environment, mode)
    about = {"problem": proof.problem_hash(question[0]), "proof": proof_hash}
    held = {name: value for name, value in given.items() if name != "start"}  # which the statement tells
    answer.save(str(folder / subject.file), held, about)
    return subject


def test_a_tensor_that_stands_still_is_found_with_one_partner_in_a_network_of_any_size():
    _, right = an_answer(tensors=40)
    still = dict(right, weights=right["weights"].copy())
    still["weights"][3] = right["start"][3]
    found = parity.compare(still, right)
    assert found.errors["weights"] < parity.TOLERANCES["weights"]
    assert (found.passes, found.worst["movement"]) == (False, right["weight_names"][3])
    assert parity.CAUSES["movement"] in parity.explain(found)


@pytest.mark.parametrize(
    ("kinds", "cause"),
    [
        (["outputs", "losses"], "outputs"),
        (["gradients", "weights"], "gradients"),
        (["losses"], "losses"),
        (["weights"], "weights"),
        (["learning"], "movement"),
        (["learning", "movement"], "movement"),
    ],
)
def test_the_likely_cause_is_told_by_the_kinds_that_differ(kinds, cause):
    assert parity.likely_cause(kinds) == parity.CAUSES[cause]
    assert parity.likely_cause(["losses", "learning", "weights"]) == parity.OPTIMISER


@pytest.mark.parametrize("workload", [name for name in registry.workload_names() if registry.is_large(name)])
def test_the_kept_sketches_of_large_networks_are_of_their_statements(workload):
    with np.load(kept_files.STARTS) as kept:
        assert str(kept[f"{workload}.problem"]) == proof.problem_hash(workload), AGAIN


@pytest.mark.nightly
@pytest.mark.parametrize("workload", [name for name in registry.workload_names() if registry.is_large(name)])
def test_the_kept_sketches_of_large_networks_are_those_that_are_computed_anew(workload):
    kept, computed = kept_files.starts(workload, proof.problem_hash(workload)), kept_files.drawn_starts(workload)
    assert list(kept) == list(computed)
    assert all(np.array_equal(kept[name], computed[name]) for name in computed), AGAIN


@pytest.mark.usefixtures("without_oracle")
def test_an_environment_passes_when_most_others_agree_and_the_odd_one_fails(tmp_path):
    _, right = an_answer()
    subjects = [keep(tmp_path, name, right) for name in ("a", "b", "c")]
    odd = keep(tmp_path, "d", dict(right, losses=right["losses"] * np.float32(1.1)))
    assert all(proof.judge(subject, "p", str(tmp_path)).passes for subject in subjects)
    verdict = proof.judge(odd, "p", str(tmp_path))
    assert not verdict.passes
    assert "losses differ" in verdict.reason


@pytest.mark.usefixtures("without_oracle")
@pytest.mark.parametrize("others", [["caffe2-1.0", "jax", "pytorch"], ["caffe2-1.0", "chainer-3.1", "mxnet-1.0"]])
def test_a_framework_of_today_is_named_as_the_partner_that_disagrees_where_one_does(others, tmp_path):
    _, right = an_answer()
    for name in others:
        keep(tmp_path, name, right)
    odd = keep(tmp_path, "d", dict(right, losses=right["losses"] * np.float32(1.1)))
    known = registry.environments()
    expected = next((name for name in others if known[name].is_default), others[0])
    assert f"agrees with only 0 of 3; against {expected} (plain)" in proof.judge(odd, "p", str(tmp_path)).reason


@pytest.mark.usefixtures("without_oracle")
def test_a_second_optimizer_is_proven_only_with_the_gradients_that_the_first_ones_answer_holds(tmp_path):
    first, second = [("vgg16", optimizer) for optimizer in registry.optimizers("vgg16")[:2]]
    _, given = an_answer()
    shorter = {name: given[name] for name in ("losses", "weights", "weight_names")}
    subjects = [keep(tmp_path, name, shorter, question=second) for name in ("a", "b")]
    assert not any(proof.judge(subject, "p", str(tmp_path)).passes for subject in subjects)
    for name in ("a", "b"):
        keep(tmp_path, name, given, question=first)
    assert all(proof.judge(subject, "p", str(tmp_path)).passes for subject in subjects)
    keep(tmp_path, "a", dict(given, gradients=2 * given["gradients"]), question=first)
    assert "gradients differ" in proof.judge(subjects[0], "p", str(tmp_path)).reason


@pytest.mark.usefixtures("without_oracle")
def test_agreeing_with_nobody_or_an_answer_of_other_code_is_no_proof(tmp_path):
    _, right = an_answer()
    subject = keep(tmp_path, "a", right)
    assert not proof.judge(subject, "p", str(tmp_path)).passes
    keep(tmp_path, "b", right)
    assert proof.judge(subject, "p", str(tmp_path)).passes
    assert not proof.judge(subject, "new", str(tmp_path)).passes


def test_what_trains_other_weights_than_the_mode_that_it_changes_differs_from_it(tmp_path):
    question = ("efficientnet_b3", "adam")
    _, whole = an_answer()
    head = dict(whole, gradients=whole["gradients"][:, :1], gradient_names=whole["gradient_names"][:1])
    keep(tmp_path, "a", head, question=question)
    varied = keep(tmp_path, "a", whole, question=question, mode="plain+trunk_trained")
    verdict = proof.judge(varied, "p", str(tmp_path))
    assert (verdict.passes, verdict.reason) == (True, "trains other weights than plain, as it should")
    keep(tmp_path, "a", whole, question=question)
    assert not proof.judge(varied, "p", str(tmp_path)).passes


@pytest.mark.parametrize("environment", [each for each in registry.environments().values() if each.planted])
def test_a_bug_that_is_planted_in_a_framework_has_a_place_in_its_files(environment):
    code = "".join(path.read_text(encoding="utf-8") for path in Path(environment.folder).rglob("*.py"))
    assert [right for bug in environment.planted.values() for right in bug if right not in code] == []


@pytest.mark.parametrize(("bug", "workload"), [("training", "resnet50"), ("gelu", "text_transformer")])
def test_every_framework_states_how_a_bug_is_planted_where_it_has_a_place(bug, workload):
    asked = [each for each in registry.environments().values() if registry.answers(each, workload)]
    assert [each.name for each in asked if bug not in each.planted] == []


@pytest.mark.parametrize("workload", registry.workload_names())
def test_every_environment_has_answered_each_question_that_it_has_a_model_for_in_its_documented_mode(workload):
    usual = [registry.environment(name) for name in registry.usual()]
    known = [each for each in usual if registry.answers(each, workload)]
    assert known
    for optimizer in registry.optimizers(workload):
        asked = {proof.Subject(workload, optimizer, each.name, each.modes[0].name) for each in known}
        assert asked - set(proof.answers(workload, optimizer)) == set(), "nox -s parity"


def test_every_environment_has_answered_something():
    assert {each.environment for each in proof.subjects(proof.FOLDER)} == set(registry.environments())


def pinned(row):
    """Return the pins of an environment; a library may leave out the number of a wheel that was built again."""
    pins = [re.sub(r"\[.*\]|;.*", "", pin).strip().lower() for pin in row.packages + row.cpu + row.gpu]
    return {*pins, *(re.sub(r"\.post\d+$", "", pin) for pin in pins)}


@pytest.mark.parametrize("workload", registry.workload_names())
def test_every_kept_answer_is_of_this_code_and_its_pins_and_agrees(workload):
    """Also those of environments whose tests do not run now, because nothing that they depend on changed."""
    known = proof.Kept()
    for subject in (each for each in proof.subjects(proof.FOLDER) if each.workload == workload):
        row = registry.environment(subject.environment)
        about = answer.read(os.path.join(proof.FOLDER, subject.file))["about"]
        versions = dict(proof.versions(about["loaded"]))
        assert {f"{name}=={version}".lower() for name, version in versions.items()} <= pinned(row), subject
        again = f"nox -s parity -- --environment {row.name} answers again; or delete it: the next bench answers first"
        own = proof.about(subject, row, versions)
        assert proof.same(about["proof"], own["proof"]), f"{subject}: {again}"
        assert proof.same(about["problem"], own["problem"]), f"{subject}: {again}"
        verdict = proof.judge(subject, own["proof"], kept=known)
        assert verdict.passes, f"{subject}: {verdict.reason}"
