"""Train on photographs from a loader, and measure whether the network waits for its data.

Passes over the same photographs are timed: training with the loader (`epoch_s`) and the loader alone
(`loading_s`). A program without a loader trains on one batch in memory. The share of a pass spent waiting is 1 - in
memory / fed. If the loop is ours, the time that steps wait for a batch is measured too (`waiting_s`).

A loader is stated like an ablation (bench/ablations), and changes where batches come from. It calls `vary(batches,
convert, feed, differs)` with

- `batches(program, images, batch_size, workers)`: returns `Passes` of the arguments of `step`, in the order of
  `images.files`: the centre of each image as float32 from 0 to 1
- `convert(images)`, optional: writes other files to read below `images.folder`; returns their path
- `feed(program, passes)`, for a framework's own loop: runs a pass with it, and returns the loss
- `differs`: PIXELS if the loader augments or resizes, ORDER if it shuffles
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

# of a loader's statement; one workload per class
TASKS, WORKLOADS = ("feed",), ("photo_cnn", "efficientnet_b3", "resnet50")
PASSES = 1  # after the first; more samples come from rounds
RATE_SCALE = 1e-3  # factor on learning rates; otherwise the batch in memory is memorised until its loss is exactly 0


class Fed(NamedTuple):
    """Measurements of one run, in seconds; the first pass compiles and is the first of `epoch_s`."""

    steps_per_epoch: int
    epoch_s: List[float]
    losses: List[float]  # the last of each pass
    loading_s: List[float]  # of a pass of the loader alone; empty without a loader
    waiting_s: List[float]  # of each training pass; empty if the framework's own loop hides it
    loss_first: float = 0.0
    loss_last: float = 0.0
    first_step_s: Optional[float] = None
    loading_cold_s: Optional[float] = None  # of the first pass, with cold files and the start of workers
    loading_bytes: Optional[int] = None  # size of the files that a pass reads; None without a loader
    storage: Optional[str] = None  # file system and kind of disk
    conversion_s: Optional[float] = None  # of writing the converted files
    conversion_bytes: Optional[int] = None


class Passes:
    """An iterable that begins a new pass each time; a framework's own loop takes `of` instead."""

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
    """Return the `vary` function of a loader; `differs` names what it changes in batches."""

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
    """Train over the photographs once, and then `passes` times; return the measurements.

    Each timed pass is compared with the photographs (bench/feeding/brought.py), and a first run adds an untimed pass
    that is compared as a whole. `steps_made(program)` returns a program's number of updates, if its adapter can.

    Raises ParityError if the loader brings wrong data, ValueError if the photographs do not fill a batch.
    """
    steps = len(images.labels) // batch_size
    if not steps:
        raise ValueError("%d photographs do not fill one batch of %d" % (len(images.labels), batch_size))
    fed = Fed(steps, [], [], [], [])
    if hasattr(program, "batches"):
        fed = _from_loader(program, images, batch_size, passes, workers, is_first, steps_made, fed)
    else:
        batch = program.place(brought.inputs(images, slice(batch_size)), images.labels[:batch_size])
        for _ in range(passes + 1):
            _time(lambda: measure.block(program, batch, steps)[2], fed)
    return fed._replace(loss_first=fed.losses[0], loss_last=fed.losses[-1])


def _from_loader(program, images, batch_size, passes, workers, is_first, steps_made, fed):
    """Return the measurements of a program with a loader, as `measure_passes` does."""
    files = images.files
    if hasattr(program, "convert"):
        begin = time.perf_counter()
        path = program.convert(images)
        seconds = time.perf_counter() - begin
        files = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names] or [path]
        fed = fed._replace(conversion_s=seconds, conversion_bytes=sum(map(os.path.getsize, files)))
    fed = fed._replace(loading_bytes=sum(map(os.path.getsize, files)), storage=machine.storage(images.folder))
    is_cold = _forgotten(files)
    batches = program.batches(images, batch_size, workers)
    reference = brought.Reference(images, batch_size, getattr(program, "differs", ()))
    try:
        if is_cold:
            fed = fed._replace(loading_cold_s=_loading(batches, fed.steps_per_epoch, reference, "cold"))
        if is_first:
            reference.check(batches)
        fed.loading_s.append(_loading(batches, fed.steps_per_epoch, reference, "warm"))
        for number in range(passes + 1):
            _train(program, batches, reference, fed, steps_made, "training pass %d" % (number + 1))
        if is_first and hasattr(program, "feed"):
            _check_own_loop(program, batches, reference, fed.losses[-1])
    finally:
        if hasattr(program, "convert"):
            (shutil.rmtree if os.path.isdir(path) else os.remove)(path)
    return fed


def _forgotten(paths):
    """Ask the system to drop files from its page cache; return whether it can."""
    if not hasattr(os, "posix_fadvise"):
        return False
    for path in paths:
        with open(path, "rb") as file:
            os.fsync(file.fileno())  # unwritten pages would stay in memory
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return True


def _time(train, fed):
    """Time a pass; `train()` returns its last loss."""
    begin = time.perf_counter()
    loss = train()
    fed.epoch_s.append(time.perf_counter() - begin)
    fed.losses.append(float(loss))


def _train(program, batches, reference, fed, steps_made, what):
    """Train a pass, in the framework's own loop if the loader has `feed`, otherwise step by step."""
    if not hasattr(program, "feed"):
        sample = brought.Sample(batches, fed.steps_per_epoch)
        _time(lambda: _by_hand(program, sample, fed), fed)
        reference.judge(sample, what)
        return
    before = steps_made(program) if steps_made else 0
    _time(lambda: program.feed(batches), fed)
    if steps_made:
        _require(steps_made(program) - before, fed.steps_per_epoch, what)


def _by_hand(program, batches, fed):
    """Train a pass step by step; return the last loss. Waiting includes the first batch."""
    waiting_s, asked, made = 0.0, time.perf_counter(), 0
    for batch in batches:
        waiting_s += time.perf_counter() - asked
        handle = program.step(batch)
        made += 1
        asked = time.perf_counter()
    _require(made, fed.steps_per_epoch, "a training pass")
    loss = program.wait(handle)
    fed.waiting_s.append(waiting_s)
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
            "%s had %d batches, expected %d: look in the loader for code that ends a pass early or restarts it"
            % (what, made, steps)
        )


def _check_own_loop(program, batches, reference, loss):
    """Compare the mean loss of the own loop's last pass with that of a checked pass over the same loader.

    The second pass follows at once. Each batch is checked and stepped by the adapter. Raises ParityError if losses
    differ.
    """
    losses = []

    def stepped():
        for batch in batches:
            x, y = map(brought.array, batch)
            losses.append(float(program.wait(program.step(program.place(x, y)))))
            yield x, y

    reference.check(stepped())
    expected = sum(losses) / len(losses)
    is_noisy = any(name.endswith(".variance") for name in program.weights())
    allowed = brought.loss_tolerance(reference.differs, is_noisy, len(losses))
    if not abs(loss / expected - 1) <= allowed:
        raise ParityError(
            "the framework's own loop: the last pass has a mean loss of %.6g. The same batches step by step have %.6g "
            "(allowed relative difference: %.0e). Look in the loader's `feed` for batches that are repeated, left out "
            "or different from those before timing" % (loss, expected, allowed)
        )
