"""Real data sets are prepared whole or not at all, from small files in their real formats."""

import errno
import hashlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from published import idx, small

from bench import __main__ as command_line
from bench import dataset, errors, prepare
from bench.datasets import mnist
from bench.lock import Lock


@pytest.fixture
def digits(monkeypatch, server):
    """MNIST of 6 and 4 images, which the server has in the real format."""
    random = np.random.RandomState(0)
    arrays = {}
    for half, count in (("train", 6), ("t10k", 4)):
        arrays[half] = random.randint(0, 256, (count, 28, 28)), random.randint(0, 10, count)
    contents = {}
    for half, (images, labels) in arrays.items():
        contents[f"mnist-{half}-images-idx3-ubyte.gz"] = idx(images)
        contents[f"mnist-{half}-labels-idx1-ubyte.gz"] = idx(labels)
    small(monkeypatch, server, mnist, contents, EXAMPLES=(6, 4))
    return arrays


def test_a_set_is_downloaded_prepared_and_read(digits, tmp_path):
    said = []
    prepare.prepare("mnist", str(tmp_path), say=said.append)
    data = dataset.load("mnist", str(tmp_path))
    assert (data.name, data.is_stand_in, data.attainable, len(data.classes)) == ("mnist", False, None, 10)
    assert np.array_equal(data.x_train, digits["train"][0])
    assert np.array_equal(data.y_test, digits["t10k"][1])
    assert (data.x_train.dtype, data.y_train.dtype) == (np.uint8, np.int32)
    assert isinstance(data.x_train, np.memmap)
    assert not data.x_train.flags.writeable
    assert "licence: CC BY-SA 3.0" in "\n".join(said)
    assert "to download" in "\n".join(said)
    manifest = json.loads((tmp_path / "mnist" / "manifest.json").read_text())
    path = tmp_path / "mnist" / manifest["arrays"]["x_test"]["file"]
    assert manifest["arrays"]["x_test"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert manifest["files"][0]["sha256"] == mnist.FILES[0].checksum.split(":")[1]


@pytest.mark.usefixtures("digits")
def test_what_is_ready_is_not_prepared_again_unless_forced(tmp_path, server):
    prepare.prepare("mnist", str(tmp_path))
    server.asked.clear()
    before = (tmp_path / "mnist" / "manifest.json").stat().st_mtime_ns
    prepare.prepare("mnist", str(tmp_path), offline=True)
    assert (tmp_path / "mnist" / "manifest.json").stat().st_mtime_ns == before
    prepare.prepare("mnist", str(tmp_path), offline=True, force=True)
    assert (tmp_path / "mnist" / "manifest.json").stat().st_mtime_ns > before
    assert not server.asked


def test_a_set_that_is_not_prepared_names_the_command_that_gets_it(tmp_path):
    with pytest.raises(errors.MissingDataError, match=rf"nox -s data -- mnist --folder {tmp_path}.*stand-in"):
        dataset.load("mnist", str(tmp_path))


@pytest.mark.parametrize("error", [KeyboardInterrupt, errors.DataError])
@pytest.mark.usefixtures("digits")
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


@pytest.mark.usefixtures("digits")
def test_leftovers_of_a_killed_preparation_do_not_disturb_the_next(tmp_path):
    (tmp_path / "mnist.partial").mkdir()
    (tmp_path / "mnist.partial" / "x_train.npy").write_bytes(b"half")
    prepare.prepare("mnist", str(tmp_path))
    assert prepare.state("mnist", str(tmp_path)) == "ready"
    assert not (tmp_path / "mnist.partial").exists()


@pytest.mark.usefixtures("digits")
def test_a_preparation_that_fails_keeps_the_one_before(tmp_path, monkeypatch):
    prepare.prepare("mnist", str(tmp_path))
    monkeypatch.setattr(mnist, "read_idx", lambda *_: np.zeros((1, 28, 28)))
    with pytest.raises(errors.DataError, match=r"images of train: expected shape \(6, 28, 28\)"):
        prepare.prepare("mnist", str(tmp_path), force=True)
    assert prepare.state("mnist", str(tmp_path)) == "ready"


@pytest.mark.usefixtures("digits")
def test_a_full_disk_is_said_before_anything_is_asked_for(tmp_path, monkeypatch, server):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=9000))
    with pytest.raises(errors.SpaceError, match=r"expected 1\d.* kB of free space for mnist, and there are 9 kB"):
        prepare.prepare("mnist", str(tmp_path))
    assert not server.asked


