"""Mixed precision inside every installed environment, on the processor: near to float32, and not the same."""

import pytest
from within import small

from bench import machine, proof, registry
from bench.cases import SHORT, Case
from bench.proof import parity

pytestmark = pytest.mark.environment


def cases(row, names):
    """Return the inference of each of these networks, and the training of some."""
    mode = row.modes[0].name
    return [
        Case(name, row.name, task, mode, "bf16", row.layout, "cpu", 1, optimizer, "documented", "random")
        for name in names
        for task, optimizer in (("train", registry.optimizers(name)[0]), ("infer", "none"))
        if task == "infer" or name in SHORT
    ]  # fmt: skip


@pytest.mark.parametrize("which", ["lightest", pytest.param("all", marks=pytest.mark.nightly)])
def test_in_bfloat16_a_network_is_near_to_what_it_was_proven_to_be_and_not_the_same(
    which, environment, save_answers, tmp_path, subtests
):
    row, _ = environment
    if registry.MIXED not in row.precisions:
        pytest.skip(f"{row.title} has no bfloat16")
    if not machine.has_bfloat16():
        pytest.skip("this processor has no bfloat16: frameworks emulate it each their way, or refuse")
    names = small(row) if which == "all" else [name for name in small(row) if name in SHORT][:1]
    asked = proof.questions(cases(row, names))
    save_answers([question.subject for question in asked], tmp_path, precision="bf16")
    for question in asked:
        subject = question.subject
        with subtests.test(workload=subject.workload, task=subject.task):
            given, own = (
                proof.answers(subject.workload, subject.optimizer, folder)[subject]
                for folder in (str(tmp_path), proof.FOLDER)
            )
            errors, reason = parity.compare_on_device(given, own, question.precision, 0.0)
            assert not reason, errors
