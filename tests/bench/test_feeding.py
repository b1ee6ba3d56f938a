"""A loader is held against the photographs before it is timed, and what a network waits is seen."""

import os
import time

import numpy as np
import pytest

from bench import feeding
from bench.data import photographs
from bench.errors import ParityError
from bench.feeding import brought

COUNT, SIZE = 12, 4
ROWS = list(np.random.RandomState(1).permutation(COUNT))  # an order of the photographs
BOTH = (feeding.PIXELS, feeding.ORDER)


@pytest.fixture
def images(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"a photograph")
    pixels = np.random.RandomState(0).randint(0, 255, (COUNT, 6, 6, 3)).astype(np.uint8)
    return photographs.Images("", [str(tmp_path / "a.jpg")] * COUNT, np.arange(COUNT, dtype=np.int32), pixels, 6)


class Program:
    """Trains on nothing, slowly."""

    step_s = 0.004

    def place(self, x, y):
        return x, y

    def step(self, batch):
        time.sleep(self.step_s)
        return float(batch[0].sum() + time.perf_counter())

    def wait(self, handle):
        return handle


def as_it_is(_, x, y):
    return x, y


def mirrored(_, x, y):
    return x[:, :, ::-1], y


def passes(images, change=as_it_is, pause_s=0.0):
    def each():
        for begin in range(0, COUNT, SIZE):
            time.sleep(pause_s)
            rows = slice(begin, begin + SIZE)
            yield change(begin // SIZE, brought.inputs(images, rows), images.labels[rows])

    return feeding.Passes(each)


def check(batches, images, differs=()):
    brought.Reference(images, SIZE, differs).check(batches)


def fed(batches, **parts):
    return feeding.vary(lambda *_: batches, **parts)(Program, None)[0]()


def test_a_network_that_is_fed_slowly_waits_and_the_loader_alone_is_timed(images):
    found = feeding.measure_passes(fed(passes(images, pause_s=0.01)), images, SIZE, 2, 0)
    assert (found.steps_per_epoch, len(found.epoch_s), len(found.loading_s), len(found.waiting_s)) == (3, 3, 1, 3)
    assert all(waited >= 0.03 for waited in found.waiting_s)
    both = zip(found.epoch_s, found.waiting_s, strict=True)
    assert all(whole >= waited + 3 * Program.step_s for whole, waited in both)
    assert all(alone >= 0.03 for alone in found.loading_s)
    assert found.loading_cold_s >= 0.03 if hasattr(os, "posix_fadvise") else found.loading_cold_s is None
    assert found.loading_bytes == sum(map(os.path.getsize, images.files))


def test_the_network_alone_trains_on_a_batch_that_lies_in_memory(images):
    found = feeding.measure_passes(Program(), images, SIZE, 2, 0)
    assert (len(found.epoch_s), found.loading_s, found.loading_bytes, found.waiting_s) == (3, [], None, [])
    assert min(found.epoch_s) >= 3 * Program.step_s


def off_by(levels):
    return lambda number, x, y: (x + levels / 255 * (number == 1), y)


def swapped(number, x, y):
    return (x, y[::-1]) if number == 2 else (x, y)


@pytest.mark.parametrize(("change", "words"), [
    (off_by(2), "photographs 4 to 7: a pixel differs by 2.0 grey levels"),
    (swapped, "labels or their order differ"),
    (lambda _, x, y: (x[:, 1:], y), "expected images"),
])  # fmt: skip
def test_a_loader_that_brings_something_else_is_not_timed(images, change, words):
    with pytest.raises(ParityError, match=words):
        feeding.measure_passes(fed(passes(images, change)), images, SIZE, 1, 0)


def test_one_grey_level_is_allowed_and_channels_first_are_understood(images):
    def channels_first(number, x, y):
        x, y = off_by(1)(number, x, y)
        return [np.ascontiguousarray(x.transpose(0, 3, 1, 2))], y

    check(passes(images, channels_first), images)


def test_what_augments_must_change_pixels_and_nothing_else(images):
    check(passes(images, mirrored), images, (feeding.PIXELS,))
    with pytest.raises(ParityError, match="no pixel was augmented"):
        check(passes(images), images, (feeding.PIXELS,))


def shuffled(images, rows, change=as_it_is):
    order = feeding.Passes(lambda: iter([rows[begin : begin + SIZE] for begin in range(0, len(rows), SIZE)]))
    return feeding.Passes(lambda: (change(0, brought.inputs(images, each), images.labels[each]) for each in order))


@pytest.mark.parametrize(("rows", "change", "differs", "words"), [
    (list(range(COUNT)) * 2, as_it_is, (), "more than the 12 photographs"),
    (list(range(8)), as_it_is, (), "a pass has 8 photographs, expected 12"),
    (ROWS, as_it_is, (), "grey levels"),
    (ROWS, lambda _, x, y: (x, y[::-1]), (feeding.ORDER,), "labels"),
    (ROWS[:-1] + ROWS[:1], as_it_is, (feeding.ORDER,), "more than once"),
    ([0] * COUNT, mirrored, BOTH, "labels"),
])  # fmt: skip
def test_a_pass_must_bring_each_photograph_once_with_its_label(images, rows, change, differs, words):
    with pytest.raises(ParityError, match=words):
        check(shuffled(images, rows, change), images, differs)


def test_what_shuffles_and_augments_as_it_says_is_right_and_photographs_as_bright_as_each_other_differ(images):
    check(shuffled(images, ROWS), images, (feeding.ORDER,))
    check(shuffled(images, list(range(COUNT))[::-1], mirrored), images, BOTH)
    pixels = np.stack([np.roll(images.pixels[0], divmod(row, 6), axis=(0, 1)) for row in range(COUNT)])
    alike = images._replace(pixels=pixels)
    check(shuffled(alike, ROWS), alike, (feeding.ORDER,))


class Passing:
    """A loader whose batches are right until its third pass, the first that is timed after the check."""

    def __init__(self, images, change, rows=None, right=as_it_is):
        self.images, self.change, self.right = images, change, right
        self.rows, self.made = list(range(COUNT)) if rows is None else rows, 0

    def __iter__(self):
        self.made += 1
        rows = [self.rows[begin : begin + SIZE] for begin in range(0, len(self.rows), SIZE)]
        batches = [(brought.inputs(self.images, each), self.images.labels[each]) for each in rows]
        batches = [self.right(number, *batch) for number, batch in enumerate(batches)]
        yield from batches if self.made < 3 else self.change(batches)


def noise(batches):
    random = np.random.RandomState(5)
    return [(random.rand(*x.shape).astype(np.float32), y) for x, y in batches]


LATE = {
    "repeated": (lambda batches: [batches[0]] * len(batches), "batch 2 has those of the batch before: it is repeated"),
    "noise": (noise, "no photograph has these pixels"),
    "labels shifted": (lambda batches: [(x, np.roll(y, 1)) for x, y in batches], "labels or their order differ"),
    "order": (lambda batches: batches[::-1], "labels or their order differ"),
    "others with right labels": (
        lambda batches: [(x, y) for (x, _), (_, y) in zip(batches[1:] + batches[:1], batches, strict=True)],
        "they are photographs .*: a batch is repeated, or the order differs",
    ),
    "one several times": (lambda batches: [(x[[0] * SIZE], y) for x, y in batches], "one several times"),
    "fewer in a batch": (lambda batches: [(x[:2], y[:2]) for x, y in batches], "6 photographs, expected 12"),
    "fewer batches": (lambda batches: batches[:2], "had 2 batches, expected 3"),
    "one more batch": (lambda batches: batches + batches[:1], "had 4 batches, expected 3"),
}


@pytest.mark.parametrize("what", LATE)
def test_what_a_loader_brings_in_timed_passes_alone_is_compared(what, images):
    change, words = LATE[what]
    with pytest.raises(ParityError, match=words) as raised:
        feeding.measure_passes(fed(Passing(images, change)), images, SIZE, 1, 0)
    assert "warm loading pass" in str(raised.value) or "look in the loader" in str(raised.value)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_loader_that_is_right_until_the_last_pass_is_refused_in_every_run(is_first, images):
    batches = Passing(images, lambda batches: [batches[0]] * 3)
    batches.made = -is_first - hasattr(os, "posix_fadvise")  # so many more passes are right: checked, and cold
    with pytest.raises(ParityError, match="training pass 2: labels or their order differ; batch 2"):
        feeding.measure_passes(fed(batches), images, SIZE, 1, 0, is_first=is_first)


def test_a_loader_that_is_right_for_a_time_is_refused(images):
    begun = time.monotonic()
    late = lambda _, x, y: (x, y) if time.monotonic() - begun < 0.5 else (1 - x, y)  # noqa: E731
    with pytest.raises(ParityError, match="no photograph has these pixels"):
        feeding.measure_passes(fed(passes(images, late)), images, SIZE, 100, 0)


@pytest.mark.parametrize("differs", [(feeding.PIXELS,), BOTH])
def test_noise_is_no_augmented_photograph(differs, images):
    pixels = np.random.RandomState(1).randint(0, 255, (COUNT, 32, 32, 3)).astype(np.uint8)  # small ones resemble noise
    images = images._replace(pixels=pixels, side=32)
    rows = list(range(COUNT))[:: -1 if feeding.ORDER in differs else 1]
    right = fed(Passing(images, lambda batches: batches, rows, mirrored), differs=differs)
    assert feeding.measure_passes(right, images, SIZE, 1, 0).steps_per_epoch == COUNT // SIZE
    with pytest.raises(ParityError, match="their pixels come from other images"):
        feeding.measure_passes(fed(Passing(images, noise, rows, mirrored), differs=differs), images, SIZE, 1, 0)


def test_shuffled_pixels_of_a_photograph_are_rougher_than_it_is(images):
    smooth = np.add.outer(np.arange(32), np.arange(32))[None, :, :, None] * np.ones((COUNT, 1, 1, 3))
    wide = images._replace(pixels=(smooth + np.arange(COUNT)[:, None, None, None]).astype(np.uint8), side=32)
    odd = lambda _, x, y: (np.where(np.arange(32)[:, None] % 2, x[:, :, :1], x + 20 / 255), y)  # noqa: E731
    with pytest.raises(ParityError, match=r"neighbouring pixels differ .* times as much|of something else"):
        check(passes(wide, lambda n, x, y: (odd(n, x, y)[0].astype(np.float32), y)), wide, (feeding.PIXELS,))


class Mean(Program):
    """Has a loss that depends on its batch alone, and counts its steps."""

    step_s, made = 0.0, 0

    def step(self, batch):
        self.made += 1
        return float(batch[0].mean() * (1 + batch[1].mean()))

    def weights(self):
        return {"head.kernel": None}

    def steps_made(self):
        return self.made


OWN_LOOPS = {
    "right": (lambda batches: batches, None),
    "repeats": (lambda batches: batches[:1] * 3, "the last pass has a mean loss of"),
    "leaves out": (lambda batches: batches[:2], "training pass 1 had 2 batches, expected 3"),
    "twice": (lambda batches: batches * 2, "training pass 1 had 6 batches, expected 3"),
}


@pytest.mark.parametrize("what", OWN_LOOPS)
def test_what_a_frameworks_own_loop_trains_on_is_seen_by_its_loss_and_its_updates(what, images):
    change, words = OWN_LOOPS[what]

    def feed(program, given):
        return float(np.mean([program.step(batch) for batch in change(list(given))]))

    program = feeding.vary(lambda *_: passes(images), feed=feed)(Mean, None)[0]()
    measured = lambda: feeding.measure_passes(program, images, SIZE, 1, 0, steps_made=Mean.steps_made)  # noqa: E731
    if words is None:
        assert measured().waiting_s == []
        return
    with pytest.raises(ParityError, match=words):
        measured()


def test_what_is_kept_of_a_timed_pass_costs_microseconds_a_batch(images):
    batches = [(images.pixels[:SIZE], images.labels[:SIZE])] * 20_000
    sample = brought.Sample(batches, len(batches))
    begin = time.process_time()
    assert sum(1 for _ in sample) == len(sample.labels) == len(batches)
    assert (time.process_time() - begin) / len(batches) < 5e-6
    assert sample.pixels is batches[0][0]


def test_what_was_converted_is_timed_weighed_and_removed(images, tmp_path):
    path = tmp_path / "records"

    def convert(_):
        path.write_bytes(b"12345")
        return str(path)

    measured = feeding.measure_passes(fed(passes(images), convert=convert), images, SIZE, 1, 0)
    assert measured.conversion_bytes == 5
    assert measured.conversion_s > 0
    assert not path.exists()


def test_a_decoder_that_raises_leaves_no_converted_file(images, tmp_path):
    def broken(*_):
        raise OSError("broken data stream")

    path = tmp_path / "records"
    convert = lambda _: path.write_bytes(b"1") and str(path)  # noqa: E731
    with pytest.raises(OSError, match="broken data stream"):
        feeding.measure_passes(fed(passes(images, broken), convert=convert), images, SIZE, 1, 0)
    assert not path.exists()


def test_a_program_is_as_it_was_but_for_where_its_batches_come_from():
    made, source = feeding.vary(passes)(Program, "source")
    assert (issubclass(made, Program), source, hasattr(made, "feed")) == (True, "source", False)
