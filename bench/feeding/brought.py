"""Check that a loader brings the content of the files: one whole pass before timing, and a sample of each timed pass.

During a timed pass, a `Sample` keeps all labels and the pixels of one random batch. This costs 0.2 us per batch and the
memory of one batch; the comparison runs after the pass. A framework's own loop (`feed`) shows no batches. Its updates
are counted if the adapter can (`steps_made`). In a first run its loss is compared with that of the same batches
step by step.

Undetected:

- a loader that caches decoded photographs, and brings the right ones without reading files again
- wrong pixels with right labels in few batches of a pass: one bad batch of twenty is found in one of twenty passes
- an augmenting and shuffling loader that swaps photographs with equal labels
- a framework's own loop that trains on other photographs with the same mean loss
"""

import random
from typing import Any, Container, Iterator, List, Optional, Sequence

import numpy as np

from bench.errors import ParityError

PIXELS, ORDER = "pixels", "order"  # what a loader may change: augmented or resized pixels, shuffled order
THUMBNAIL = 16  # pixels
GREY_LEVELS = 1  # decoders may differ by this, because inverse cosine transforms round differently
GRID = 4  # blocks per side; their means survive cropping, flipping and rotation
# Lowest median correlation of a batch's blocks with those of the photographs. Noise has -0.14 (by row) and 0.07 (by
# label). Photographs rotated by 30 degrees have 0.47 with themselves; cropped ones 0.88 with the most similar of their
# label.
LEAST_ALIKE, LEAST_ALIKE_SHUFFLED = 0.15, 0.5
# limit of the difference of neighbouring pixels relative to the files; shuffled pixels and noise exceed it
MOST_ROUGH = 3.0
# Limit of the relative difference between mean losses of the own loop and of single steps. In photo_cnn it is 2e-5
# normally, 1.3e-3 with random rotations, and 3e-2 if one batch is repeated.
SAME_LOSS, ALIKE_LOSS = 1e-3, 1e-2  # unchanged; augmented or shuffled
NOISY_LOSS = 0.2  # for networks with batch norm, and possibly dropout
DRIFT = 5e-5  # per step, because the loss falls from pass to pass


class Sample:
    """Iterates over a pass, and keeps all labels and the pixels of one batch."""

    def __init__(self, batches: Any, steps: int) -> None:
        self.batches, self.chosen = batches, random.SystemRandom().randrange(steps)  # no seed that a loader can set
        self.labels: List[Any] = []
        self.pixels: Any = None

    def __iter__(self) -> Iterator[Any]:
        for number, batch in enumerate(self.batches):
            self.labels.append(batch[1])
            if number == self.chosen:
                self.pixels = batch[0]
            yield batch


