"""Train on photographs as a loader brings them: does the network wait for its data? The third kind of run.

Three things are timed in passes over the same photographs: training on them as the loader brings them (`epoch_s`), the
loader with nothing behind it (`loading_s`), and, in a program without a loader, training on one batch that lies in
memory. The share of a fed pass that the network waits is 1 - in memory / fed, a ratio within a round like any other;
where the loop is ours, the time for which a step had no batch yet is measured besides (`waiting_s`).

A loader is stated and found as an ablation is (bench/ablations): what it changes of a program is where batches come
from. `vary(batches, convert, feed, differs)` makes one of

- `batches(program, images, batch_size, workers)`: returns `Passes` of what `step` takes, in the order of
  `images.files`, the middle of each as float32 from 0 to 1
- `convert(images)`, optional: writes what is read instead of the files, below `images.folder`; returns its path
- `feed(program, passes)`, where the framework has a loop of its own: makes a pass by that, and returns the loss
- `differs`: which of PIXELS and ORDER are not as the files have them, because it augments, makes smaller, or shuffles
"""

import os
import shutil
import time
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from bench import machine, measure
from bench.errors import ParityError

TASKS, WORKLOADS = ("feed",), ("photo_cnn", "efficientnet_b3", "resnet50")  # of a loader's statement; of one class each
PASSES = 1  # of a run after the first: what takes longer goes into rounds
RATE_SCALE = 1e-3  # of a learning rate: the one batch in memory would be learnt by heart, until its loss is exactly 0
PIXELS, ORDER = "pixels", "order"  # what a loader may change: it augments or resizes, it shuffles
THUMBNAIL = 16  # pixels
GREY_LEVELS = 1  # by which decoders may differ: two inverse cosine transforms round otherwise


class Fed(NamedTuple):
    """What one run measured, in seconds; the first pass compiles, and its time is the first of `epoch_s`."""

    first_step_s: Optional[float]
    steps_per_epoch: int
    epoch_s: List[float]
    losses: List[float]  # the last of each pass
    loss_first: float
    loss_last: float
    loading_s: List[float]  # of a pass with nothing behind the loader; empty without one
    loading_cold_s: Optional[float]  # of the first, as the files come from the disk and workers start; None: unknown
    loading_bytes: Optional[int]  # of the files that a pass reads; None without a loader
    storage: Optional[str]  # where they lie, as the system tells
    waiting_s: List[float]  # of each pass that trains; empty where the framework's own loop hides it
    conversion_s: Optional[float]  # of writing what the loader reads instead of the files
    conversion_bytes: Optional[int]


class Passes:
    """An iterable that begins anew each time; `of` is what a framework's own loop takes instead."""

    def __init__(self, begin: Callable[[], Iterator[Any]], of: Any = None) -> None:
        self.begin, self.of = begin, of

    def __iter__(self) -> Iterator[Any]:
        return self.begin()


def vary(
    batches: Callable[..., Passes],
    convert: Optional[Callable[[Any], str]] = None,
    feed: Optional[Callable[[Any, Passes], float]] = None,
    differs: Sequence[str] = (),
) -> Callable[[Any, Any], Tuple[Any, Any]]:
    """Return the `vary` of a loader's file; `differs` names what of its batches is not as the files have it."""

    def make(program: Any, source: Any) -> Tuple[Any, Any]:
        parts = {"batches": batches, "convert": convert and staticmethod(convert), "feed": feed, "differs": differs}
        return type("Fed", (program,), {name: part for name, part in parts.items() if part}), source

    return make


def measure_passes(program: Any, images: Any, batch_size: int, passes: int, workers: int, is_first: bool = True) -> Fed:
    """Load photographs, and train over them once and then `passes` times; in a first run, check the loader before.

    Raises ParityError where the loader does not bring what it should, ValueError where they do not fill a batch.
    """
    steps = len(images.labels) // batch_size
    if not steps:
        raise ValueError("%d photographs do not fill one batch of %d" % (len(images.labels), batch_size))
    found = Fed(None, steps, [], [], 0.0, 0.0, [], None, None, None, [], None, None)
    if not hasattr(program, "batches"):
        return _in_memory(program, images, batch_size, passes, found)
    files = images.files
    if hasattr(program, "convert"):
        begin = time.perf_counter()
        path = program.convert(images)
        seconds, files = time.perf_counter() - begin, _inside(path)
        found = found._replace(conversion_s=seconds, conversion_bytes=sum(map(os.path.getsize, files)))
    found = found._replace(loading_bytes=sum(map(os.path.getsize, files)), storage=machine.storage(images.folder))
    is_cold = _forgotten(files)
    batches = program.batches(images, batch_size, workers)
    try:
        found = found._replace(loading_cold_s=_loading(batches, steps) if is_cold else None)
        if is_first:
            check(batches, images, batch_size, getattr(program, "differs", ()))
        found.loading_s.append(_loading(batches, steps))
        for _ in range(passes + 1):
            _fed(program, batches, steps, found)
    finally:
        if hasattr(program, "convert"):
            (shutil.rmtree if os.path.isdir(path) else os.remove)(path)
    return found._replace(loss_first=found.losses[0], loss_last=found.losses[-1])


