"""What a run does with a program before it is timed, and how it sees afterwards that waits have waited."""

import io
import os
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from bench import feeding, machine, measure
from bench.cases import Case
from bench.errors import ContractError
from bench.replies import Measure, Request
from bench.worker import late_steps, run


class Adapter:
    """A framework whose program remembers by what its learning rate was scaled."""

    def __init__(self):
        self.scaled = []
        self.Program = lambda *_: SimpleNamespace(
            scale_learning_rate=self.scaled.append,
            load=lambda *_: None,
            place=lambda *_: None,
            step=lambda *_: None,
            wait=lambda *_: 1.0,
            fit=lambda *_: 1.0,
            outputs=lambda *_: np.zeros((2, 2)),
        )


@pytest.fixture
def adapter(monkeypatch):
    found = Adapter()
    random_batch = (np.zeros((2, 3), np.float32), np.zeros(2, np.int32))
    problem = SimpleNamespace(
        PARITY_LEARNING_RATE_SCALE=0.01, EPOCHS=1, LOSS="softmax cross-entropy", weights=lambda *_: {},
        batch=lambda *_: random_batch,
    )  # fmt: skip
    examples = SimpleNamespace(
        x_train=random_batch[0], y_train=random_batch[1], x_test=random_batch[0], y_test=random_batch[1]
    )
    monkeypatch.setattr(run.machine, "move", lambda *_: None)
    monkeypatch.setattr(run.sys, "stdin", io.StringIO("\n\n\n\n"))  # it may go on, and takes three turns
    monkeypatch.setattr(run, "say", lambda _: None)
    monkeypatch.setattr(run.programs, "framework", lambda *_: (SimpleNamespace(modes=[]), found, "cpu", 0.0))
    monkeypatch.setattr(run.registry, "model", lambda *_: None)
    monkeypatch.setattr(run.registry, "workload", lambda *_: problem)
    monkeypatch.setattr(run.registry, "model_path", lambda *_: __file__)
    monkeypatch.setattr(run.dataset, "load", lambda *_: examples)
    monkeypatch.setattr(run.late_steps, "check", lambda *_: {})  # it has no weights that could move
    return found


def request(task, data):
    case = Case("network", "numpy", task, "eager", "fp32", "nhwc", "cpu", 2, "sgd", "documented", data)
    return Request("measure", "numpy", "", 1, work=Measure(case, "smoke", 0, True))


@pytest.mark.parametrize(
    ("task", "data", "scaled"),
    [
        ("train", "random", [0.01]),
        ("epochs", "mnist-stand-in", []),
        ("fit", "mnist-stand-in", []),
        ("infer", "random", []),
    ],
)
def test_steps_on_a_random_batch_alone_use_the_rate_that_parity_could_use(adapter, task, data, scaled):
    run.run(request(task, data))
    assert adapter.scaled == scaled


def test_what_is_fed_learns_too_slowly_to_know_one_batch_by_heart(adapter, monkeypatch):
    found = feeding.Fed(1, [1.0, 1.0], [2.0, 1.0], [], [], 2.0, 1.0)
    monkeypatch.setattr(run.photographs, "read", lambda *_: None)
    monkeypatch.setattr(run.feeding, "measure_passes", lambda *_: found)
    monkeypatch.delattr(run.registry.workload("network"), "PARITY_LEARNING_RATE_SCALE")
    run.run(request("feed", "photographs-stand-in-4"))
    assert adapter.scaled == [feeding.RATE_SCALE]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system keeps no process on cores")
def test_a_process_moves_to_other_cores_with_the_threads_that_it_has_started():
    before, end = os.sched_getaffinity(0), threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        machine.move([max(before)])
        assert os.sched_getaffinity(thread.native_id) == os.sched_getaffinity(0) == {max(before)}
    finally:
        machine.move(before)
        end.set()
        thread.join()


class Queue:
    """A framework that works while nobody waits: a step is work to be done, and fetching weights waits for it."""

    def __init__(self, is_skipped, is_idle):
        self.is_idle = is_idle  # while it works: the processor has nothing to do
        self.is_skipped, self.waits, self.work_s, self.made = is_skipped, 0, 0.0, 0

    def load(self, _):
        pass

    def step(self, _):
        self.work_s, self.made = self.work_s + 0.005, self.made + 1

    def wait(self, _):
        self.waits += 1
        if not self.is_skipped(self.waits):
            self.weights()
        return float(self.made)  # a number that it made up

    def weights(self):
        if self.is_idle:
            time.sleep(self.work_s)
        end = time.process_time() + self.work_s
        while not self.is_idle and time.process_time() < end:
            pass
        self.work_s = 0.0
        return {}


RANDOM = np.random.RandomState(3)
SKIPS = {  # which of its waits one skips that says another number each time
    "every tenth after the first twenty": lambda number: number > 20 and number % 10 == 0,
    "every third": lambda number: number > 20 and number % 3 == 0,
    "all after the first twenty": lambda number: number > 20,
    "a fourth at random": lambda _: RANDOM.uniform() < 0.25,
}


@pytest.mark.parametrize("device", ["cpu", "gpu"])
@pytest.mark.parametrize(
    "skips",
    [None, *(pytest.param(each, marks=[pytest.mark.nightly] * (place > 0)) for place, each in enumerate(SKIPS))],
)
def test_a_wait_that_leaves_work_undone_late_is_seen_by_the_time_of_a_fetch(skips, device):
    program = Queue(SKIPS.get(skips, lambda _: False), device == "gpu")
    for _ in range(20):
        measure.block(program, None, 1)
    timings = SimpleNamespace(loss_first=1.0, block_s=[0.02] * 50, steps_per_block=4)
    if not skips:
        late_steps.check_waits(program, {}, None, timings, device)
        return
    with pytest.raises(ContractError, match=r"waits left up to .* of a block's work undone"):
        late_steps.check_waits(program, {}, None, timings, device)


def test_a_fetch_that_another_process_made_long_is_no_work_that_was_left(monkeypatch):
    program, fetch = Queue(lambda _: False, is_idle=False), Queue.weights
    monkeypatch.setattr(program, "weights", lambda: fetch(program) or time.sleep(0.2))
    program.wait = lambda _: fetch(program) or float(program.made)
    timings = SimpleNamespace(loss_first=1.0, block_s=[0.02] * 5, steps_per_block=4)
    monkeypatch.setattr(late_steps, "_fetch_of_what_is_done", lambda *_: np.zeros(2))
    late_steps.check_waits(program, {}, None, timings, "cpu")
