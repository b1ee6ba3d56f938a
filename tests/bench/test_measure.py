"""The timing loop and the steady-state test, on a clock that the test turns."""

import numpy as np
import pytest

from bench import measure


class Device:
    """A program whose steps are enqueued at once and take `step_s` each on a device; only wait() lets them pass."""

    def __init__(self, step_s, wait_s=0.0, compile_s=0.0):
        self.step_s, self.wait_s, self.queued = step_s, wait_s, compile_s
        self.now = 0.0
        self.waits = self.steps = 0

    def step(self, batch):
        self.steps += 1
        self.queued += self.step_s(self.steps) if callable(self.step_s) else self.step_s
        return self.steps

    def wait(self, handle):
        self.waits += 1
        self.now += self.queued + self.wait_s
        self.queued = 0.0
        return 1.0 / handle


@pytest.fixture
def device(monkeypatch):
    """Make a device that turns the clock, from then on until another is made."""

    def make(*words, **options):
        made = Device(*words, **options)
        monkeypatch.setattr(measure.time, "perf_counter", lambda: made.now)
        monkeypatch.setattr(measure.time, "process_time", lambda: 2 * made.now)
        return made

    return make


def measured(program, block_s, blocks, device="cpu", forget=lambda: None):
    return measure.measure(program, None, block_s, device, [0.0] * blocks, forget)


def test_a_block_holds_its_steps_and_ends_with_one_wait(device):
    program = device(0.002)
    wall, cpu, loss = measure.block(program, None, 10)
    assert wall == pytest.approx(0.02)
    assert cpu == pytest.approx(0.04)
    assert (program.steps, program.waits, loss) == (10, 1, 0.1)


def test_the_first_step_is_kept_apart_with_its_compilation(device):
    timings = measured(device(0.01, compile_s=30.0), 0.02, 3)
    assert timings.first_step_s == pytest.approx(30.01)
    assert np.median(timings.block_s) / timings.steps_per_block == pytest.approx(0.01)


def test_memory_is_forgotten_once_the_program_is_warm_and_before_the_first_block_that_counts(device):
    program, forgotten = device(0.01), []
    timings = measured(program, 0.02, 3, forget=lambda: forgotten.append(program.steps))
    assert forgotten == [program.steps - (1 + timings.steps_per_block) * len(timings.block_s)]


def test_a_network_whose_steps_take_seconds_makes_few_besides_those_that_count(device):
    program = device(5.0)
    timings = measured(program, 0.1, 5)
    assert (timings.steps_per_block, len(timings.warm_up_s)) == (1, measure.WARM_UP_STEPS)
    assert program.steps == 1 + measure.WARM_UP_STEPS + len(timings.block_s)


@pytest.mark.parametrize(("step_s", "wait_s"), [(1e-4, 1e-5), (1e-3, 1e-3), (0.5, 1e-5), (0.02, 5e-4)])
def test_a_block_is_long_enough_for_the_clock_and_the_wait(step_s, wait_s, device):
    timings = measured(device(step_s, wait_s), 0.1, 30, "gpu")
    assert min(timings.block_s) >= 0.1
    assert wait_s <= 1.01e-3 * min(timings.block_s)
    assert np.median(timings.block_s) / timings.steps_per_block == pytest.approx(step_s, rel=2e-3)


def test_a_run_has_a_block_for_each_of_its_turns_and_a_step_before_it_to_wake_up(device):
    measured(before := device(0.05), 0.1, 0)
    timings = measured(program := device(0.05), 0.1, 7)
    assert len(timings.block_s) == len(timings.block_cpu_s) == 7
    assert program.steps == before.steps + 7 * (1 + timings.steps_per_block)


def test_a_turn_of_seconds_goes_on_for_as_long_and_times_nothing(device):
    program = device(0.05)
    seen = []

    def metered():
        yield 0.0
        seen.append(program.now)
        yield 8.0
        seen.append(program.now)

    assert len(measure.measure(program, None, 0.1, "gpu", metered()).block_s) == 1
    assert seen[1] - seen[0] >= 8.0


def test_a_program_that_nobody_takes_turns_with_is_measured_as_long_and_as_often_as_asked(device):
    timings = measure.measure(device(0.05), None, 0.1, "cpu", measure.alone(7, 3.0))
    assert len(timings.block_s) >= 7
    assert sum(timings.block_s) >= 0.6 * 3.0  # the steps to wake up are not among them


def test_a_run_that_drifts_is_labelled(device):
    timings = measured(device(lambda n: 0.01 * (1 + 0.002 * n)), 0.1, 12)
    assert timings.is_steady is False
    assert timings.drift > 0.03


@pytest.mark.parametrize(
    ("blocks", "steps", "device", "is_steady"),
    [
        ([1.0] * 30 + [1.2] * 8, 20, "cpu", False),  # a late shift
        (list(np.linspace(1.0, 1.15, 40)), 20, "cpu", False),  # a slow drift
        ([1.0] * 70 + [5.0] + [1.0] * 9, 5, "gpu", True),  # one slow block in a window
        ([1.0] * 3, 20, "cpu", None),  # too short to be judged
        ([1.0] * 34, 1, "cpu", True),  # long steps are judged in shorter windows
        ([1.0] * 24 + [1.2] * 10, 1, "cpu", False),
    ],
)
def test_only_a_run_that_stays_as_fast_as_it_was_is_steady(blocks, steps, device, is_steady):
    assert measure.steadiness(blocks, steps, device).is_steady is is_steady


@pytest.mark.parametrize(
    ("slow", "fast", "steps", "device", "start"),
    [(6, 30, 20, "gpu", 6), (30, 69, 1, "cpu", 40)],  # the latter's 99 blocks hold four windows of 20
)
def test_a_run_that_settles_is_steady_from_a_block_that_its_windows_reach(slow, fast, steps, device, start):
    found = measure.steadiness([2.0] * slow + [1.0] * fast, steps, device)
    assert (found.is_steady, found.start) == (True, start)
