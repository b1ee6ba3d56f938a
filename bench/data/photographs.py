"""Photographs as files, generated from a seed or from the user's folder: what loaders read, and what they must give.

In a data folder, `<name>/` holds:

- `images/<class>/<number>.jpg`: RGB, at least SIDE pixels on a side
- `pixels.npy`: (count, SIDE, SIDE, 3) uint8, the centre of each image as Pillow decodes it
- `manifest.json`: labels, and the files that were left out

A loader must give the centre of each photograph in this order, at most one grey level off. Photographs are generated
from noise with the spectrum of natural images (Field 1987: amplitude as 1 / frequency). Half of them have ImageNet's
usual 500 x 375 pixels, half 300 x 300 as in the article on input pipelines. At QUALITY they need 0.6 bytes per pixel,
as ImageNet's files do (110 KB of 500 x 375).
"""

import hashlib
import itertools
import json
import os
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Sequence, Tuple

import numpy as np

from bench.cases import FED, Case, read_data
from bench.data import imported, whole
from bench.errors import DataError, MissingDataError

SIDE = 300
SIZES = ((300, 300), (375, 500))  # height, width
LARGEST = 500  # pixels of the longer side; larger ones of the user are made smaller
QUALITY = 90
CLASSES = 8  # further folders of the user count as the last class
PREPARATION = 1
Say = Callable[[str], None]