@pytest.mark.usefixtures("digits")
def test_a_disk_that_another_program_fills_meanwhile_ends_the_preparation(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(errors.SpaceError, match=r"x_train\.npy: no space left"):
        prepare.prepare("mnist", str(tmp_path))
    assert not (tmp_path / "mnist.partial").exists()


@pytest.mark.usefixtures("digits")
def test_two_processes_do_not_prepare_into_one_folder_at_once(tmp_path):
    with Lock(str(tmp_path), "busy"), pytest.raises(errors.BusyError, match="preparing data"):
        prepare.prepare("mnist", str(tmp_path))


@pytest.mark.usefixtures("digits")
def test_damaged_arrays_are_found_when_they_are_read(tmp_path):
    prepare.prepare("mnist", str(tmp_path))
    path = tmp_path / "mnist" / "x_train.npy"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(errors.DataError, match=r"cannot be read.*--force"):
        dataset.load("mnist", str(tmp_path))
    np.save(path, np.zeros((5, 28, 28), np.uint8))
    with pytest.raises(
        errors.DataError, match=r"expected x_train of uint8 \[6, 28, 28\], and came uint8 \(5, 28, 28\)"
    ):
        dataset.load("mnist", str(tmp_path))
    path.unlink()
    with pytest.raises(errors.DataError, match="cannot be read"):
        dataset.load("mnist", str(tmp_path))


@pytest.mark.usefixtures("digits")
def test_arrays_of_an_older_preparation_are_not_read(tmp_path, monkeypatch):
    prepare.prepare("mnist", str(tmp_path))
    monkeypatch.setattr(mnist, "PREPARATION", mnist.PREPARATION + 1)
    with pytest.raises(errors.DataError, match="expected preparation 2 of mnist, and came 1"):
        dataset.load("mnist", str(tmp_path))
    assert prepare.state("mnist", str(tmp_path)) == "to be prepared again"


@pytest.mark.usefixtures("digits")
def test_without_a_name_the_sets_are_listed_and_nothing_is_downloaded(tmp_path, server, capsys):
    assert command_line.main(["data", "--folder", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in dataset.names())
    assert "45.1 GB" in shown
    assert not server.asked
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("digits")
def test_a_named_set_is_prepared_and_listed_as_ready(tmp_path, capsys):
    assert command_line.main(["data", "mnist", "--folder", str(tmp_path)]) == 0
    assert command_line.main(["data", "--list", "--json", "mnist", "--folder", str(tmp_path)]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["name"], row["state"], row["examples"]) == ("mnist", "ready", [6, 4])


@pytest.mark.usefixtures("digits")
def test_what_the_user_must_do_is_said_with_exit_code_2(tmp_path, monkeypatch, server, capsys):
    monkeypatch.setenv("BENCH_OFFLINE", "1")
    monkeypatch.setenv("BENCH_DATA", str(tmp_path))
    assert command_line.main(["data", "mnist"]) == 2
    assert "error: Offline: expected" in capsys.readouterr().err
    assert command_line.main(["data", "mnist", "imagenet"]) == 2
    assert "choose from: mnist" in capsys.readouterr().err
    assert not server.asked


@pytest.mark.parametrize("name", dataset.names())
def test_the_page_on_data_has_each_set_with_its_size_and_licence(name):
    page = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith(f"| `{name}`"))
    described = prepare.describe(name, "nowhere")
    module = dataset.definition(name)
    assert prepare.size(described["download_bytes"]) in row
    assert described["licence"] in row
    assert described["source"] in row
    assert f"{module.ATTAINABLE:.2f}" in row


@pytest.mark.parametrize("name", dataset.names())
def test_every_file_is_pinned_by_a_published_sum(name):
    for file in dataset.definition(name).FILES:
        kind, digest = file.checksum.split(":")
        assert len(digest) == {"sha256": 64, "md5": 32}[kind]
        assert file.size > 0
        assert os.path.basename(file.name) == file.name
        assert all(url.startswith("http") for url in file.urls)


def test_a_cut_set_holds_examples_of_it_the_same_each_time():
    whole = dataset.load("babi", stand_in=True, examples=(60, 30))
    first, again = dataset.cut(whole, 20), dataset.cut(whole, 20)
    assert len(first.y_train) == len(first.x_train[0]) == len(first.x_train[1]) == 20
    assert len(first.y_test) == 4
    assert np.array_equal(first.x_train[0], again.x_train[0])
    rows = {(*story, *question, answer) for story, question, answer in zip(*whole.x_train, whole.y_train, strict=True)}
    assert {(*s, *q, a) for s, q, a in zip(*first.x_train, first.y_train, strict=True)} <= rows


def test_more_examples_than_there_are_is_an_error_that_says_both_numbers():
    with pytest.raises(errors.DataError, match=r"60 examples.*61 are asked"):
        dataset.cut(dataset.load("babi", stand_in=True, examples=(60, 30)), 61)
