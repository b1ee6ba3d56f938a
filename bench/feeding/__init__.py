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

from bench import machine, measure
from bench.errors import ParityError
from bench.feeding import brought
from bench.feeding.brought import ORDER, PIXELS

__all__ = ["ORDER", "PIXELS"]

TASKS, WORKLOADS = ("feed",), ("photo_cnn", "efficientnet_b3", "resnet50")  # of a loader's statement; of one class each
PASSES = 1  # of a run after the first: what takes longer goes into rounds
RATE_SCALE = 1e-3  # of a learning rate: the one batch in memory would be learnt by heart, until its loss is exactly 0


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


def measure_passes(
    program: Any,
    images: Any,
    batch_size: int,
    passes: int,
    workers: int,
    is_first: bool = True,
    steps_made: Optional[Callable[[Any], int]] = None,
) -> Fed:
    """Load photographs, and train over them once and then `passes` times.

    What the loader brings is compared with the photographs (bench/feeding/brought.py): in every timed pass, and in a
    first run in a whole pass before. `steps_made(program)` says how many updates a program has made, where its adapter
    can.

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
    reference = brought.Reference(images, batch_size, getattr(program, "differs", ()))
    try:
        found = found._replace(loading_cold_s=_loading(batches, steps, reference, "cold") if is_cold else None)
        if is_first:
            reference.check(batches)
        found.loading_s.append(_loading(batches, steps, reference, "warm"))
        for number in range(passes + 1):
            _fed(program, batches, reference, found, steps_made, "training pass %d" % (number + 1))
        if is_first and hasattr(program, "feed"):
            _check_own_loop(program, batches, reference, found.losses[-1])
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


def _in_memory(program, images, batch_size, passes, found):
    batch = program.place(brought.inputs(images, slice(batch_size)), images.labels[:batch_size])
    for _ in range(passes + 1):
        begin = time.perf_counter()
        loss = measure.block(program, batch, found.steps_per_epoch)[2]
        found.epoch_s.append(time.perf_counter() - begin)
        found.losses.append(float(loss))
    return found._replace(loss_first=found.losses[0], loss_last=found.losses[-1])


def _fed(program, batches, reference, found, steps_made, what):
    """Train a pass: by the framework's own loop, where the loader is made for it, or step by step."""
    own_loop, before = hasattr(program, "feed"), steps_made(program) if steps_made else 0
    sample = brought.Sample(batches, found.steps_per_epoch)
    begin = time.perf_counter()
    loss = program.feed(batches) if own_loop else _by_hand(program, sample, found)
    found.epoch_s.append(time.perf_counter() - begin)
    found.losses.append(float(loss))
    if not own_loop:
        reference.judge(sample, what)
    elif steps_made:
        _require(steps_made(program) - before, found.steps_per_epoch, what)


def _by_hand(program, batches, found):
    """Train a pass step by step; return the last loss. The time to the first batch is waited for as well."""
    waiting_s, asked, made = 0.0, time.perf_counter(), 0
    for batch in batches:
        waiting_s += time.perf_counter() - asked
        handle = program.step(batch)
        made += 1
        asked = time.perf_counter()
    _require(made, found.steps_per_epoch, "a training pass")
    loss = program.wait(handle)
    found.waiting_s.append(waiting_s)
    return loss


def _loading(batches, steps, reference, what):
    sample = brought.Sample(batches, steps)
    begin = time.perf_counter()
    made = sum(1 for _ in sample)
    seconds = time.perf_counter() - begin
    _require(made, steps, "a pass")
    reference.judge(sample, "%s loading pass" % what)
    return seconds


def _require(made, steps, what):
    if made != steps:
        raise ParityError(
            "%s had %d batches, and %d were expected: look in the loader for what ends a pass early, or begins it anew"
            % (what, made, steps)
        )


def _check_own_loop(program, batches, reference, loss):
    """Compare the loss of the last pass of a framework's own loop with that of a pass over batches that are checked.

    Which follows at once, over the same loader; each batch is checked, and stepped by the adapter.
    """
    losses = []

    def stepped():
        for batch in batches:
            x, y = (brought.array(each) for each in batch)
            losses.append(float(program.wait(program.step(program.place(x, y)))))
            yield x, y

    reference.check(stepped())
    expected = sum(losses) / len(losses)
    is_noisy = any(name.endswith(".variance") for name in program.weights())
    allowed = brought.loss_tolerance(reference.differs, is_noisy, len(losses))
    if not abs(loss / expected - 1) <= allowed:
        raise ParityError(
            "the framework's own loop: its last pass has a mean loss of %.6g, and the same batches one by one have "
            "%.6g; they may differ by %.0e of it. Look in the loader's `feed` for batches that are repeated, left out "
            "or others than those of the pass before timing" % (loss, expected, allowed)
        )