def _inside(path):
    return [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names] or [path]


def _forgotten(paths):
    """Ask the system to keep nothing of some files in memory; say whether it can be asked."""
    if not hasattr(os, "posix_fadvise"):
        return False
    for path in paths:
        with open(path, "rb") as file:
            os.fsync(file.fileno())  # what is not yet on the disk stays
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return True


def inputs(images: Any, rows: Any) -> np.ndarray:
    """Return what a network takes of some photographs: float32 from 0 to 1, (rows, side, side, 3)."""
    return images.pixels[rows].astype(np.float32) / 255


def check(batches: Any, images: Any, batch_size: int, differs: Sequence[str] = ()) -> None:
    """Hold a pass against the photographs: pixels, labels and order. Raises ParityError with the first difference.

    Where pixels differ they have to, where the order does each photograph still comes once at most; where both do,
    no label comes more often than it should.
    """
    rows: List[int] = []
    labels: List[int] = []
    known = _thumbnails(images.pixels) / np.float32(255) if tuple(differs) == (ORDER,) else None
    for batch in batches:
        x, y = (_array(each) for each in batch)
        if x.shape != (len(y),) + images.pixels.shape[1:]:
            raise ParityError("batch %d: expected images %s, got %s" % (
                len(rows) // batch_size, (len(y),) + images.pixels.shape[1:], x.shape))  # fmt: skip
        if len(rows) + len(y) > len(images.labels):
            raise ParityError("a pass has more than the %d photographs" % len(images.labels))
        here = list(range(len(rows), len(rows) + len(y))) if known is None else _most_alike(x, known)
        told = "photographs %d to %d: " % (len(rows), len(rows) + len(y) - 1)
        off = float(np.abs(x - inputs(images, here)).max() * 255)
        if PIXELS in differs and off <= GREY_LEVELS:
            raise ParityError(told + "nothing was augmented")
        if PIXELS not in differs and off > GREY_LEVELS + 0.01:
            raise ParityError(told + "a pixel is %.1f grey levels off, and %d is allowed" % (off, GREY_LEVELS))
        rows.extend(here)
        labels.extend(int(each) for each in y.ravel())
    if set(differs) == {PIXELS, ORDER}:  # which photograph each is cannot be told
        differ = any(labels.count(each) > np.count_nonzero(images.labels == each) for each in set(labels))
    else:
        differ = not np.array_equal(labels, images.labels[rows])
    if differ:
        raise ParityError("labels or their order differ")
    if len(set(rows)) < len(rows):
        raise ParityError("a pass has a photograph more than once")
    expected = len(images.labels) // batch_size * batch_size
    if len(rows) != expected:
        raise ParityError("a pass has %d photographs, and %d were expected" % (len(rows), expected))


def _most_alike(x, known):
    """Return which photograph each image is, where a loader shuffles: the row of the nearest thumbnail."""
    return [int(np.abs(known - thumbnail).sum(axis=(1, 2, 3)).argmin()) for thumbnail in _thumbnails(x)]


def _thumbnails(images):
    """Return every THUMBNAIL-th pixel of images (count, side, side, 3): of hundreds, some have nearly the same mean."""
    return images[:, ::THUMBNAIL, ::THUMBNAIL]


def _array(value):
    """Return a batch's part as a canonical array: images channels last."""
    value = value[0] if isinstance(value, (list, tuple)) else value
    value = np.asarray(value.cpu() if hasattr(value, "cpu") else value)
    return value.transpose(0, 2, 3, 1) if value.ndim == 4 and value.shape[-1] != 3 else value


def _in_memory(program, images, batch_size, passes, found):
    batch = program.place(inputs(images, slice(batch_size)), images.labels[:batch_size])
    for _ in range(passes + 1):
        begin = time.perf_counter()
        loss = measure.block(program, batch, found.steps_per_epoch)[2]
        found.epoch_s.append(time.perf_counter() - begin)
        found.losses.append(float(loss))
    return found._replace(loss_first=found.losses[0], loss_last=found.losses[-1])


def _fed(program, batches, steps, found):
    begin = time.perf_counter()
    loss = program.feed(batches) if hasattr(program, "feed") else _by_hand(program, batches, steps, found)
    found.epoch_s.append(time.perf_counter() - begin)
    found.losses.append(float(loss))


def _by_hand(program, batches, steps, found):
    """Train a pass step by step; return the last loss. The time to the first batch is waited for as well."""
    waiting_s, asked, made = 0.0, time.perf_counter(), 0
    for batch in batches:
        waiting_s += time.perf_counter() - asked
        handle = program.step(batch)
        made += 1
        asked = time.perf_counter()
    if made != steps:
        raise ParityError("a pass had %d batches, and %d were expected" % (made, steps))
    loss = program.wait(handle)
    found.waiting_s.append(waiting_s)
    return loss


def _loading(batches, steps):
    begin = time.perf_counter()
    made = sum(1 for _ in batches)
    seconds = time.perf_counter() - begin
    if made != steps:
        raise ParityError("a pass had %d batches, and %d were expected" % (made, steps))
    return seconds
