"""The data sets, one file each, and what their files share: archives, images, padded texts and generated examples.

A file states, in addition to a docstring whose first line is the title:

- `SOURCE`, `LICENCE`: where a person reads about it, and its licence
- `PREPARATION`: a number, by default 1; raised when `prepare` would write other arrays than earlier
- `FILES`: what is downloaded: `File(name, size, checksum, urls)`, the checksum as published
- `INPUTS`, `TARGET`: the type and shape of one example: `{"x": ("uint8", (28, 28))}` and by default `("int32", ())`
- `EXAMPLES`: (training, test)
- `METRIC`: by default "accuracy"; "mean AUROC" if an example has several labels
- `prepare(files, arrays, advance)`: fills `arrays` ("x_train", "y_train", "x_test", "y_test", mapped into memory), and
  returns the classes' names. `files` is {name: path}, with verified checksums. `advance(count)` counts ready examples.
- `stand_in(random, train, test)`: returns arrays of the same types and shapes that a network can learn, from a
  `RandomState`
- `STAND_IN`, `STAND_IN_CLASSES`: its usual (training, test) examples, and its classes' names
- `ATTAINABLE`: what METRIC can reach on the stand-in's test half
- `GUESSING`: METRIC of the same answer to all examples, unless that is one divided by the classes, or 0.5

Generated examples use integer arithmetic on `RandomState.randint` and `permutation`, whose streams are frozen. A seed
gives the same arrays on every NumPy, processor and mathematics library.
"""

import concurrent.futures
import io
import os
import re
import tarfile
import threading
from typing import Any, Callable, Dict, Iterable, Iterator, List, Sequence, Tuple, Union

import numpy as np

from bench.data import imported
from bench.errors import DataError

KINDS = ("across", "down", "falling", "rising", "checked")
Arrays = Dict[str, np.ndarray]  # "x_train", "y_train", "x_test", "y_test"; or "x" and "y" of a half
Rows = Dict[str, Tuple[str, int]]  # image -> (half, row)


def members(path: str, pattern: str) -> Iterator[Tuple[str, bytes]]:
    """Yield the name and content of each file in a tar archive whose whole name matches, in the archive's order.

    The archive is not unpacked, so its paths never name a file on the disk.
    """
    try:
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                if member.isfile() and re.match(pattern + "$", member.name):
                    yield member.name, archive.extractfile(member).read()
    except (tarfile.TarError, EOFError, OSError) as error:
        raise DataError("%s: expected a tar archive, and it cannot be read: %s." % (path, error)) from None


def decode(content: bytes, side: int, mode: str, name: str) -> np.ndarray:
    """Return an image file's picture as (side, side) uint8 in mode "L" (grey), (side, side, 3) in "RGB"."""
    Image = imported("PIL.Image", "Pillow")  # noqa: N806 - its name in Pillow
    try:
        with Image.open(io.BytesIO(content)) as image:
            return np.asarray(image.convert(mode).resize((side, side), Image.BILINEAR))
    except (OSError, ValueError) as error:
        raise DataError("%s: expected an image, and it cannot be read: %s." % (name, error)) from None


def rows_of(listed: Dict[str, Sequence[str]], arrays: Arrays) -> Rows:
    """Return the place of each image in the arrays, from the list of each half.

    Raises DataError if a list names an image twice, or another number of images than the arrays have.
    """
    for half, names in listed.items():
        expected = len(arrays["y_" + half])
        if not len(names) == len(set(names)) == expected:
            raise DataError("The %s list: expected %d different images, and came %d names of %d images." % (
                half, expected, len(names), len(set(names))))  # fmt: skip
    return {name: (half, row) for half, names in listed.items() for row, name in enumerate(names)}


def fill_images(paths: Iterable[str], pattern: str, rows: Rows, arrays: Arrays, advance: Callable[[], None]) -> None:
    """Fill x with the images of archives, as many archives at a time as there are cores; `pattern` names the images.

    In `rows`, an image has its name without the first folder. Raises DataError if one is missing or cannot be read.
    """
    shape = arrays["x_train"].shape
    is_over = threading.Event()

    def decode_archive(path: str) -> List[str]:
        names = []
        for name, content in members(path, pattern):
            if is_over.is_set():
                break  # another archive is broken, or the user pressed Ctrl-C
            image = name.split("/", 1)[1]
            if image in rows:
                half, row = rows[image]
                arrays["x_" + half][row] = decode(content, shape[1], "RGB" if len(shape) > 3 else "L", name)
                names.append(image)
                advance()
        return names

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:  # zlib and Pillow let other threads run
        futures = [pool.submit(decode_archive, path) for path in paths]
        try:
            concurrent.futures.wait(futures, return_when=concurrent.futures.FIRST_EXCEPTION)
        finally:
            is_over.set()
    missing = set(rows).difference(*(future.result() for future in futures))
    if missing:
        raise DataError("Expected all images of the lists, and %d are missing, as %s." % (len(missing), min(missing)))


