"""Photographs are made once, decoded alike by everybody, and no file of one's own ends a bench; which cases are fed."""

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bench import ablations, feeding, proof, registry
from bench.ablations import many_files
from bench.campaign import rounds, turns
from bench.campaign.campaign import CampaignFile
from bench.cases import FED, PIPELINES, SUITE_BUDGET_S, Case, Selection, select
from bench.data import photographs
from bench.errors import DataError, DefinitionError, MissingDataError

NAME = "photographs-stand-in-16"


def decoded(path):
    with Image.open(path) as file:
        assert file.mode == "RGB"
        return np.asarray(file)


def case(name=NAME):
    return Case("photo_cnn", "pytorch", FED[0], "eager", "fp32", "nchw", "cpu", 8, "sgd", "ablation", name)


def prepared(folder, name=NAME, own="", said=lambda _: None):
    photographs.prepare([case(name)], str(folder), own, said)
    return folder / name


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A data folder in which photographs were generated."""
    return prepared(tmp_path_factory.mktemp("made")).parent


def test_what_is_made_is_read_back_in_its_order_with_the_pixels_of_its_files(made):
    found = photographs.read(NAME, str(made), 300)
    assert (len(found.files), list(found.labels)) == (16, sorted(found.labels))
    assert set(found.labels) == set(range(photographs.CLASSES))
    for path, pixels in zip(found.files, found.pixels, strict=True):
        image = decoded(path)
        assert image.shape[:2] in photographs.SIZES
        assert np.array_equal(found.cut(image), pixels)


def test_a_smaller_network_takes_the_middle_of_the_same_photographs(made):
    large, small = (photographs.read(NAME, str(made), side) for side in (300, 224))
    assert np.array_equal(small.pixels[3], large.pixels[3][38:-38, 38:-38])
    assert np.array_equal(small.cut(decoded(small.files[3])), small.pixels[3])
    with pytest.raises(DataError, match="331"):
        photographs.read(NAME, str(made), 331)


def test_what_is_generated_is_the_same_each_time_and_as_large_as_a_photograph(made, tmp_path):
    one, other = made / NAME, prepared(tmp_path)
    paths = sorted(one.glob("images/*/*.jpg"))
    assert [each.read_bytes() for each in paths] == [(other / each.relative_to(one)).read_bytes() for each in paths]
    pixels = sum(height * width for height, width in photographs.SIZES) * 16 / len(photographs.SIZES)
    assert 0.4 < sum(each.stat().st_size for each in paths) / pixels < 0.8  # bytes; ImageNet's have about 0.6


def test_nothing_is_written_twice(made):
    said, before = [], (made / NAME / "manifest.json").stat().st_mtime_ns
    prepared(made, said=said.append)
    assert said == []
    assert (made / NAME / "manifest.json").stat().st_mtime_ns == before


def test_photographs_that_were_not_prepared_are_missed(tmp_path):
    with pytest.raises(MissingDataError, match="photographs-stand-in-16"):
        photographs.read(NAME, str(tmp_path), 300)


def odd_files(folder):
    """Write what people have in their folders; return how many of them are photographs."""
    inner = folder / "cats"
    inner.mkdir(parents=True)
    rgb = Image.fromarray(np.random.RandomState(0).randint(0, 255, (320, 640, 3), np.uint8))
    rgb.save(inner / "a.jpg")
    rgb.convert("CMYK").save(inner / "cmyk.jpg")
    rgb.convert("L").save(inner / "grey.png")
    rgb.convert("P").save(inner / "palette.gif")
    rgb.save(inner / "animated.gif", save_all=True, append_images=[rgb.rotate(90)])
    rgb.convert("RGBA").save(inner / "transparent.png")
    rgb.resize((20, 10)).save(inner / "tiny.jpg")
    turned = Image.Exif()
    turned[0x0112] = 6  # turn it by 90 degrees
    rgb.save(inner / "turned.jpg", exif=turned)
    whole = (inner / "a.jpg").read_bytes()
    (inner / "truncated.jpg").write_bytes(whole[: len(whole) // 2])
    (inner / "empty.jpg").write_bytes(b"")
    (inner / "notes.txt").write_text("no image")
    return 8


def test_odd_files_are_fed_upright_in_rgb_and_what_cannot_be_read_is_named(tmp_path):
    count, said = odd_files(tmp_path / "own"), []
    name = f"photographs-{count}"
    folder = prepared(tmp_path / "data", name, str(tmp_path / "own"), said.append)
    found = photographs.read(name, str(tmp_path / "data"), 300)
    assert found.pixels.shape == (count, 300, 300, 3)
    sizes = [decoded(path).shape[:2] for path in found.files]
    assert all(300 <= min(each) <= max(each) <= 600 for each in sizes)
    assert any(height > width for height, width in sizes)  # the turned one
    assert any("3 left out" in each and os.path.join("cats", "truncated.jpg") in each for each in said)
    assert folder.is_dir()


def test_folders_beyond_the_eighth_count_as_the_last_so_that_labels_follow_the_order_of_folders(tmp_path):
    for number in range(10):
        (tmp_path / "own" / f"class {number}").mkdir(parents=True)
        Image.new("RGB", (320, 320)).save(tmp_path / "own" / f"class {number}" / "a.jpg")
    folder = prepared(tmp_path / "data", "photographs-10", str(tmp_path / "own"))
    found = photographs.read("photographs-10", str(tmp_path / "data"), 300)
    assert list(found.labels) == [0, 1, 2, 3, 4, 5, 6, 7, 7, 7]
    assert sorted(os.listdir(folder / "images")) == [f"class {number}" for number in range(8)]


def test_too_few_images_say_what_to_do_and_leave_nothing(tmp_path):
    odd_files(tmp_path / "own")
    with pytest.raises(DataError, match=r"expected 99 images .* there are 8.*--examples"):
        prepared(tmp_path / "data", "photographs-99", str(tmp_path / "own"))
    assert not any((tmp_path / "data").iterdir())
    with pytest.raises(DataError, match="folder for each class"):
        prepared(tmp_path / "data", "photographs-9", str(tmp_path / "nowhere"))


def test_a_suite_asks_each_loader_beside_the_network_alone():
    devices = dict.fromkeys(("keras-jax", "jax", "keras-tensorflow", "keras-torch", "pytorch", "tensorflow"), "cpu")
    cases = select(Selection(workloads=["photo_cnn"], suite=PIPELINES), devices)
    assert {case.task for case in cases} == set(FED)
    assert len({case.question for case in cases}) == 1
    for name in devices:
        own = [case.mode for case in cases if case.environment == name]
        assert own[0] == ablations.split(own[0])[0]
        assert len(own) == len(set(own)) > 4


def test_a_suite_on_a_machine_that_nothing_is_known_of_plans_to_feed_a_small_network(plan):
    known = registry.environments()
    cases = select(Selection(suite=PIPELINES), {name: "cpu" for name, row in known.items() if row.is_default})
    left_out = rounds.left_out(cases, plan(SUITE_BUDGET_S[PIPELINES], environments=known), CampaignFile("", []))
    assert {case.workload for case in cases if case.id not in left_out} == {"photo_cnn"}


def test_workers_are_told_from_a_mode():
    assert [ablations.number(mode) for mode in ("eager", "eager+image_files", "eager+image_files+2")] == [0, 0, 2]
    assert ablations.title("image_files+2").endswith(", 2 workers")
    assert ablations.title("image_files+1").endswith(", 1 worker")
    assert ablations.title("batches_ahead+0").endswith(", 0 batches ahead")
    assert ablations.title("batches_ahead+1").endswith(", 1 batch ahead")


@pytest.mark.parametrize("name", feeding.WORKLOADS)
def test_what_is_fed_takes_photographs_and_their_class(name):
    problem = registry.workload(name)
    x, y = problem.batch(np.random.RandomState(0), 1)
    assert (x.shape[1] <= photographs.SIDE, x.shape[3], y.shape) == (True, 3, (1,))
    assert problem.weights(np.random.RandomState(0))["head.bias"].size >= photographs.CLASSES


def test_a_loader_has_as_many_workers_or_batches_ahead_as_a_mode_asks_for():
    def modes(*asked):
        selection = Selection(workloads=["photo_cnn"], suite=PIPELINES, environments=["pytorch"], modes=asked)
        return [case.mode for case in select(selection, {"pytorch": "cpu"})]

    assert modes("eager", "eager+image_files+1", "eager+image_files+4") == [
        "eager", "eager+image_files+1", "eager+image_files+4"]  # fmt: skip
    assert modes("eager+batches_ahead+0", "eager+batches_ahead+8") == ["eager+batches_ahead+0", "eager+batches_ahead+8"]
    with pytest.raises(DefinitionError, match="No case"):
        modes("eager+raw_records+4")  # it has none


def test_a_network_whose_steps_are_changed_is_fed_where_that_is_asked_for():
    modes = ["eager+trunk_trained", "eager+trunk_trained+image_files+4"]
    selection = Selection(["efficientnet_b3"], ["pytorch"], modes, suite=PIPELINES, optimizers=["adam"])
    alone, fed = select(selection._replace(batch_sizes=[8]), {"pytorch": "cpu"})
    assert [alone.mode, fed.mode] == modes
    assert ablations.number(fed.mode) == 4
    assert ablations.title("trunk_trained+image_files+4").endswith(", JPEG files, 4 workers")
    assert (proof.subject_of(fed), proof.subject_of(fed).mode) == (proof.subject_of(alone), "eager+trunk_trained")
    assert turns.cache_folder(fed) == turns.cache_folder(alone)
    made = [os.path.basename(each) for each in ablations.made_by(registry.environment("pytorch"), fed.mode)]
    assert made == ["trunk_trained.py"] * 2 + ["image_files.py"] * 2
    assert not ablations.is_same(fed.mode)
    usual = [case.mode for case in select(selection._replace(modes=()), {"pytorch": "cpu"})]
    assert not any("trunk_trained" in mode for mode in usual)


def test_a_folder_of_many_files_begins_with_the_photographs_and_is_made_once(tmp_path, monkeypatch):
    monkeypatch.setattr(many_files, "COUNT", 50)
    files = [tmp_path / "images" / class_ / f"{number:05d}.jpg" for class_, number in (("a", 0), ("b", 1))]
    for each in files:
        each.parent.mkdir(parents=True)
        each.write_text(each.name)
    made = Path(many_files.folder(photographs.Images(str(tmp_path), list(map(str, files)), None, None, 300)))
    known = sorted(path.relative_to(made) for path in made.rglob("*.jpg"))
    assert len(known) == many_files.COUNT
    assert [str(path) for path in known[:3]] == ["a/00000.jpg", "b/00001.jpg", "b/z000002.jpg"]
    assert (made / known[-1]).read_text() == "00001.jpg"
    (made / "b" / "00001.jpg").unlink()
    assert many_files.folder(photographs.Images(str(tmp_path), list(map(str, files)), None, None, 300)) == str(made)
    assert not (made / "b" / "00001.jpg").exists()
