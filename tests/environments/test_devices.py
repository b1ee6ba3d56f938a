"""Inside every installed environment that trains on several devices: it does, and planted mistakes are found."""

import os

import pytest
from within import planted

from bench import ablations, answer, proof, registry
from bench.ablations import replicated
from bench.proof import parity
from bench.replies import Contract
from bench.worker import contract

pytestmark = pytest.mark.environment
SENTINEL = "mnist_mlp"  # of the workloads, the one of the gate
SHARES = contract.each_device_steps_on_its_share.__name__
WAITS = contract.wait_returns_the_number_of_its_step.__name__


@pytest.fixture
def mode(environment):
    """The environment's documented mode on two devices."""
    row, _ = environment
    if not os.path.exists(ablations.path(row, ablations.REPLICATED)):
        pytest.skip(f"{row.title} trains on one device here")
    return f"{registry.modes(row, 'train')[0].name}+{ablations.REPLICATED}+2"


@pytest.fixture
def broken(ask, mode):
    """Ask sentences of the contract in that mode, and return what breaks each."""

    def serve(names, workload=SENTINEL, frameworks=registry.FRAMEWORKS):
        return ask("contract", Contract([(workload, mode, names)]), frameworks, mode=mode).checks[0]

    return serve


def with_mistake(row, folder, mistake):
    """Return a folder of frameworks in which one makes a mistake on several devices."""
    if mistake not in row.planted:
        pytest.skip(f"{row.title} has no place for this mistake")
    files = [folder / "frameworks" / os.path.basename(row.folder) / "ablations" / f"{ablations.REPLICATED}.py"]
    return planted(row, folder / "frameworks", lambda _: files, row.planted[mistake])


def test_each_of_two_devices_has_its_share_and_a_wait_waits_for_both(broken):
    assert broken([SHARES, WAITS]) == {SHARES: "", WAITS: ""}


def test_one_device_with_the_whole_batch_is_seen(environment, broken, tmp_path):
    said = broken([SHARES], frameworks=with_mistake(environment[0], tmp_path, "one_replica"))[SHARES]
    assert "was to be shared by 2 devices, and it was made by: {" in said


@pytest.mark.nightly
def test_a_call_for_two_devices_that_a_backend_ignores_is_seen(environment, broken, tmp_path):
    assert broken([SHARES], frameworks=with_mistake(environment[0], tmp_path, "ignored"))[SHARES]


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.parametrize("workload", replicated.WORKLOADS)
def test_every_workload_keeps_the_contract_on_two_devices(workload, broken):
    names = None if workload == SENTINEL else [SHARES]
    assert {name: problem for name, problem in broken(names, workload).items() if problem} == {}


def agreeing(row, workload, mode, save_answers, folder, frameworks=registry.FRAMEWORKS):
    """Let two devices answer, and return with which kept answers of other environments this agrees."""
    subject = proof.Subject(workload, registry.optimizers(workload)[0], row.name, mode)
    kept = {other: given for other, given in proof.answers(workload, subject.optimizer).items()
            if other.environment != row.name and not ablations.split(other.mode)[1]}  # fmt: skip
    assert kept
    save_answers([subject], folder, frameworks)
    given = answer.read(str(folder / subject.file))
    return [parity.compare(given, other).passes for other in kept.values()]


@pytest.mark.nightly
@pytest.mark.parametrize("mistake", ["summed", "same_share"])
def test_a_mistake_on_two_devices_breaks_parity(mistake, environment, mode, save_answers, tmp_path):
    frameworks = with_mistake(environment[0], tmp_path, mistake)
    assert not any(agreeing(environment[0], SENTINEL, mode, save_answers, tmp_path, frameworks))


@pytest.mark.nightly
def test_a_batch_norm_of_each_share_is_another_network_and_one_of_the_whole_batch_is_not(
    environment, mode, save_answers, tmp_path
):
    row, _ = environment
    is_local = row.backend in registry.constant(ablations.path(row, ablations.REPLICATED), "LOCAL_NORM", ())
    found = agreeing(row, "bn_mlp", mode, save_answers, tmp_path)
    assert not any(found) if is_local else all(found)
