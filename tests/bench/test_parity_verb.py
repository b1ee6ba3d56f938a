"""The command parity compares kept answers: those that are asked for alone, and a stale one is marked as stale."""

import pytest

from bench import answer, proof


def given(bench, environment, optimizer):
    """Return what an environment has answered, without what it is about."""
    found = answer.read(str(bench.folder / "answers" / environment / f"mnist_mlp.{optimizer}.plain.npz"))
    del found["about"]
    return found


def keep(bench, subject, given, problem=None):
    """Keep an answer of other code to the present question, or to another."""
    about = {"problem": problem or proof.problem_hash(subject.workload), "proof": "other code"}
    answer.save(str(bench.folder / "answers" / subject.file), given, about)


def stale(done):
    """Return the words of each line of a stale answer."""
    return [line.split()[:4] for line in done.stdout.splitlines() if line.endswith("  stale")]


@pytest.mark.nightly
def test_parity_of_a_workload_prints_it_alone_and_of_an_environment_its_pairs(three):
    bench = three
    bench("parity", "--mode", "plain", expect=1)
    outputs = given(bench, "numpy-a", "none")["outputs"]
    for name in ("numpy-a", "elsewhere"):
        keep(bench, proof.Subject("linear", "none", name, "plain"), {"outputs": outputs})
    lines = bench("parity", "--workload", "mnist_mlp", expect=1).stdout.splitlines()[2:]
    assert [line.split()[0] for line in lines] == ["mnist_mlp"] * 6  # three pairs, trained and not
    lines = bench("parity", "--environment", "numpy-a", "--environment", "numpy-b", "--mode", "plain",
                  expect=1).stdout.splitlines()[2:]  # fmt: skip
    assert all("numpy-a" in line or "numpy-b" in line for line in lines)
    lines = bench("parity", "--environment", "numpy-wrong", "--mode", "plain", expect=1).stdout.splitlines()[2:]
    assert all("numpy-wrong" in line for line in lines)


def test_a_stale_answer_is_marked_and_fails_nobody_else(bench):
    right, subject = given(bench, "numpy-b", "rmsprop"), proof.Subject("mnist_mlp", "rmsprop", "numpy-b", "old")
    keep(bench, subject, dict(right, losses=2 * right["losses"]))
    asked = ("--workload", "mnist_mlp")
    done = bench("parity", *asked)
    assert stale(done) == [list(subject)]
    assert "Answer again: nox -s parity -- --workload mnist_mlp --environment numpy-b --mode old" in done.stdout
    assert sum(line.endswith("  equal") for line in done.stdout.splitlines()) == 2
    (line,) = [line for line in bench("check", *asked).stdout.splitlines() if line.startswith("parity")]
    assert line.split()[1:3] == ["mnist_mlp", "ok"]


def test_an_answer_of_an_environment_elsewhere_or_to_another_question_is_marked_too(bench):
    elsewhere = proof.Subject("mnist_mlp", "rmsprop", "numpy-wrong", "plain")  # its environment is not at hand
    asked_otherwise = proof.Subject("mnist_mlp", "none", "numpy-b", "old")
    for subject, problem in ((elsewhere, None), (asked_otherwise, "another")):
        keep(bench, subject, given(bench, "numpy-b", subject.optimizer), problem)
    assert sorted(stale(bench("parity", "--workload", "mnist_mlp"))) == sorted(map(list, (elsewhere, asked_otherwise)))
