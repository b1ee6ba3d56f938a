"""Each published format becomes the arrays its network expects, and what is damaged or hostile is refused."""

import gzip
import io
import json
import os
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from published import image, link, small, tar
from scipy.io import savemat

from bench import dataset, datasets, errors
from bench.data import prepare
from bench.datasets import babi, babi_qa1, chestxray14, cifar10, dog_breeds, imdb, mnist, shakespeare


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


@pytest.fixture
def prepared(monkeypatch, server, tmp_path):
    """Let a data set's files be small ones, with as many examples as they have; prepare it, and read it."""

    def make(module, contents, **stated):
        small(monkeypatch, server, module, contents, **stated)
        name = module.__name__.rpartition(".")[2]
        prepare.prepare(name, str(tmp_path / "inside" / "data"))
        return dataset.load(name, str(tmp_path / "inside" / "data"))

    return make


def test_a_broken_idx_file_is_refused(tmp_path):
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(b"\0\0\x0d\3" + bytes(12)))  # floats
    with pytest.raises(errors.DataError, match="expected IDX bytes of 3 dimensions"):
        mnist.read_idx(str(path), 3)
    path.write_bytes(gzip.compress(b"\0\0\x08\1\0\0\0\5" + bytes(4)))
    with pytest.raises(errors.DataError, match="expected 5 values, and came 4"):
        mnist.read_idx(str(path), 1)


def test_cifar10_is_read_from_its_binary_records_in_the_order_of_the_batches(prepared):
    random = np.random.RandomState(0)
    batches = {f"data_batch_{i}": random.randint(0, 256, (2, 3073)).astype(np.uint8) for i in (2, 1, 5, 4, 3)}
    batches["test_batch"] = random.randint(0, 256, (3, 3073)).astype(np.uint8)
    members = [(f"cifar-10-batches-bin/{name}.bin", records.tobytes()) for name, records in batches.items()]
    contents = {"cifar-10-binary.tar.gz": tar("gz", [("cifar-10-batches-bin/readme.html", b"no"), *members])}
    data = prepared(cifar10, contents, EXAMPLES=(10, 3))
    assert np.array_equal(data.y_train[:2], batches["data_batch_1"][:, 0])
    assert np.array_equal(data.x_train[2, :, :, 1].ravel(), batches["data_batch_2"][0, 1 + 1024 : 1 + 2048])
    assert np.array_equal(data.x_test[2, 5, 7], batches["test_batch"][2, 1 + 5 * 32 + 7 :: 1024])


def reviews(*texts):
    return np.array([list(text) for text in texts] + [None], object)[:-1]


