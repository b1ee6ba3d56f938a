"""Photographs are made once, decoded alike by everybody, and no file of one's own ends a bench."""

import os

import numpy as np
import pytest
from PIL import Image

from bench.cases import FED, Case
from bench.data import photographs
from bench.errors import DataError, MissingDataError

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


def test_what_is_made_is_read_back_in_its_order_with_the_pixels_of_its_files(tmp_path):
    prepared(tmp_path)
    found = photographs.read(NAME, str(tmp_path), 300)
    assert len(found.files) == 16
    assert list(found.labels) == sorted(found.labels)
    assert set(found.labels) == set(range(photographs.CLASSES))
    for path, pixels in zip(found.files, found.pixels, strict=True):
        image = decoded(path)
        assert image.shape[:2] in photographs.SIZES
        assert np.array_equal(found.cut(image), pixels)


def test_a_smaller_network_takes_the_middle_of_the_same_photographs(tmp_path):
    prepared(tmp_path)
    large, small = (photographs.read(NAME, str(tmp_path), side) for side in (300, 224))
    assert np.array_equal(small.pixels[3], large.pixels[3][38:-38, 38:-38])
    assert np.array_equal(small.cut(decoded(small.files[3])), small.pixels[3])
    with pytest.raises(DataError, match="331"):
        photographs.read(NAME, str(tmp_path), 331)


def test_what_is_generated_is_the_same_each_time_and_as_large_as_a_photograph(tmp_path):
    one, other = (prepared(tmp_path / name) for name in "ab")
    paths = sorted(one.glob("images/*/*.jpg"))
    assert [each.read_bytes() for each in paths] == [(other / each.relative_to(one)).read_bytes() for each in paths]
    pixels = sum(height * width for height, width in photographs.SIZES) * 16 / len(photographs.SIZES)
    assert 0.4 < sum(each.stat().st_size for each in paths) / pixels < 0.8  # bytes; ImageNet's have about 0.6


def test_nothing_is_written_twice(tmp_path):
    said = []
    prepared(tmp_path, said=said.append)
    before = (tmp_path / NAME / "manifest.json").stat().st_mtime_ns
    prepared(tmp_path, said=said.append)
    assert len(said) == 1
    assert (tmp_path / NAME / "manifest.json").stat().st_mtime_ns == before


def test_photographs_that_were_not_prepared_are_missed(tmp_path):
    with pytest.raises(MissingDataError, match="photographs-stand-in-16"):
        photographs.read(NAME, str(tmp_path), 300)


def odd_files(folder):
    """Write what people have in their folders; return how many of them are photographs."""
    inner = folder / "cats"
    inner.mkdir(parents=True)
    random = np.random.RandomState(0)
    rgb = Image.fromarray(random.randint(0, 255, (320, 640, 3), np.uint8))
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
    own = str(tmp_path / "own")
    name = f"photographs-{count}"
    folder = prepared(tmp_path / "data", name, own, said.append)
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
