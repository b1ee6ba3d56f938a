"""A loader is held against the photographs before it is timed, and what a network waits is seen."""

import os
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bench import ablations, feeding, proof, registry
from bench.ablations import many_files
from bench.campaign import rounds, turns
from bench.cases import FED, PIPELINES, SUITE_BUDGET_S, Selection, select
from bench.data import photographs
from bench.errors import DefinitionError, ParityError
from bench.feeding import brought

COUNT, SIZE = 12, 4


@pytest.fixture
def images(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"a photograph")
    random = np.random.RandomState(0)
    pixels = random.randint(0, 255, (COUNT, 6, 6, 3)).astype(np.uint8)
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


def passes(images, change=as_it_is, pause_s=0.0, count=COUNT):
    def each():
        for begin in range(0, count, SIZE):
            time.sleep(pause_s)
            rows = slice(begin, begin + SIZE)
            yield change(begin // SIZE, brought.inputs(images, rows), images.labels[rows])

    return feeding.Passes(each)


def check(batches, images, differs=()):
    brought.Reference(images, SIZE, differs).check(batches)


def fed(batches, **parts):
    make = feeding.vary(lambda *_: batches, **parts)
    return make(Program, None)[0]()


def test_a_network_that_is_fed_slowly_waits_and_the_loader_alone_is_timed(images):
    found = feeding.measure_passes(fed(passes(images, pause_s=0.01)), images, SIZE, 2, 0)
    assert (found.steps_per_epoch, len(found.epoch_s), len(found.loading_s), len(found.waiting_s)) == (3, 3, 1, 3)
    assert all(waited >= 0.03 for waited in found.waiting_s)
    assert all(
        whole >= waited + 3 * Program.step_s for whole, waited in zip(found.epoch_s, found.waiting_s, strict=True)
    )
    assert all(alone >= 0.03 for alone in found.loading_s)
    assert (found.loading_cold_s is None) == (not hasattr(os, "posix_fadvise"))
    assert found.loading_cold_s is None or found.loading_cold_s >= 0.03
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


def test_a_pass_that_does_not_end_is_noticed(images):
    with pytest.raises(ParityError, match="more than the 12 photographs"):
        check(shuffled(images, list(range(COUNT)) * 2), images)


def test_one_grey_level_is_allowed_and_channels_first_are_understood(images):
    def channels_first(number, x, y):
        x, y = off_by(1)(number, x, y)
        return [np.ascontiguousarray(x.transpose(0, 3, 1, 2))], y

    check(passes(images, channels_first), images)


def test_a_pass_that_lacks_a_batch_or_gives_one_again_is_noticed(images):
    with pytest.raises(ParityError, match="a pass has 8 photographs, expected 12"):
        check(passes(images, count=8), images)


def test_what_augments_must_change_pixels_and_nothing_else(images):
    check(passes(images, lambda _, x, y: (x[:, :, ::-1], y)), images, (feeding.PIXELS,))
    with pytest.raises(ParityError, match="no pixel was augmented"):
        check(passes(images), images, (feeding.PIXELS,))


def shuffled(images, rows, change=as_it_is):
    order = feeding.Passes(lambda: iter([rows[begin : begin + SIZE] for begin in range(0, len(rows), SIZE)]))
    return feeding.Passes(lambda: (change(0, brought.inputs(images, each), images.labels[each]) for each in order))


def test_what_shuffles_must_bring_each_photograph_once_with_its_label(images):
    rows = list(np.random.RandomState(1).permutation(COUNT))
    check(shuffled(images, rows), images, (feeding.ORDER,))
    with pytest.raises(ParityError, match="differs by"):
        check(shuffled(images, rows), images)
    with pytest.raises(ParityError, match="labels"):
        check(shuffled(images, rows, lambda _, x, y: (x, y[::-1])), images, (feeding.ORDER,))
    with pytest.raises(ParityError, match="more than once"):
        check(shuffled(images, rows[:-1] + rows[:1]), images, (feeding.ORDER,))


def test_photographs_as_bright_as_each_other_are_told_apart(images):
    pixels = np.stack([np.roll(images.pixels[0], divmod(row, 6), axis=(0, 1)) for row in range(COUNT)])
    rows = list(np.random.RandomState(1).permutation(COUNT))
    alike = images._replace(pixels=pixels)
    check(shuffled(alike, rows), alike, (feeding.ORDER,))


def test_what_shuffles_and_resizes_must_bring_no_label_too_often(images):
    both, mirrored = (feeding.PIXELS, feeding.ORDER), lambda _, x, y: (x[:, :, ::-1], y)
    check(shuffled(images, list(range(COUNT))[::-1], mirrored), images, both)
    with pytest.raises(ParityError, match="labels"):
        check(shuffled(images, [0] * COUNT, mirrored), images, both)


MIRRORED = (feeding.PIXELS, feeding.ORDER)


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
    right = 2 + is_first + hasattr(os, "posix_fadvise")  # passes: warm, the first training one, checked, and cold
    batches.made = 2 - right
    with pytest.raises(ParityError, match="training pass 2: labels or their order differ; batch 2"):
        feeding.measure_passes(fed(batches), images, SIZE, 1, 0, is_first=is_first)


def test_a_loader_that_is_right_for_a_time_is_refused(images):
    begun = time.monotonic()
    late = lambda _, x, y: (x, y) if time.monotonic() - begun < 0.5 else (1 - x, y)  # noqa: E731
    with pytest.raises(ParityError, match="no photograph has these pixels"):
        feeding.measure_passes(fed(passes(images, late)), images, SIZE, 100, 0)


@pytest.mark.parametrize("differs", [(feeding.PIXELS,), MIRRORED])
def test_noise_is_no_augmented_photograph(differs, images):
    mirrored = lambda _, x, y: (x[:, :, ::-1], y)  # noqa: E731
    rows = list(range(COUNT)) if feeding.ORDER not in differs else list(range(COUNT))[::-1]
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

    found = feeding.measure_passes(fed(passes(images), convert=convert), images, SIZE, 1, 0)
    assert found.conversion_bytes == 5
    assert found.conversion_s > 0
    assert not path.exists()


def test_a_decoder_that_raises_leaves_no_converted_file(images, tmp_path):
    def broken(*_):
        raise OSError("broken data stream")

    path = tmp_path / "records"
    convert = lambda _: path.write_bytes(b"1") and str(path)  # noqa: E731
    with pytest.raises(OSError, match="broken data stream"):
        feeding.measure_passes(fed(passes(images, broken), convert=convert), images, SIZE, 1, 0)
    assert not path.exists()


def test_a_suite_asks_each_loader_beside_the_network_alone():
    devices = dict.fromkeys(("keras-jax", "jax", "keras-tensorflow", "keras-torch", "pytorch", "tensorflow"), "cpu")
    cases = select(Selection(workloads=["photo_cnn"], suite=PIPELINES), devices)
    assert {case.task for case in cases} == set(FED)
    assert len({case.question for case in cases}) == 1
    for name in devices:
        own = [case.mode for case in cases if case.environment == name]
        assert own[0] == ablations.split(own[0])[0]
        assert len(own) == len(set(own)) > 4


def test_a_suite_on_a_machine_that_nothing_is_known_of_plans_to_feed_a_small_network(plan):
    known = registry.environments()
    cases = select(Selection(suite=PIPELINES), {name: "cpu" for name, row in known.items() if row.is_default})
    left_out = rounds.fit(cases, plan(SUITE_BUDGET_S[PIPELINES], environments=known))
    assert {case.workload for case in cases if case.id not in left_out} == {"photo_cnn"}


def test_workers_are_told_from_a_mode():
    told = [ablations.number(mode) for mode in ("eager", "eager+image_files", "eager+image_files+2")]
    assert told == [0, 0, 2]
    assert ablations.title("image_files+2").endswith(", 2 workers")
    assert ablations.title("image_files+1").endswith(", 1 worker")
    assert ablations.title("batches_ahead+0").endswith(", 0 batches ahead")
    assert ablations.title("batches_ahead+1").endswith(", 1 batch ahead")


@pytest.mark.parametrize("name", feeding.WORKLOADS)
def test_what_is_fed_takes_photographs_and_their_class(name):
    problem = registry.workload(name)
    x, y = problem.batch(np.random.RandomState(0), 1)
    assert (x.shape[1] <= photographs.SIDE, x.shape[3], y.shape) == (True, 3, (1,))
    assert problem.weights(np.random.RandomState(0))["head.bias"].size >= photographs.CLASSES


def test_a_loader_has_as_many_workers_or_batches_ahead_as_a_mode_asks_for():
    def modes(*asked):
        selection = Selection(workloads=["photo_cnn"], suite=PIPELINES, environments=["pytorch"], modes=asked)
        return [case.mode for case in select(selection, {"pytorch": "cpu"})]

    assert modes("eager", "eager+image_files+1", "eager+image_files+4") == [
        "eager", "eager+image_files+1", "eager+image_files+4"]  # fmt: skip
    assert modes("eager+batches_ahead+0", "eager+batches_ahead+8") == ["eager+batches_ahead+0", "eager+batches_ahead+8"]
    with pytest.raises(DefinitionError, match="No case"):
        modes("eager+raw_records+4")  # it has none


def test_a_network_whose_steps_are_changed_is_fed_where_that_is_asked_for():
    modes = ["eager+trunk_trained", "eager+trunk_trained+image_files+4"]
    selection = Selection(["efficientnet_b3"], ["pytorch"], modes, suite=PIPELINES, optimizers=["adam"])
    alone, fed = select(selection._replace(batch_sizes=[8]), {"pytorch": "cpu"})
    assert [alone.mode, fed.mode] == modes
    assert ablations.number(fed.mode) == 4
    assert ablations.title("trunk_trained+image_files+4").endswith(", JPEG files, 4 workers")
    assert proof.subject_of(fed) == proof.subject_of(alone)
    assert proof.subject_of(fed).mode == "eager+trunk_trained"
    assert turns.cache_folder(fed) == turns.cache_folder(alone)
    made = [os.path.basename(each) for each in ablations.made_by(registry.environment("pytorch"), fed.mode)]
    assert made == ["trunk_trained.py"] * 2 + ["image_files.py"] * 2
    assert not ablations.is_same(fed.mode)
    usual = [case.mode for case in select(selection._replace(modes=()), {"pytorch": "cpu"})]
    assert not any("trunk_trained" in mode for mode in usual)


def test_a_folder_of_many_files_begins_with_the_photographs_and_is_made_once(tmp_path, monkeypatch):
    monkeypatch.setattr(many_files, "COUNT", 50)
    files = [tmp_path / "images" / class_ / f"{number:05d}.jpg" for class_, number in (("a", 0), ("b", 1))]
    for each in files:
        each.parent.mkdir(parents=True)
        each.write_text(each.name)
    made = Path(many_files.folder(photographs.Images(str(tmp_path), list(map(str, files)), None, None, 300)))
    known = sorted(path.relative_to(made) for path in made.rglob("*.jpg"))
    assert len(known) == many_files.COUNT
    assert [str(path) for path in known[:3]] == ["a/00000.jpg", "b/00001.jpg", "b/z000002.jpg"]
    assert (made / known[-1]).read_text() == "00001.jpg"
    (made / "b" / "00001.jpg").unlink()
    assert many_files.folder(photographs.Images(str(tmp_path), list(map(str, files)), None, None, 300)) == str(made)
    assert not (made / "b" / "00001.jpg").exists()


def test_a_program_is_as_it_was_but_for_where_its_batches_come_from():
    made, source = feeding.vary(passes)(Program, SimpleNamespace(a=1))
    assert issubclass(made, Program)
    assert source.a == 1
    assert not hasattr(made, "feed")
