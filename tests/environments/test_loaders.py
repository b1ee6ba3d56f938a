"""Whatever ends a run that is fed by workers, none of them is left, and no shared memory."""

import time
from pathlib import Path

import pytest
from test_environments import loaders
from within import THREADS

from bench import ablations, photographs, processes, registry, strays

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
        request = {"request": "measure", "case": cases[0]._asdict(), "profile": "quick", "seed": 1, "is_first": True,
                   "threads": THREADS, "frameworks": registry.FRAMEWORKS, "data": str(tmp_path)}  # fmt: skip
        worker = processes.Worker(python, row, request, cache)
        assert worker.heard(TIMEOUT_S)
        worker.say(b"")
        return worker

    return start


def others(worker):
    return [number for number in strays.marked(worker.folder) if number != worker.number]


def until(is_so, limit_s):
    begun = time.monotonic()
    while not is_so() and time.monotonic() - begun < limit_s:
        time.sleep(0.01)


def assert_all_is_gone(worker, before):
    until(lambda: not list(strays.marked(worker.folder)), CALM_S)
    assert list(strays.marked(worker.folder)) == []
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
    assert reply["status"] == "failed", reply
    assert reply["reason"]
    assert_all_is_gone(worker, before)


def test_a_worker_that_is_killed_ends_the_run_with_a_reason(begin):
    before, worker = segments(), begin()
    until_it_loads(worker)
    own = others(worker)
    if not own:
        worker.close()
        pytest.skip("this framework loads by threads: none of them can be killed alone")
    strays.kill(max(own))
    reply = worker.finish(TIMEOUT_S)
    assert reply["status"] in ("failed", "killed"), reply
    assert_all_is_gone(worker, before)
