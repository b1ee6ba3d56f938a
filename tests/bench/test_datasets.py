"""Real data sets are prepared whole or not at all, from small files in their real formats."""

import errno
import hashlib
import json
import os
import shutil

import numpy as np
import pytest
from published import idx, small

from bench import __main__ as command_line
from bench import dataset, errors
from bench.data import prepare
from bench.datasets import mnist
from bench.driver.lock import locked


@pytest.fixture(autouse=True)
def digits(monkeypatch, server):
    """MNIST of 6 and 4 images, which the server has in the real format."""
    random = np.random.RandomState(0)
    arrays = {}
    for half, count in (("train", 6), ("t10k", 4)):
        arrays[f"mnist-{half}-images-idx3-ubyte.gz"] = random.randint(0, 256, (count, 28, 28))
        arrays[f"mnist-{half}-labels-idx1-ubyte.gz"] = random.randint(0, 10, count)
    small(monkeypatch, server, mnist, {name: idx(array) for name, array in arrays.items()}, EXAMPLES=(6, 4))
    return arrays


@pytest.fixture
def prepared(tmp_path):
    """The folder in which MNIST is ready."""
    prepare.prepare("mnist", str(tmp_path))
    return tmp_path / "mnist"


def test_a_set_is_downloaded_prepared_and_read(digits, tmp_path):
    said = []
    prepare.prepare("mnist", str(tmp_path), say=said.append)
    data = dataset.load("mnist", str(tmp_path))
    assert (data.name, len(data.classes)) == ("mnist", 10)
    assert np.array_equal(data.x_train, digits["mnist-train-images-idx3-ubyte.gz"])
    assert np.array_equal(data.y_test, digits["mnist-t10k-labels-idx1-ubyte.gz"])
    assert (data.x_train.dtype, data.y_train.dtype) == (np.uint8, np.int32)
    assert isinstance(data.x_train, np.memmap)
    assert not data.x_train.flags.writeable
    assert "licence: CC BY-SA 3.0" in "\n".join(said)
    assert "to download" in "\n".join(said)
    manifest = json.loads((tmp_path / "mnist" / "manifest.json").read_text())
    path = tmp_path / "mnist" / manifest["arrays"]["x_test"]["file"]
    assert manifest["arrays"]["x_test"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert manifest["files"][0]["sha256"] == mnist.FILES[0].checksum.split(":")[1]


def test_what_is_ready_is_not_prepared_again_unless_forced(prepared, tmp_path, server):
    server.asked.clear()
    before = (prepared / "manifest.json").stat().st_mtime_ns
    prepare.prepare("mnist", str(tmp_path), offline=True)
    assert (prepared / "manifest.json").stat().st_mtime_ns == before
    prepare.prepare("mnist", str(tmp_path), offline=True, force=True)
    assert (prepared / "manifest.json").stat().st_mtime_ns > before
    assert not server.asked


def test_a_set_that_is_not_prepared_names_the_command_that_gets_it(tmp_path):
    with pytest.raises(errors.MissingDataError, match=rf"nox -s data -- mnist --folder {tmp_path}.*stand-in"):
        dataset.load("mnist", str(tmp_path))


@pytest.mark.parametrize("error", [KeyboardInterrupt, errors.DataError])
def test_an_interrupted_preparation_leaves_nothing_that_looks_complete(tmp_path, monkeypatch, error):
    real = mnist.prepare

    def interrupted(files, arrays, advance):
        real(files, arrays, advance)
        raise error

    monkeypatch.setattr(mnist, "prepare", interrupted)
    with pytest.raises(error):
        prepare.prepare("mnist", str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "downloads"]
    assert prepare.state("mnist", str(tmp_path)) == "downloaded"
    with pytest.raises(errors.MissingDataError):
        dataset.load("mnist", str(tmp_path))


def test_leftovers_of_a_killed_preparation_do_not_disturb_the_next(tmp_path):
    (tmp_path / "mnist.partial").mkdir()
    (tmp_path / "mnist.partial" / "x_train.npy").write_bytes(b"half")
    prepare.prepare("mnist", str(tmp_path))
    assert prepare.state("mnist", str(tmp_path)) == "ready"
    assert not (tmp_path / "mnist.partial").exists()


def test_a_preparation_that_fails_keeps_the_one_before(prepared, monkeypatch):
    monkeypatch.setattr(mnist, "read_idx", lambda *_: np.zeros((1, 28, 28)))
    with pytest.raises(errors.DataError, match=r"x_train: expected shape \(6, 28, 28\)"):
        prepare.prepare("mnist", str(prepared.parent), force=True)
    assert prepare.state("mnist", str(prepared.parent)) == "ready"


def test_a_full_disk_is_said_before_anything_is_asked_for(tmp_path, monkeypatch, server):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=9000))
    with pytest.raises(errors.SpaceError, match=r"expected 1\d.* kB of free space for mnist, and there are 9 kB"):
        prepare.prepare("mnist", str(tmp_path))
    assert not server.asked


