"""Photographs as files: generated from a seed, or of a folder of one's own; what loaders read, and what they must give.

<data>/<name>/images/<class>/<number>.jpg   RGB, at least SIDE pixels on a side
<data>/<name>/pixels.npy                    (count, SIDE, SIDE, 3) uint8: decoded with Pillow, the middle cut out
<data>/<name>/manifest.json                 labels, sizes, what was left out

A loader has to give the middle of each photograph in this order, at most one grey level off. Photographs are generated
of noise whose spectrum falls as that of natural images does (Field 1987: amplitude as 1 / frequency), half of them in
ImageNet's usual 500 x 375, half 300 x 300 as the article on input pipelines has them; at QUALITY they take as many
bytes per pixel as ImageNet's files do, about 0.6 (110 KB of 500 x 375).
"""

import hashlib
import itertools
import json
import os
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Sequence, Tuple

import numpy as np

from bench.cases import FED, Case, read_data
from bench.data import whole
from bench.errors import DataError, MissingDataError

SIDE = 300
SIZES = ((300, 300), (375, 500))  # height, width
LARGEST = 500  # pixels of the longer side, to which those of one's own are made smaller
QUALITY = 90
CLASSES = 8  # of one's own, those beyond count as the last
PREPARATION = 1
NO_PILLOW = (
    "Photographs are written with Pillow, which is not here. Use `nox -s bench`, or pip install -r "
    "bench/datasets/requirements.txt"
)
Say = Callable[[str], None]


class Images(NamedTuple):
    """Photographs in the order in which loaders give them."""

    folder: str  # where they lie, and where a loader may keep what it makes of them
    files: List[str]
    labels: np.ndarray  # (count,) int32
    pixels: np.ndarray  # (count, side, side, 3) uint8, mapped into memory
    side: int  # of the square that a network takes

    def cut(self, image: np.ndarray) -> np.ndarray:
        """Return the middle of one decoded image (height, width, 3)."""
        top, left = ((length - self.side) // 2 for length in image.shape[:2])
        return image[top : top + self.side, left : left + self.side]

    def whole(self, file: Any) -> np.ndarray:
        """Return a file, by its path or open, as Pillow decodes it: (height, width, 3) uint8."""
        from PIL import Image

        with Image.open(file) as opened:
            return np.asarray(opened.convert("RGB"))

    def decoded(self, file: Any) -> np.ndarray:
        """Return the middle of a file, by its path or open, as Pillow decodes it: (side, side, 3) uint8."""
        return self.cut(self.whole(file))


def read(name: str, data: str, side: int) -> Images:
    """Return photographs that were prepared, cut for a network.

    Raises MissingDataError where there are none, and DataError where the network takes larger ones.
    """
    folder = os.path.join(data, name)
    manifest = _manifest(folder)
    if manifest is None:
        raise MissingDataError("Expected photographs in %s, and there are none: a bench prepares them." % folder)
    if side > SIDE:
        raise DataError("A network takes images of %d pixels a side, and photographs have %d." % (side, SIDE))
    pixels, margin = np.load(os.path.join(folder, "pixels.npy"), mmap_mode="r"), (SIDE - side) // 2
    cut = pixels[:, margin : margin + side, margin : margin + side]
    files = [os.path.join(folder, "images", each) for each in manifest["files"]]
    return Images(folder, files, np.array(manifest["labels"], np.int32), cut, side)


def _manifest(folder: str) -> Any:
    path = os.path.join(folder, "manifest.json")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    return found if found["preparation"] == PREPARATION else None


def prepare(cases: Sequence[Case], data: str, own: str, say: Say) -> None:
    """Write what cases are fed with, once; `own` is a folder of one's own, or empty.

    Raises MissingDataError without Pillow, and DataError for a folder without enough images that can be read.
    """
    for name in sorted({case.data for case in cases if case.task in FED}):
        folder, source = os.path.join(data, name), _listing(own) if own else ""
        known = _manifest(folder)
        if known is None or known["source"] != source:
            with whole(folder) as partial:
                _write(partial, read_data(name).examples or 0, own, source, say)


def _write(folder, count, own, source, say):
    try:
        import PIL
    except ImportError:
        raise MissingDataError(NO_PILLOW) from None
    say("photographs: writing %d into %s" % (count, folder[: -len(".partial")]))
    left_out: Dict[str, str] = {}
    files, labels, shape = [], [], (count, SIDE, SIDE, 3)
    pixels = np.lib.format.open_memmap(os.path.join(folder, "pixels.npy"), mode="w+", dtype=np.uint8, shape=shape)
    for image, label, class_ in itertools.islice(_own(own, left_out) if own else generated(count), count):
        files.append(os.path.join(class_, "%05d.jpg" % len(files)))
        labels.append(label)
        pixels[len(files) - 1] = _saved(image, os.path.join(folder, "images", files[-1]))
    pixels.flush()
    if left_out:
        told = ["%s (%s)" % each for each in sorted(left_out.items())]
        say("photographs: %d left out: %s%s" % (len(told), ", ".join(told[:20]), ", ..." if told[20:] else ""))
    if len(files) < count:
        raise DataError(
            "%s: expected %d images that can be read, and there are %d. Ask for fewer with --examples, or use "
            "photographs that are generated." % (own, count, len(files))
        )
    about = {"preparation": PREPARATION, "source": source, "files": files, "labels": labels, "left_out": left_out,
             "pillow": PIL.__version__}  # fmt: skip
    with open(os.path.join(folder, "manifest.json"), "w", encoding="utf-8") as file:
        json.dump(about, file, indent=1)


def generated(count: int, seed: int = 0) -> Iterator[Tuple[np.ndarray, int, str]]:
    """Yield images (height, width, 3) uint8 with their class, by number and name, which is their hue; in its order."""
    random = np.random.RandomState(seed)
    for number in range(count):
        label = number * CLASSES // count
        hue = 2 * np.pi * (label / CLASSES + np.arange(3) / 3)
        shade = _noise(random, *SIZES[number % len(SIZES)])[..., None]
        color = np.stack([_noise(random, *shade.shape[:2]) for _ in range(3)], axis=-1)
        image = 120 + 45 * shade + 15 * color + 25 * np.cos(hue)
        yield np.clip(image, 0, 255).astype(np.uint8), label, "hue %d" % label


def _noise(random, height, width):
    """Return noise (height, width) of mean 0 and deviation 1, its amplitude as 1 / frequency."""
    vertical, horizontal = np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None]
    frequency = np.hypot(vertical, horizontal)
    frequency[0, 0] = np.inf
    phases = np.exp(2j * np.pi * random.random_sample(frequency.shape))
    found = np.fft.irfft2(phases / frequency, s=(height, width))
    return (found - found.mean()) / found.std()


