"""Whatever ends a run that is fed by workers, none of them is left, and no shared memory."""

import shutil
import time
from pathlib import Path

import pytest
from test_environments import loaders
from within import THREADS

from bench import ablations, registry
from bench.data import photographs
from bench.driver import orphans, processes
from bench.replies import Loaders, Measure, Request

pytestmark = pytest.mark.environment

SHARED = Path("/", "dev", "shm")
TIMEOUT_S = 120.0
CALM_S = 5.0  # within which what was ended has to be gone
OTHERS_S = 120.0  # within which what another test shares at the same time has to be gone


def segments():
    """Return the names of the shared memory that there is."""
    return {each.name for each in SHARED.iterdir()} if SHARED.is_dir() else set()


@pytest.fixture
def begin(environment, tmp_path, cache):
    """Start a run that is fed as guides do it, by processes if any framework's loader has some, and let it go on."""
    row, python = environment
    cases = [case for case in loaders(row, 64) if ablations.split(case.mode)[1] == "as_guides_feed"]
    if not cases:
        pytest.skip(f"{row.title} has no loader")
    photographs.prepare(cases, str(tmp_path), "", print)

    def start(spoil=print):
        spoil(tmp_path / cases[0].data)
        case, work = cases[0], Measure(cases[0], "quick", 1, True, str(tmp_path))
        request = Request("measure", row.name, registry.FRAMEWORKS, THREADS, case.device, mode=case.mode, work=work)
        worker = processes.Worker(python, row, request, cache)
        assert worker.heard(TIMEOUT_S)
        worker.say(b"")
        return worker

    return start


def others(worker):
    return [number for number in orphans.marked(worker.folder) if number != worker.number]


def until(is_so, limit_s):
    begun = time.monotonic()
    while not is_so() and time.monotonic() - begun < limit_s:
        time.sleep(0.01)


def assert_all_is_gone(worker, before):
    until(lambda: not list(orphans.marked(worker.folder)), CALM_S)
    assert list(orphans.marked(worker.folder)) == []
    left = segments() - before  # with those of a test that runs beside this one: they end when it does
    until(lambda: not left & segments(), OTHERS_S)
    assert left & segments() == set()


def until_it_loads(worker):
    """Wait until a worker process has started, or for a moment where threads load."""
    until(lambda: others(worker) or worker.has_ended(), 10)


def test_an_interrupt_leaves_no_worker_and_no_shared_memory(begin):
    before, worker = segments(), begin()
    until_it_loads(worker)
    worker.close()  # what the bench does when it is interrupted
    assert_all_is_gone(worker, before)


def test_a_photograph_that_cannot_be_decoded_is_a_reason(begin):
    def spoil(folder):
        path = sorted((folder / "images").glob("*/*.jpg"))[40]
        path.write_bytes(b"no photograph")

    before, worker = segments(), begin(spoil)
    reply = worker.finish(TIMEOUT_S)
    assert reply.status == "failed", reply
    assert reply.reason
    assert_all_is_gone(worker, before)


def test_a_worker_that_is_killed_ends_the_run_with_a_reason(begin):
    before, worker = segments(), begin()
    until_it_loads(worker)
    own = others(worker)
    if not own:
        worker.close()
        pytest.skip("this framework loads by threads: none of them can be killed alone")
    orphans.kill(max(own))
    reply = worker.finish(TIMEOUT_S)
    assert reply.status in ("failed", "killed"), reply
    assert_all_is_gone(worker, before)


REPEATED = """
_right, _passes = batches, [0]


def batches(program, images, batch_size, workers):
    found = _right(program, images, batch_size, workers)

    def each():
        _passes[0] += 1
        first = None
        for batch in found:
            first = batch if first is None else first
            yield first if _passes[0] > 2 else batch

    return feeding.Passes(each, found.of)


vary = feeding.vary(batches, **PARTS)
"""
NOISE = """
_right, _passes = batches, [0]


def batches(program, images, batch_size, workers):
    import numpy

    found = _right(program, images, batch_size, workers)

    def each():
        _passes[0] += 1
        for x, y in found:
            if _passes[0] > 2:
                noise = numpy.random.rand(batch_size, images.side, images.side, 3).astype("float32")
                x = noise if PARTS else program.place(noise, images.labels[:batch_size])[0]
            yield x, y

    return feeding.Passes(each, found.of)


vary = feeding.vary(batches, **PARTS)
"""
ONE_BATCH = """
_right = feed


def feed(program, given):
    x, y, size = given.of
    return _right(program, feeding.Passes(None, (np.concatenate([x[:size]] * 2), np.concatenate([y[:size]] * 2), size)))


vary = feeding.vary(batches, feed=feed)
"""
HALF = """
_right = feed


def feed(program, given):
    x, y, size = given.of
    return _right(program, feeding.Passes(None, (x[:size], y[:size], size)))


vary = feeding.vary(batches, feed=feed)
"""
DEFECTS = {
    "a batch is repeated from the third pass on": (REPEATED, "batch 2 has those of the batch before: it is repeated"),
    "noise with right labels from the third pass on": (NOISE, "no photograph has these pixels"),
    "the framework's loop repeats a batch": (ONE_BATCH, "the framework's own loop: the last pass has a mean loss of"),
    "the framework's loop leaves half of it out": (HALF, "training pass 1 had 1 batches, expected 2"),
}


AT_NIGHT = "noise with right labels from the third pass on", "the framework's loop leaves half of it out"
MARKED = [pytest.param(each, marks=[pytest.mark.nightly] * (each in AT_NIGHT)) for each in DEFECTS]


@pytest.mark.parametrize(
    "defect", [pytest.param(each, marks=[pytest.mark.nightly] * (each in AT_NIGHT)) for each in DEFECTS]
)
def test_a_loader_that_is_right_in_the_pass_before_timing_alone_is_refused(defect, environment, ask, tmp_path):
    """Planted into a loader of arrays, the fastest there is; the two last ones where a framework has its own loop."""
    row, _ = environment
    text, words = DEFECTS[defect]
    cases = [case for case in loaders(row, 16) if ablations.split(case.mode)[1] == "arrays_in_memory"]
    if not cases:
        pytest.skip(f"{row.title} has no such loader")
    folder = tmp_path / "frameworks" / Path(row.folder).name
    shutil.copytree(row.folder, folder)
    file = folder / "ablations" / "arrays_in_memory.py"
    has_own_loop = "def feed(" in file.read_text(encoding="utf-8")
    if "_right = feed" in text and not has_own_loop:
        pytest.skip(f"{row.title} is fed step by step")
    with file.open("a", encoding="utf-8") as written:
        written.write("\n\nPARTS = " + ("dict(feed=feed)" if has_own_loop else "{}") + "\n" + text)
    photographs.prepare(cases, str(tmp_path), "", print)
    reply = ask("loaders", Loaders(cases[:1], str(tmp_path)), str(folder.parent))
    ((status, reason),) = reply.checks
    assert (status, words in reason) == ("failed", True), (status, reason)