class Reference:
    """The photographs that a loader should bring; `differs` names what it may change."""

    def __init__(self, images: Any, batch_size: int, differs: Sequence[str] = ()) -> None:
        self.images, self.batch_size, self.differs = images, batch_size, frozenset(differs)
        self.expected = len(images.labels) // batch_size * batch_size
        self._thumbnails: Optional[np.ndarray] = None  # made on first use
        self._blocks: Optional[List[np.ndarray]] = None

    def check(self, batches: Any) -> None:
        """Compare a whole pass with the photographs. Raises ParityError with the first difference."""
        rows: List[int] = []
        labels: List[int] = []
        for batch in batches:
            x, y = map(array, batch)
            if len(labels) + len(y) > len(self.images.labels):
                raise ParityError("a pass has more than the %d photographs" % len(self.images.labels))
            here = self._rows(x, y, len(labels))
            self._compare(x, y, here, len(labels))
            rows.extend(here)
            labels.extend(map(int, y.ravel()))
        if len(set(rows)) < len(rows):
            raise ParityError("a pass has a photograph more than once")
        self._compare_labels([labels])
        self._require_labels(labels, rows)

    def judge(self, sample: Sample, what: str) -> None:
        """Compare the sample of a timed pass. Raises ParityError with the pass and the likely cause."""
        try:
            self._judge(sample)
        except ParityError as error:
            raise ParityError(
                "%s: %s. Expected the batches of the pass before timing. Look in the loader for code that depends on "
                "the pass, on time or on its iterator, or that reuses a buffer" % (what, error)
            ) from None

    def _judge(self, sample):
        labels = [array(part).ravel() for part in sample.labels]
        self._compare_labels(labels)
        x, y, first = array(sample.pixels), labels[sample.chosen], self.batch_size * sample.chosen
        rows = self._rows(x, y, first)
        self._compare(x, y, rows, first)
        self._require_labels(y, rows)

    def _require_labels(self, labels, rows):
        """Raise ParityError if labels are wrong; skipped if the loader augments and shuffles."""
        if self.differs != {PIXELS, ORDER} and not np.array_equal(labels, self.images.labels[rows]):
            raise ParityError("labels or their order differ")

    def _rows(self, x, y, first):
        """Return the expected rows of a batch; the most similar photographs if the loader shuffles."""
        expected = (len(y),) + self.images.pixels.shape[1:]
        if x.shape != expected:
            raise ParityError("batch %d: expected images %s, got %s" % (first // self.batch_size, expected, x.shape))
        return self._most_alike(x) if self.differs == {ORDER} else list(range(first, first + len(y)))

    def _most_alike(self, x):
        """Return the row of the most similar photograph for each image, by thumbnails."""
        if self._thumbnails is None:
            self._thumbnails = thumbnails(self.images.pixels) / np.float32(255)
        return [int(np.abs(self._thumbnails - image).sum(axis=(1, 2, 3)).argmin()) for image in thumbnails(x)]

    def _compare(self, x, y, rows, first):
        """Compare a batch's pixels with the photographs of `rows`, or with those of equal labels."""
        where = "photographs %d to %d: " % (first, first + len(y) - 1)
        off = self._levels_off(x, rows)
        if PIXELS in self.differs:
            if off <= GREY_LEVELS:
                raise ParityError(where + "no pixel was augmented")
            self._compare_augmented(x, y, rows, where)
        elif not off <= GREY_LEVELS + 0.01:
            raise ParityError(
                where + "a pixel differs by %.1f grey levels (allowed: %d)%s" % (off, GREY_LEVELS, self._cause(x, rows))
            )

    def _levels_off(self, x, rows):
        """Return the largest difference between pixels and those of some photographs, in grey levels."""
        return float(np.abs(x - inputs(self.images, rows)).max() * 255)

    def _cause(self, x, rows):
        """Return whether wrong pixels are other photographs, as text for the message."""
        alike = self._most_alike(x)
        if self._levels_off(x, alike) > GREY_LEVELS + 0.01:
            return "; no photograph has these pixels"
        if alike == rows:
            return ""
        again = "one several times" if len(set(alike)) < len(alike) else "a batch is repeated, or the order differs"
        return "; they are photographs %s: %s" % (", ".join(map(str, alike[:8])), again)

    def _compare_augmented(self, x, y, rows, where):
        """Raise ParityError if augmented images are too unlike their photographs: noise, or shuffled pixels."""
        if self._blocks is None:
            self._blocks = [blocks(pixels).T for pixels in (self.images.pixels, self.images.pixels[:, :, ::-1])]
        alike = np.maximum(*(blocks(x) @ photographs for photographs in self._blocks))  # mirrored or not
        if ORDER in self.differs:
            least = LEAST_ALIKE_SHUFFLED
            alike = np.where(self.images.labels[None] == y.reshape(-1, 1), alike, -1.0).max(1)
        else:
            least, alike = LEAST_ALIKE, alike[np.arange(len(rows)), rows]
        if not np.median(alike) >= least:
            raise ParityError(
                where
                + "augmented images correlate by %.2f with the photographs of their labels, expected at least %.2f: "
                "their pixels come from other images" % (np.median(alike), least)
            )
        rough = roughness(x * 255) / max(roughness(self.images.pixels[rows]), 1e-9)
        if not rough <= MOST_ROUGH:
            raise ParityError(
                where + "neighbouring pixels differ %.1f times as much as in the files: shuffled?" % rough
            )

    def _compare_labels(self, batches):
        """Compare the labels of all batches of a pass: count, and order or frequency."""
        labels, expected = np.concatenate(batches or [[]]), self.images.labels
        if ORDER not in self.differs and len(labels) == self.expected:
            differ = not np.array_equal(labels, expected[: self.expected])
        else:
            differ = any((labels == label).sum() > (expected == label).sum() for label in set(labels))
        if differ:
            raise ParityError("labels or their order differ" + repeated(batches))
        if len(labels) != self.expected:
            raise ParityError("a pass has %d photographs, expected %d" % (len(labels), self.expected))


def loss_tolerance(differs: Container[str], is_noisy: bool, steps: int) -> float:
    """Return the allowed relative difference between the losses of a framework's own loop and of single steps."""
    if is_noisy:
        return NOISY_LOSS
    return (ALIKE_LOSS if PIXELS in differs or ORDER in differs else SAME_LOSS) + DRIFT * steps


def repeated(batches: Sequence[np.ndarray]) -> str:
    """Return a note about the first batch with the labels of the previous batch, or ""."""
    same = [i for i in range(1, len(batches)) if np.array_equal(batches[i], batches[i - 1])]
    return "; batch %d has those of the batch before: it is repeated" % (same[0] + 1) if same else ""


def inputs(images: Any, rows: Any) -> np.ndarray:
    """Return a network's inputs for some photographs: float32 from 0 to 1, (rows, side, side, 3)."""
    return images.pixels[rows].astype(np.float32) / 255


def thumbnails(images: np.ndarray) -> np.ndarray:
    """Return every THUMBNAIL-th pixel of images (count, side, side, 3)."""
    return images[:, ::THUMBNAIL, ::THUMBNAIL]


def blocks(images: np.ndarray) -> np.ndarray:
    """Return the means of GRID x GRID blocks of images, (count, GRID * GRID * 3), each of mean 0 and length 1."""
    side = images.shape[1] // GRID
    parts = images[:, : side * GRID, : side * GRID].reshape(len(images), GRID, side, GRID, side, 3)
    means = parts.mean(axis=(2, 4), dtype=np.float32).reshape(len(images), -1)
    means = means - means.mean(axis=1, keepdims=True)
    return means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)


def roughness(images: np.ndarray) -> float:
    """Return the median over images of the mean difference between neighbouring pixels."""
    return float(np.median(np.abs(np.diff(np.asarray(images, np.float32), axis=2)).mean(axis=(1, 2, 3))))


def array(value: Any) -> np.ndarray:
    """Return a part of a batch as a NumPy array, images with channels last."""
    value = value[0] if isinstance(value, (list, tuple)) else value
    value = np.asarray(value.cpu() if hasattr(value, "cpu") else value)
    return value.transpose(0, 2, 3, 1) if value.ndim == 4 and value.shape[-1] != 3 else value