def _saved(image, path):
    """Write an image as JPEG; return the middle of what a decoder makes of it."""
    from PIL import Image

    os.makedirs(os.path.dirname(path), exist_ok=True)
    Image.fromarray(image).save(path, "JPEG", quality=QUALITY)
    return Images("", [], np.zeros(0), np.zeros(0), SIDE).decoded(path)


def _listing(own: str) -> str:
    """Return what changes when a folder of one's own does."""
    listed = [(path, os.path.getsize(path)) for _, path in _paths(own)]
    return hashlib.sha256(json.dumps(listed).encode()).hexdigest()


def _paths(own: str) -> Iterator[Tuple[str, str]]:
    """Yield (class, path) of each file in a folder's folders, in order. Raises DataError where it has none."""
    if not os.path.isdir(own):
        raise DataError("%s: expected a folder with a folder for each class, and there is none." % own)
    for class_ in sorted(os.listdir(own)):
        inner = os.path.join(own, class_)
        for name in sorted(os.listdir(inner)) if os.path.isdir(inner) else []:
            yield class_, os.path.join(inner, name)


def _own(own, left_out):
    """Yield one's own images as they are fed: upright, in RGB, the first frame; what cannot be read is left out."""
    classes: List[str] = []
    for class_, path in _paths(own):
        try:
            image = _upright(path)
        except Exception as error:  # noqa: BLE001 - a decoder raises what it likes, and no file may end a bench
            left_out[os.path.relpath(path, own)] = "%s: %s" % (type(error).__name__, str(error)[:100])
            continue
        classes += [class_] if class_ not in classes else []
        label = min(classes.index(class_), CLASSES - 1)  # in order, as loaders that read folders number them
        yield image, label, "class %d" % label


def _upright(path):
    """Return an image (height, width, 3), turned as its EXIF data say, of SIDE to LARGEST pixels where that can be."""
    from PIL import Image, ImageOps

    with Image.open(path) as file:
        image = ImageOps.exif_transpose(file).convert("RGB")
    larger = max(SIDE / min(image.size), min(1.0, LARGEST / max(image.size)))
    if larger != 1:
        image = image.resize([max(SIDE, round(length * larger)) for length in image.size], Image.BILINEAR)
    return np.asarray(image)