def test_a_disk_that_another_program_fills_meanwhile_ends_the_preparation(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(errors.SpaceError, match=r"x_train\.npy: no space left"):
        prepare.prepare("mnist", str(tmp_path))
    assert not (tmp_path / "mnist.partial").exists()


def test_two_processes_do_not_prepare_into_one_folder_at_once(tmp_path):
    with locked(str(tmp_path), "busy"), pytest.raises(errors.BusyError, match="preparing data"):
        prepare.prepare("mnist", str(tmp_path))


def test_damaged_arrays_are_found_when_they_are_read(prepared, tmp_path):
    path = prepared / "x_train.npy"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(errors.DataError, match=r"cannot be read.*--force"):
        dataset.load("mnist", str(tmp_path))
    np.save(path, np.zeros((5, 28, 28), np.uint8))
    said = r"expected x_train of uint8 \[6, 28, 28\], and came uint8 \(5, 28, 28\)"
    with pytest.raises(errors.DataError, match=said):
        dataset.load("mnist", str(tmp_path))
    path.unlink()
    with pytest.raises(errors.DataError, match="cannot be read"):
        dataset.load("mnist", str(tmp_path))


def test_arrays_of_an_older_preparation_are_not_read(prepared, monkeypatch):
    monkeypatch.setattr(mnist, "PREPARATION", mnist.PREPARATION + 1)
    with pytest.raises(errors.DataError, match="expected preparation 2 of mnist, and came 1"):
        dataset.load("mnist", str(prepared.parent))
    assert prepare.state("mnist", str(prepared.parent)) == "to be prepared again"


def test_without_a_name_the_sets_are_listed_and_nothing_is_downloaded(tmp_path, server, capsys):
    assert command_line.main(["data", "--folder", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in dataset.names())
    assert "45.1 GB" in shown
    assert not server.asked
    assert not list(tmp_path.iterdir())


def test_a_named_set_is_prepared_and_listed_as_ready(tmp_path, capsys):
    assert command_line.main(["data", "mnist", "--folder", str(tmp_path)]) == 0
    assert command_line.main(["data", "--list", "--json", "mnist", "--folder", str(tmp_path)]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["name"], row["state"], row["examples"]) == ("mnist", "ready", [6, 4])


def test_what_the_user_must_do_is_said_with_exit_code_2(tmp_path, monkeypatch, server, capsys):
    monkeypatch.setenv("BENCH_OFFLINE", "1")
    monkeypatch.setenv("BENCH_DATA", str(tmp_path))
    assert command_line.main(["data", "mnist"]) == 2
    assert "error: Offline: expected" in capsys.readouterr().err
    assert command_line.main(["data", "mnist", "imagenet"]) == 2
    assert "choose from: mnist" in capsys.readouterr().err
    assert not server.asked