class Images(NamedTuple):
    """Photographs in the order in which loaders give them."""

    folder: str  # of the photographs and of what a loader makes of them
    files: List[str]
    labels: np.ndarray  # (count,) int32
    pixels: np.ndarray  # (count, side, side, 3) uint8, mapped into memory
    side: int  # of the square that a network takes

    def cut(self, image: np.ndarray) -> np.ndarray:
        """Return the centre of a decoded image (height, width, 3)."""
        top, left = ((length - self.side) // 2 for length in image.shape[:2])
        return image[top : top + self.side, left : left + self.side]

    def whole(self, file: Any) -> np.ndarray:
        """Return a file, by its path or open, as Pillow decodes it: (height, width, 3) uint8."""
        from PIL import Image

        with Image.open(file) as opened:
            return np.asarray(opened.convert("RGB"))

    def decoded(self, file: Any) -> np.ndarray:
        """Return the centre of a file, by its path or open, as Pillow decodes it: (side, side, 3) uint8."""
        return self.cut(self.whole(file))


def read(name: str, data: str, side: int) -> Images:
    """Return prepared photographs, cut for a network.

    Raises MissingDataError if there are none, and DataError if the network takes larger ones.
    """
    folder = os.path.join(data, name)
    manifest = _manifest(folder)
    if manifest is None:
        raise MissingDataError("Expected photographs in %s, and there are none: a bench prepares them." % folder)
    if side > SIDE:
        raise DataError("A network takes images of %d pixels a side, and photographs have %d." % (side, SIDE))
    pixels, margin = np.load(os.path.join(folder, "pixels.npy"), mmap_mode="r"), (SIDE - side) // 2
    cut = pixels[:, margin : margin + side, margin : margin + side]
    files = [os.path.join(folder, "images", name) for name in manifest["files"]]
    return Images(folder, files, np.array(manifest["labels"], np.int32), cut, side)


def _manifest(folder: str) -> Any:
    path = os.path.join(folder, "manifest.json")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        manifest = json.load(file)
    return manifest if manifest["preparation"] == PREPARATION else None


def prepare(cases: Sequence[Case], data: str, images: str, say: Say) -> None:
    """Write the photographs that cases need, once; `images` is the user's folder of photographs, or empty.

    Raises MissingDataError without Pillow, and DataError for a folder without enough readable images.
    """
    for name in sorted({case.data for case in cases if case.task in FED}):
        folder, source = os.path.join(data, name), _listing(images) if images else ""
        manifest = _manifest(folder)
        if manifest is None or manifest["source"] != source:
            with whole(folder) as partial:
                count = read_data(name).examples or 0
                say("photographs: writing %d into %s" % (count, folder))
                _write(partial, count, images, source, say)


def _write(folder: str, count: int, user_folder: str, source: str, say: Say) -> None:
    pillow = imported("PIL", "Pillow").__version__
    files: List[str] = []
    labels: List[int] = []
    left_out: Dict[str, str] = {}
    shape = (count, SIDE, SIDE, 3)
    pixels: np.memmap[Any, Any] = np.lib.format.open_memmap(os.path.join(folder, "pixels.npy"), "w+", np.uint8, shape)
    for image, label, class_ in itertools.islice(
        _own(user_folder, left_out) if user_folder else generated(count), count
    ):
        files.append(os.path.join(class_, "%05d.jpg" % len(files)))
        labels.append(label)
        pixels[len(files) - 1] = _saved(image, os.path.join(folder, "images", files[-1]))
    pixels.flush()
    if left_out:
        notes = ["%s (%s)" % item for item in sorted(left_out.items())]
        say("photographs: %d left out: %s%s" % (len(notes), ", ".join(notes[:20]), ", ..." if notes[20:] else ""))
    if len(files) < count:
        raise DataError(
            "%s: expected %d images that can be read, and there are %d. Reduce --examples, or leave out --images to "
            "generate photographs." % (user_folder, count, len(files))
        )
    manifest = {"preparation": PREPARATION, "source": source, "files": files, "labels": labels, "left_out": left_out,
                "pillow": pillow}  # fmt: skip
    with open(os.path.join(folder, "manifest.json"), "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1)


def generated(count: int, seed: int = 0) -> Iterator[Tuple[np.ndarray, int, str]]:
    """Yield (image (height, width, 3) uint8, class number, class name), ordered by class; a class is a hue."""
    random = np.random.RandomState(seed)
    for number in range(count):
        label = number * CLASSES // count
        hue = 2 * np.pi * (label / CLASSES + np.arange(3) / 3)
        shade = _noise(random, *SIZES[number % len(SIZES)])[..., None]
        color = np.stack([_noise(random, *shade.shape[:2]) for _ in range(3)], axis=-1)
        image = 120 + 45 * shade + 15 * color + 25 * np.cos(hue)
        yield np.clip(image, 0, 255).astype(np.uint8), label, "hue %d" % label


def _noise(random: np.random.RandomState, height: int, width: int) -> np.ndarray:
    """Return noise (height, width) of mean 0 and deviation 1, its amplitude as 1 / frequency."""
    vertical, horizontal = np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None]
    frequency = np.hypot(vertical, horizontal)
    frequency[0, 0] = np.inf
    phases = np.exp(2j * np.pi * random.random_sample(frequency.shape))
    noise = np.fft.irfft2(phases / frequency, s=(height, width))
    return np.asarray((noise - noise.mean()) / noise.std())


def _saved(image: np.ndarray, path: str) -> np.ndarray:
    """Write an image as JPEG; return the centre of what a decoder makes of it."""
    from PIL import Image

    os.makedirs(os.path.dirname(path), exist_ok=True)
    Image.fromarray(image).save(path, "JPEG", quality=QUALITY)
    return Images("", [], np.zeros(0), np.zeros(0), SIDE).decoded(path)


def _listing(folder: str) -> str:
    """Return a hash that changes when the user's folder does."""
    listed = [(path, os.path.getsize(path)) for _, path in _paths(folder)]
    return hashlib.sha256(json.dumps(listed).encode()).hexdigest()


def _paths(folder: str) -> Iterator[Tuple[str, str]]:
    """Yield (class, path) of each file in the folders of a folder, in order; raises DataError if it does not exist."""
    if not os.path.isdir(folder):
        raise DataError("%s: expected a folder with a folder for each class, and there is none." % folder)
    for class_ in sorted(os.listdir(folder)):
        inner = os.path.join(folder, class_)
        for name in sorted(os.listdir(inner)) if os.path.isdir(inner) else []:
            yield class_, os.path.join(inner, name)


def _own(folder: str, left_out: Dict[str, str]) -> Iterator[Tuple[np.ndarray, int, str]]:
    """Yield the user's images as `generated` does, the first frame in RGB; add unreadable files to `left_out`."""
    classes: List[str] = []
    for class_, path in _paths(folder):
        try:
            image = _upright(path)
        except Exception as error:  # noqa: BLE001 - decoders raise many kinds, and no file may end a bench
            left_out[os.path.relpath(path, folder)] = "%s: %s" % (type(error).__name__, str(error)[:100])
            continue
        classes += [class_] if class_ not in classes else []
        label = min(classes.index(class_), CLASSES - 1)  # in order, as loaders that read folders number them
        yield image, label, "class %d" % label


def _upright(path: str) -> np.ndarray:
    """Return an image (height, width, 3), turned by its EXIF data, with SIDE to LARGEST pixels a side if possible."""
    from PIL import Image, ImageOps

    with Image.open(path) as file:
        image = ImageOps.exif_transpose(file).convert("RGB")
    larger = max(SIDE / min(image.size), min(1.0, LARGEST / max(image.size)))
    if larger != 1:
        width, height = (max(SIDE, round(length * larger)) for length in image.size)
        image = image.resize((width, height), Image.Resampling.BILINEAR)
    return np.asarray(image)