def fill(arrays: Arrays, half: str, advance: Callable[[int], None], **parts: np.ndarray) -> None:
    """Copy a half's parts, such as x and y, into the arrays; raises DataError when one has another shape."""
    for part, values in parts.items():
        name = "%s_%s" % (part, half)
        if arrays[name].shape != values.shape:
            raise DataError("%s: expected shape %s, and came %s." % (name, arrays[name].shape, values.shape))
        arrays[name][...] = values
    advance(len(arrays["y_" + half]))


def halves(make: Callable[..., Arrays], random: np.random.RandomState, train: int, test: int, *rest: Any) -> Arrays:
    """Return the arrays of both halves; `make(random, count, *rest)` returns {part: array} of one half."""
    counts = {"train": train, "test": test}
    return {"%s_%s" % (part, half): array
            for half in counts for part, array in make(random, counts[half], *rest).items()}  # fmt: skip


def pad(texts: Iterable[Sequence[int]], length: int) -> np.ndarray:
    """Return (texts, length) int32: zeros before a short text, and the end of a long one (Keras' `pad_sequences`)."""
    rows = list(texts)
    padded = np.zeros((len(rows), length), np.int32)
    for row, text in zip(padded, rows):
        kept = list(text)[-length:]
        if kept:
            row[-len(kept) :] = kept
    return padded


def integers(
    random: np.random.RandomState, low: int, high: int, size: Union[int, Sequence[int], None] = None
) -> np.ndarray:
    """Return int64 from low up to high: the default type of `randint` is another one on Windows."""
    return np.asarray(random.randint(low, high, size, dtype=np.int64))


def balanced(random: np.random.RandomState, count: int, classes: int) -> np.ndarray:
    """Return (count,) int32 class numbers in random order, each as often as any other."""
    return random.permutation(np.arange(count, dtype=np.int32) % classes)


def mislabel(random: np.random.RandomState, y: np.ndarray, classes: int, percent: int) -> np.ndarray:
    """Return y with exactly `percent` of the labels wrong: the best accuracy is what is left."""
    wrong = random.permutation(len(y))[: len(y) * percent // 100]
    noisy = y.copy()
    noisy[wrong] = (noisy[wrong] + integers(random, 1, classes, len(wrong))) % classes
    return noisy


def crops(images: np.ndarray, corners: np.ndarray, is_mirrored: np.ndarray, side: int) -> np.ndarray:
    """Return the square of `side` at `corners` (count, 2) of each image (count, height, width, ...), some mirrored."""
    found = np.empty((len(images), side, side) + images.shape[3:], images.dtype)
    for crop, image, (top, left), mirrors in zip(found, images, corners, is_mirrored):
        cut = image[top : top + side, left : left + side]
        crop[...] = cut[:, ::-1] if mirrors else cut
    return found


def _wave(position: np.ndarray, period: int) -> np.ndarray:
    return np.abs(2 * (position % period) - period) * 255 // period


def texture(random: np.random.RandomState, side: int, kind: str, period: int) -> np.ndarray:
    """Return (side, side) int32 of 0 to 255: a wave of `period` pixels in the direction `kind`, at a random phase."""
    phase = integers(random, 0, period, (2, 1, 1)).astype(np.int32)
    y, x = np.mgrid[:side, :side].astype(np.int32) + phase
    if kind == "checked":
        return np.where((_wave(x, period) > 127) == (_wave(y, period) > 127), 255, 0).astype(np.int32)
    return _wave({"across": x, "down": y, "falling": x - y + side, "rising": x + y}[kind], period)


def shape(random: np.random.RandomState, side: int) -> np.ndarray:
    """Return (side, side) booleans: a disc, square or diamond of random size somewhere near the middle."""
    middle = integers(random, side * 3 // 8, side * 5 // 8, (2, 1, 1)).astype(np.int32)
    y, x = np.mgrid[:side, :side].astype(np.int32) - middle
    radius = integers(random, side // 4, side * 3 // 8)
    form = integers(random, 0, 3)
    if form == 0:
        return x * x + y * y <= radius * radius
    return np.maximum(abs(x), abs(y)) <= radius if form == 1 else abs(x) + abs(y) <= radius * 4 // 3


def noise(random: np.random.RandomState, size: Tuple[int, ...], most: int) -> np.ndarray:
    """Return int16 noise from -most to most, at most 63."""
    values = np.frombuffer(random.bytes(int(np.prod(size))), np.uint8).reshape(size)
    return (values.astype(np.int16) * np.int16(2 * most + 1) >> 8) - np.int16(most)


def picture(random: np.random.RandomState, side: int, kind: str, period: int, color: Sequence[int]) -> np.ndarray:
    """Return (side, side, 3) uint8: a textured shape in a colour, on grey ground, with noise."""
    brightness = 64 + texture(random, side, kind, period) * 3 // 4
    body = (brightness * np.array(color, np.int32)[:, None, None] >> 8).astype(np.int16)  # (3, side, side)
    drawn = np.where(shape(random, side), body, integers(random, 40, 216).astype(np.int16))
    return np.clip(drawn + noise(random, drawn.shape, 32), 0, 255).astype(np.uint8).transpose(1, 2, 0)