def npz(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def test_imdb_has_keras_word_numbers_order_and_padding(prepared):
    texts = reviews([1, 29996, 29997], range(1, 201), [5])
    contents = {"imdb.npz": npz(x_train=texts, y_train=[0, 1, 0], x_test=texts[:1], y_test=[1])}
    data = prepared(imdb, contents, EXAMPLES=(3, 1))
    order = np.arange(3)
    np.random.RandomState(113).shuffle(order)
    rows = dict(zip(order, data.x_train, strict=True))
    assert np.array_equal(rows[0], [0] * 146 + [1, 4, 29999, 2])
    assert np.array_equal(rows[1], np.arange(51, 201) + 3)  # the last 150: the first ones and the start are cut off
    assert np.array_equal(data.y_train, np.array([0, 1, 0])[order])
    assert data.x_test[0, -1] == 2


class Trap:
    """Leaves a trace when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


def test_objects_in_a_file_come_to_life_only_after_its_checksum_fitted(monkeypatch, server, tmp_path):
    trace = tmp_path / "trace"
    content = npz(x_train=np.array([Trap(trace), None], object)[:1])
    small(monkeypatch, server, imdb, {"imdb.npz": content}, EXAMPLES=(1, 1))
    monkeypatch.setattr(imdb, "FILES", (imdb.FILES[0]._replace(checksum="sha256:" + "0" * 64),))
    with pytest.raises(errors.ChecksumError):
        prepare.prepare("imdb", str(tmp_path))
    assert not trace.exists()
    np.load(io.BytesIO(content), allow_pickle=True)["x_train"]
    assert trace.exists()  # the trap works


def stories(text, module=babi):
    return {"babi.tar.gz": tar("gz", [(module.TEXTS % half, text.encode()) for half in ("train", "test")])}


BABI_2 = """1 Mary got the milk there.
2 John moved to the bedroom.
3 Mary travelled to the hallway.
4 Where is the milk? \thallway\t1 3
5 Mary put down the milk.
6 Where is the milk? \thallway\t5 3
1 John went back to the garden.
2 Where is the milk? \tgarden\t1
"""


def test_babi_is_numbered_and_padded_as_keras_example_does(prepared):
    data = prepared(babi, stories(BABI_2), EXAMPLES=(3, 3))
    story, question = data.x_train
    words = [[data.classes[number] for number in row if number] for row in story]
    assert (story.shape, question.shape, len(data.classes)) == ((3, 552), (3, 5), 36)
    assert (story.dtype, data.y_train.dtype) == (np.int32, np.int32)
    assert " ".join(words[0]) == (
        "Mary got the milk there . John moved to the bedroom . Mary travelled to the hallway ."
    )
    assert len(words[1]) == len(words[0]) + 6  # the earlier questions are not part of a story
    assert " ".join(words[2]) == "John went back to the garden ."
    assert [data.classes[number] for number in question[0]] == ["Where", "is", "the", "milk", "?"]
    assert [data.classes[number] for number in data.y_train] == ["hallway", "hallway", "garden"]
    assert not story[:, 0].any()


def test_babi_task_1_shares_the_download_and_has_its_own_words(prepared):
    text = "1 Mary moved to the bathroom.\n2 Where is Mary? \tbathroom\t1\n"
    data = prepared(babi_qa1, stories(text, babi_qa1), EXAMPLES=(1, 1))
    assert (data.x_test[0].shape, data.x_test[1].shape, len(data.classes)) == ((1, 68), (1, 4), 22)
    assert data.classes[data.y_test[0]] == "bathroom"
    assert babi_qa1.FILES[0].name == "babi.tar.gz"


def test_a_text_is_cut_into_characters_and_those_after_them(prepared):
    text = bytes(range(256)) + b"the end" + bytes(range(130))
    data = prepared(shakespeare, {"tiny_shakespeare.txt": text}, TRAIN_BYTES=256 + 7, EXAMPLES=(2, 1))
    assert np.array_equal(data.x_train, np.arange(256).reshape(2, 128))
    assert np.array_equal(data.y_train[0], np.arange(1, 129))
    assert data.y_train[1, -1] == ord("t")
    assert np.array_equal(data.x_test + 1, data.y_test)
    assert (data.y_test.dtype, data.classes[data.y_train[1, -1]]) == (np.int32, "t")


DOGS = {
    "n02085620-Chihuahua/n02085620_1.jpg": (200, 30, 30),
    "n02085620-Chihuahua/n02085620_2.jpg": (30, 200, 30),
    "n02113978-Mexican_hairless/n02113978_3.jpg": (30, 30, 200),
}


def dog_files(listed, held):
    lists = []
    for half, names in listed.items():
        buffer = io.BytesIO()
        cells = np.empty((len(names), 1), object)
        cells[:, 0] = names
        savemat(buffer, {"file_list": cells, "labels": np.ones((len(names), 1))})
        lists.append((half + "_list.mat", buffer.getvalue()))
    pictures = [("Images/" + name, image(np.full((50, 80, 3), DOGS[name], np.uint8), "JPEG")) for name in held]
    return {"stanford-dogs-images.tar": tar("", pictures), "stanford-dogs-lists.tar": tar("", lists)}


def test_dog_breeds_follow_the_authors_lists(prepared, tmp_path):
    names = list(DOGS)
    data = prepared(dog_breeds, dog_files({"train": [names[2], names[0]], "test": [names[1]]}, names), EXAMPLES=(2, 1))
    assert data.x_train.shape == (2, 224, 224, 3)
    assert np.abs(data.x_train[0].astype(int) - DOGS[names[2]]).max() < 9  # JPEG rounds
    assert np.abs(data.x_test[0].astype(int) - DOGS[names[1]]).max() < 9
    assert (list(data.y_train), list(data.y_test)) == ([1, 0], [0])
    assert data.classes == ["Chihuahua", "Mexican hairless"]
    assert "pillow" in json.loads((tmp_path / "inside" / "data" / "dog_breeds" / "manifest.json").read_text())["tools"]


def xray_files(findings, train, test, parts):
    lines = ["Image Index,Finding Labels,Follow-up #,Patient ID", *(f"{n},{f},0,1" for n, f in findings.items())]
    files = {
        "chestxray14-Data_Entry_2017_v2020.csv": "\n".join(lines).encode(),
        "chestxray14-train_val_list.txt": "\n".join(train).encode(),
        "chestxray14-test_list.txt": "\r\n".join(test).encode(),
    }
    for number, pictures in enumerate(parts):
        members = [(f"images/{name}", b"\x89PNG and no more" if pixels is None else image(pixels, "PNG"))
                   for name, pixels in pictures.items()]  # fmt: skip
        files[f"chestxray14-images_{number:03d}.tar.gz"] = tar("gz", members)
    return files


A, B, C = "00000001_000.png", "00000001_001.png", "00000002_000.png"
GREY = {name: np.full((300, 300), value, np.uint8) for name, value in ((A, 10), (B, 20), (C, 30))}
COLORED = dict(GREY, **{C: np.full((300, 300, 4), 30, np.uint8)})  # a few of the real ones are RGBA
FOUND = {A: "No Finding", B: "Mass|Hernia", C: "Atelectasis"}


def test_chest_xrays_have_their_findings_and_the_official_split(prepared):
    parts = [{B: COLORED[B], C: COLORED[C]}, {A: COLORED[A]}]
    data = prepared(chestxray14, xray_files(FOUND, [B, A], [C], parts), EXAMPLES=(2, 1))
    assert (data.x_train.shape, data.x_train.dtype) == ((2, 264, 264), np.uint8)
    assert [int(x.mean()) for x in (*data.x_train, *data.x_test)] == [20, 10, 30]
    assert (data.y_train.shape, data.y_train.dtype) == ((2, 14), np.float32)
    assert [[data.classes[i] for i in np.flatnonzero(row)] for row in data.y_train] == [["Mass", "Hernia"], []]
    assert data.y_test[0, 0] == data.y_test.sum() == 1


DOES_NOT_FIT = [
    (cifar10, {"cifar-10-binary.tar.gz": tar("gz", [("cifar-10-batches-bin/test_batch.bin", bytes(3073))])},
     r"x_train: expected shape \(2, 32, 32, 3\), and came \(0, 32, 32, 3\)"),
    (babi, stories("1 Mary ate the milk.\n2 Where is the milk? \tgarden\t1\n"), "came also ate"),
    (babi, stories("1 Mary got the milk.\n" + "2 Mary moved to the garden.\n" * 99 + "3 Where is milk? \tgarden\t1\n"),
     "story of at most 552 words, and came one of 599"),
    (shakespeare, {"tiny_shakespeare.txt": b"a" * 300},
     r"x_test: expected shape \(1, 128\), and came \(0, 128\)"),
    (dog_breeds, dog_files({"train": list(DOGS)[:2], "test": list(DOGS)[2:]}, list(DOGS)[1:]),
     r"1 are missing, as n02085620-Chihuahua/n02085620_1\.jpg"),
    (chestxray14, xray_files(FOUND, [A, C], [B], [GREY]), "no patient in both halves, and 1 are, as 00000001"),
    (chestxray14, xray_files(FOUND, [A, B], [C], [{A: GREY[A], B: GREY[B]}]), f"1 are missing, as {C}"),
    (chestxray14, xray_files(FOUND, [A, A], [C], [GREY]), "expected 2 different images, and came 2 names of 1 images"),
    (chestxray14, xray_files({A: "Mass"}, [A, B], [C], [GREY]), f"expected the findings of {B}"),
    (chestxray14, xray_files({**FOUND, A: "Gout"}, [A, B], [C], [GREY]), "came also Gout"),
    (chestxray14, xray_files(FOUND, [A, B], [C], [{A: None}]), rf"images/{A}: expected an image"),
]  # fmt: skip


@pytest.mark.parametrize(("module", "contents", "said"), DOES_NOT_FIT)
def test_what_does_not_fit_is_refused_and_prepares_nothing(prepared, monkeypatch, tmp_path, module, contents, said):
    monkeypatch.setattr(shakespeare, "TRAIN_BYTES", 2 * 128 + 1)
    with pytest.raises(errors.DataError, match=said):
        prepared(module, contents, EXAMPLES=(2, 1))
    assert [path.name for path in (tmp_path / "inside" / "data").iterdir() if path.name != ".lock"] == ["downloads"]


def test_a_broken_archive_stops_the_decoding_of_the_others(prepared, monkeypatch):
    names = [f"{i:08d}_000.png" for i in range(1, 31)]
    files = xray_files(dict.fromkeys(names, "Mass"), names[1:], names[:1], [dict.fromkeys(names, GREY[A])])
    files["chestxray14-images_001.tar.gz"] = b"no archive"
    monkeypatch.setattr(datasets.os, "cpu_count", lambda: 2)
    over, decoded, decode = threading.Event(), [], datasets.decode
    monkeypatch.setattr(datasets, "threading", SimpleNamespace(Event=lambda: over))

    def wait_and_decode(content, side, mode, name):
        decoded.append(name)
        assert over.wait(60), "the other archive is broken"
        return decode(content, side, mode, name)

    monkeypatch.setattr(datasets, "decode", wait_and_decode)
    with pytest.raises(errors.DataError, match="expected a tar archive"):
        prepared(chestxray14, files, EXAMPLES=(29, 1))
    assert len(decoded) <= 1


def test_links_in_an_archive_are_not_followed(tmp_path):
    (tmp_path / "secret.jpg").write_bytes(b"secret")
    (tmp_path / "file.tar").write_bytes(link("Images/a.jpg", str(tmp_path / "secret.jpg")))
    assert not list(datasets.members(str(tmp_path / "file.tar"), r"Images/.*\.jpg"))


def test_paths_of_an_archive_never_reach_the_disk(prepared, tmp_path):
    members = [("../../escaped", b"x"), (str(tmp_path / "absolute-escaped"), b"x"), ("Images/../../escaped.jpg", b"x")]
    files = dog_files({"train": list(DOGS)[:2], "test": list(DOGS)[2:]}, [])
    with pytest.raises(errors.DataError, match="3 are missing"):
        prepared(dog_breeds, {**files, "stanford-dogs-images.tar": tar("", members)}, EXAMPLES=(2, 1))
    assert not list(tmp_path.rglob("*escaped*"))
