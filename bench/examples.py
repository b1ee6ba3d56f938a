"""What the files of several data sets share: padded texts, wrong labels on purpose, and drawn textures.

Everything here is integer arithmetic on `RandomState.randint` and `permutation`, whose streams are frozen: a seed gives
the same arrays on every NumPy, processor and mathematics library.
"""

from typing import Iterable, Sequence, Tuple, Union

import numpy as np

from bench.errors import DataError

KINDS = ("across", "down", "falling", "rising", "checked")


def pad(texts: Iterable[Sequence[int]], length: int) -> np.ndarray:
    """Return (texts, length) int32: zeros before a short text, and the end of a long one (Keras' `pad_sequences`)."""
    rows = list(texts)
    padded = np.zeros((len(rows), length), np.int32)
    for row, text in zip(padded, rows):
        kept = list(text)[-length:]
        if kept:
            row[-len(kept) :] = kept
    return padded


def fill(array: np.ndarray, values: np.ndarray, what: str) -> None:
    """Copy what was read into an array of the stated shape; raises DataError when it has another."""
    if array.shape != values.shape:
        raise DataError("%s: expected shape %s, and came %s." % (what, array.shape, values.shape))
    array[...] = values


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
