"""On a device and in a precision, each environment answers once more, and is held against what it has proven."""

import contextlib
import re
from types import SimpleNamespace

import numpy as np
import pytest

from bench import cases
from bench.campaign import opening
from bench.campaign.campaign import CampaignFile
from bench.proof import DeviceQuestion, Subject, questions
from bench.proof.parity import compare_on_device
from bench.results import records
from bench.results.lines import Answer

TRAINS = Subject("resnet50", "adam", "pytorch", "eager")
RANDOM = np.random.RandomState(0)


def case(device="cpu", precision="fp32", task="train", optimizer="sgd"):
    return cases.Case("resnet50", "pytorch", task, "eager", precision, "nchw", device, 16, optimizer, "documented",
                      "random")  # fmt: skip


def test_what_is_proven_is_not_asked_again():
    assert questions([case(), case(task="infer", optimizer="none")]) == []


def test_a_device_answers_in_full_and_another_precision_with_its_outputs_alone():
    first = TRAINS._replace(optimizer="sgd")
    assert questions([case("gpu", optimizer="adam")]) == [
        DeviceQuestion(first, "gpu", "fp32"),
        DeviceQuestion(TRAINS, "gpu", "fp32"),
    ]
    assert questions([case("cpu", "bf16", optimizer="adam")]) == [DeviceQuestion(first, "cpu", "bf16")]
    asked = questions([case("gpu", "tf32"), case("gpu", "bf16", "infer", "none")])
    assert [(each.subject.optimizer, each.precision) for each in asked] == [
        ("sgd", "fp32"), ("sgd", "tf32"), ("none", "fp32"), ("none", "bf16")]  # fmt: skip


OUTPUTS = RANDOM.normal(size=(8, 4, 10)).astype(np.float32)


def off_by(error):
    """Return outputs that are this far off, as a share of the largest in their batch."""
    return {"outputs": OUTPUTS + np.float32(error) * np.abs(OUTPUTS).max((1, 2), keepdims=True)}


@pytest.mark.parametrize(
    ("precision", "error", "rounding", "says"),
    [
        ("fp32", 5e-5, 0.0, ""),
        ("fp32", 5e-4, 0.0, "at most 1e-04 is allowed"),
        ("tf32", 5e-4, 3e-6, ""),
        ("tf32", 5e-3, 1e-6, "at most 3.0e-03 is allowed"),
        ("tf32", 4e-6, 3e-6, "tf32 does nothing"),
        ("tf32", 0.0, 0.0, "tf32 does nothing"),
        ("bf16", 5e-3, 3e-6, ""),
        ("bf16", 5e-2, 1e-6, "at most 3.0e-02 is allowed"),
        ("bf16", 5.6e-2, 4.2e-6, ""),  # of ResNet50 on an H200
        ("bf16", 0.2, 4.2e-6, "at most 1.3e-01 is allowed"),
        ("bf16", 2e-5, 3e-6, "bf16 does nothing"),
        ("bf16", float("nan"), 3e-6, "differ by inf"),
    ],
)
def test_an_answer_must_be_near_and_a_switch_must_act(precision, error, rounding, says):
    errors, reason = compare_on_device(off_by(error), {"outputs": OUTPUTS}, precision, rounding)
    assert says in reason
    assert bool(says) == bool(reason)
    assert errors["outputs"] == pytest.approx(error, rel=0.1, abs=1e-7) or np.isnan(error)


WORDS = ("--profile", "smoke", "--workload", "mnist_mlp", "--mode", "plain", "--environment", "numpy-a",
         "--environment", "numpy-b", "--no-table")  # fmt: skip


def measured(bench, *words):
    """Run a bench; return its lines of kind answer, its runs, and what was said."""
    done = bench("run", *WORDS, *words)
    lines = [line for path in sorted(bench.results.glob("*.jsonl")) for line in records.read(str(path))]
    return *([line for line in lines if line.kind == kind] for kind in ("answer", "run")), done.stderr


def test_bfloat16_is_measured_where_it_computes_what_was_proven(bench):
    answers, runs, said = measured(bench, "--precision", "bf16")
    assert [(line.environment, line.precision, line.status) for line in answers] == [
        ("numpy-a", "bf16", "ok"), ("numpy-b", "bf16", "ok")]  # fmt: skip
    assert all(1e-4 < line.errors["outputs"] < 3e-2 for line in answers)
    assert [(run.status, run.case.precision) for run in runs] == [("ok", "bf16")] * 2
    told = r"answer (\d)/2  mnist_mlp \(rmsprop\) numpy-([ab])/plain on the cpu in bf16: right, off by: outputs"
    numbers, named = zip(*re.findall(told, said), strict=True)
    assert (sorted(numbers), sorted(named)) == (["1", "2"], ["a", "b"])  # in the order in which they end


@pytest.mark.parametrize(("bits", "says"), [("23", "bf16 does nothing"), ("2", "at most 3.0e-02 is allowed")])
def test_a_switch_that_does_nothing_or_too_much_is_not_measured(bench, bits, says):
    bench.environment["FRACTION_BITS"] = bits
    answers, runs, _ = measured(bench, "--precision", "bf16")
    assert [line.status for line in answers + runs] == ["unproven"] * 4
    assert all(says in line.reason for line in answers + runs)


@pytest.mark.parametrize("is_interrupted", [False, True])
def test_an_interrupt_keeps_the_answers_that_were_given_and_not_those_of_processes_that_it_killed(
    monkeypatch, tmp_path, is_interrupted
):
    first = DeviceQuestion(TRAINS, "gpu", "fp32")
    groups = [[first], [first._replace(subject=TRAINS._replace(optimizer="sgd"))]]
    statuses = {"adam": "ok", "sgd": "killed"}

    def ask(group, *_):
        subject, device, precision = group[0]
        status = statuses[subject.optimizer]
        return [Answer(campaign="", **subject._asdict(), device=device, precision=precision, status=status, reason=None,
                       errors={}, duration_s=1.0)]  # fmt: skip

    def in_parallel(_label, do, places, _say):
        for place in places:
            do(place)
        if is_interrupted:
            raise KeyboardInterrupt

    monkeypatch.setattr(opening, "_ask", ask)
    monkeypatch.setattr(opening.preflight, "in_parallel", in_parallel)
    campaign = CampaignFile(str(tmp_path / "campaign.jsonl"), [])
    with pytest.raises(KeyboardInterrupt) if is_interrupted else contextlib.nullcontext():
        opening._answer_all(groups, {}, campaign, SimpleNamespace(say=print))
    assert [line.status for line in campaign.lines] == ["ok", "killed"][: 1 if is_interrupted else 2]
