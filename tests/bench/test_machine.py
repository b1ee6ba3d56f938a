"""What machine this is, and what must not be taken for it: a card's slice for the card, a processor for its GPU."""

import sys

import pytest

from bench import machine, registry
from bench.campaign import campaign, preflight
from bench.cli import options
from bench.driver import processes
from bench.replies import Probed, Request
from bench.results import peaks

WHOLE = "GPU 0: NVIDIA H200 (UUID: GPU-1f)"
SLICED = f"{WHOLE}\n  MIG 1g.18gb     Device  0: (UUID: MIG-2e)\n  MIG 2g.35gb     Device  1: (UUID: MIG-3d)"
PRINTS = '#!/bin/sh\ncase "$1" in\n  -L) echo "{listed}" ;;\n  *) echo "NVIDIA H200, 580.159.03" ;;\nesac\n'


@pytest.mark.parametrize(("listed", "name"), [(WHOLE, "NVIDIA H200"), (SLICED, "NVIDIA H200 MIG 1g.18gb")])
def test_a_slice_of_a_card_is_not_named_as_the_card(listed, name, tmp_path, monkeypatch):
    (tmp_path / "nvidia-smi").write_text(PRINTS.replace("{listed}", listed))
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert machine.gpu() == (name, "580.159.03")
    assert (peaks.of(name) is None) == ("MIG" in name)


def test_without_a_driver_there_is_no_gpu(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert machine.gpu() == (None, None)


H200 = {"gpu": "NVIDIA H200", "gpu_driver": "450.1"}


def prepared(device, *words, say=pytest.fail):
    """Return an environment with a build for GPUs and one without, both of which see this device."""
    rows = {"with": registry.environment("pytorch"), "without": registry.environment("keras-2.1")._replace(gpu=[])}
    probes = {name: Probed("3.11", device, {}, {}, []) for name in rows}
    pythons, devices = dict.fromkeys(rows, "python"), dict.fromkeys(rows, device)
    return preflight.Prepared(rows, pythons, probes, {}, devices, {}, options.parser().parse_args(["run", *words]), say)


def test_what_sees_no_gpu_where_there_is_one_measures_no_processor_in_silence():
    said = []
    found = preflight.without_blind(prepared("cpu", say=said.append), H200)
    assert list(found.probes) == list(found.pythons) == ["without"]
    status, reason = found.absent["with"]
    assert status == "absent"
    assert "NVIDIA H200, driver 450.1" in reason
    assert "--device cpu" in reason
    assert found.devices == {"with": "gpu", "without": "cpu"}
    assert "with" in said[0]


@pytest.mark.parametrize(
    ("words", "place", "device"),
    [(["--device=cpu"], H200, "cpu"), ([], H200, "gpu"), ([], {"gpu": None}, "cpu")],
)
def test_a_processor_that_is_asked_for_or_all_there_is_is_measured(words, place, device):
    given = prepared(device, *words)
    found = preflight.without_blind(given, place)
    assert (found.probes, found.absent) == (given.probes, {})


WORKER = f"""#!{sys.executable}
import json, os, sys
with open(sys.argv[3]) as file:
    request = json.load(file)
with open(request["reply"], "w") as file:
    json.dump({{"reason": os.environ.get("CUDA_VISIBLE_DEVICES")}}, file)
"""


@pytest.mark.parametrize(("device", "seen"), [("cpu", ""), ("gpu", "3"), (None, "3")])
def test_what_is_asked_of_the_processor_sees_no_gpu(device, seen, tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.write_text(WORKER)
    python.chmod(0o755)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    request = Request("probe", "pytorch", "", 1, device)
    assert processes.call(str(python), registry.environment("pytorch"), request, 60, "").reason == seen


def test_an_interpreter_that_is_named_from_here_is_found_from_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["run", "--python", "jax=env/bin/python", "--python", "pytorch=python3"]
    assert options.parser().parse_args(words).python == [
        ("jax", str(tmp_path / "env/bin/python")), ("pytorch", "python3")]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "known"),
    [("a" * 40 + "\n", ("a" * 40, False)), ("a" * 40 + "-dirty\n", ("a" * 40, True)), ("main\n", (None, None)),
     (None, (None, None))],
)  # fmt: skip
def test_source_that_came_without_its_repository_may_bring_its_revision(text, known, tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "ROOT", str(tmp_path))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.setattr(campaign, "CARRIED", str(tmp_path / "revision.txt"))
    if text:
        (tmp_path / "revision.txt").write_text(text)
    assert campaign.revision() == known


def test_what_source_brings_along_counts_before_a_repository_of_another_commit(tmp_path, monkeypatch):
    monkeypatch.setattr(campaign, "CARRIED", str(tmp_path / "revision.txt"))
    (tmp_path / "revision.txt").write_text("a" * 40)
    assert campaign.revision() == ("a" * 40, False)


def test_those_that_start_at_the_same_time_have_cores_of_their_own_as_far_as_there_are(monkeypatch):
    monkeypatch.setattr(machine.os, "sched_getaffinity", lambda _: {0, 2, 3, 5, 7}, raising=False)
    assert [machine.first_cores(2, place) for place in range(3)] == [[0, 2], [3, 5], [0, 2]]
    assert machine.first_cores(5, 1) == [0, 2, 3, 5, 7]
    assert machine.first_cores(8, 1) == [0, 2, 3, 5, 7]


@pytest.mark.parametrize(("folder", "told"), [
    ("/data/photographs", "xfs, not rotational"), ("/database", "ext4, rotational"), ("/run/x", "tmpfs"),
])  # fmt: skip
def test_a_folder_is_on_the_file_system_that_was_mounted_last_above_it(folder, told, tmp_path, monkeypatch):
    for device, turns in (("8:0", "1\n"), ("259:1", "0\n")):
        (tmp_path / device / "queue").mkdir(parents=True)
        (tmp_path / device / "queue" / "rotational").write_text(turns)
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "27 1 8:0 / / rw,relatime - ext4 /dev/sda rw\n"
        "29 27 8:0 /old /data rw - ext4 /dev/sda rw\n"
        "30 27 259:1 / /data rw,relatime shared:1 - xfs /dev/nvme0n1p1 rw\n"
        "31 27 0:25 / /run rw - tmpfs tmpfs rw\n"
    )
    monkeypatch.setattr(machine, "MOUNTS", str(mounts))
    monkeypatch.setattr(machine, "ROTATIONAL", str(tmp_path / "%s" / "%squeue" / "rotational"))
    assert machine.storage(folder) == told
    monkeypatch.setattr(machine, "MOUNTS", str(tmp_path / "nothing"))
    assert machine.storage(folder) is None
