"""The timing loop and the steady-state test, on a clock that the test turns."""

import numpy as np
import pytest

from bench import measure, steady


def turns(count):
    return [0.0] * count


class Clock:
    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(measure.time, "perf_counter", lambda: self.now)
        monkeypatch.setattr(measure.time, "process_time", lambda: 2 * self.now)


class Device:
    """A program whose steps are enqueued at once and take `step_s` each on a device; only wait() lets them pass."""

    def __init__(self, clock, step_s, wait_s=0.0, compile_s=0.0):
        self.clock, self.step_s, self.wait_s = clock, step_s, wait_s
        self.queued = compile_s
        self.waits = self.steps = 0

    def step(self, batch):
        self.steps += 1
        self.queued += self.step_s(self.steps) if callable(self.step_s) else self.step_s
        return self.steps

    def wait(self, handle):
        self.waits += 1
        self.clock.now += self.queued + self.wait_s
        self.queued = 0.0
        return 1.0 / handle


def test_a_block_holds_its_steps_and_ends_with_one_wait(monkeypatch):
    program = Device(Clock(monkeypatch), 0.002)
    wall, cpu, loss = measure.block(program, None, 10)
    assert wall == pytest.approx(0.02)
    assert cpu == pytest.approx(0.04)
    assert (program.steps, program.waits, loss) == (10, 1, 0.1)


def test_the_first_step_is_kept_apart_with_its_compilation(monkeypatch):
    program = Device(Clock(monkeypatch), 0.01, compile_s=30.0)
    timings = measure.measure(program, None, 0.02, "cpu", turns(3))
    assert timings.first_step_s == pytest.approx(30.01)
    assert np.median(timings.block_s) / timings.steps_per_block == pytest.approx(0.01)


def test_memory_is_forgotten_once_the_program_is_warm_and_before_the_first_block_that_counts(monkeypatch):
    program, forgotten = Device(Clock(monkeypatch), 0.01), []
    timings = measure.measure(program, None, 0.02, "cpu", turns(3), lambda: forgotten.append(program.steps))
    assert forgotten == [program.steps - (1 + timings.steps_per_block) * len(timings.block_s)]


def test_a_network_whose_steps_take_seconds_makes_few_besides_those_that_count(monkeypatch):
    program = Device(Clock(monkeypatch), 5.0)
    timings = measure.measure(program, None, 0.1, "cpu", turns(5))
    assert timings.steps_per_block == 1
    assert len(timings.warm_up_s) == measure.WARM_UP_STEPS
    assert program.steps == 1 + measure.WARM_UP_STEPS + len(timings.block_s)


@pytest.mark.parametrize(("step_s", "wait_s"), [(1e-4, 1e-5), (1e-3, 1e-3), (0.5, 1e-5), (0.02, 5e-4)])
def test_a_block_is_long_enough_for_the_clock_and_the_wait(step_s, wait_s, monkeypatch):
    program = Device(Clock(monkeypatch), step_s, wait_s)
    timings = measure.measure(program, None, 0.1, "gpu", turns(30))
    assert min(timings.block_s) >= 0.1
    assert wait_s <= 1.01e-3 * min(timings.block_s)
    assert np.median(timings.block_s) / timings.steps_per_block == pytest.approx(step_s, rel=2e-3)


def test_a_run_has_a_block_for_each_of_its_turns_and_a_step_before_it_to_wake_up(monkeypatch):
    program = Device(Clock(monkeypatch), 0.05)
    timings = measure.measure(program, None, 0.1, "cpu", turns(0))
    before = program.steps
    again = Device(program.clock, 0.05)
    timings = measure.measure(again, None, 0.1, "cpu", turns(7))
    assert len(timings.block_s) == len(timings.block_cpu_s) == 7
    assert again.steps == before + 7 * (1 + timings.steps_per_block)


def test_a_turn_of_seconds_goes_on_for_as_long_and_times_nothing(monkeypatch):
    program = Device(Clock(monkeypatch), 0.05)
    seen = []

    def metered():
        yield 0.0
        seen.append(program.clock.now)
        yield 8.0
        seen.append(program.clock.now)

    timings = measure.measure(program, None, 0.1, "gpu", metered())
    assert len(timings.block_s) == 1
    assert seen[1] - seen[0] >= 8.0


def test_a_program_that_nobody_takes_turns_with_is_measured_as_long_and_as_often_as_asked(monkeypatch):
    timings = measure.measure(Device(Clock(monkeypatch), 0.05), None, 0.1, "cpu", measure.alone(7, 3.0))
    assert len(timings.block_s) >= 7
    assert sum(timings.block_s) >= 0.6 * 3.0  # the steps to wake up are not among them


def test_a_run_that_drifts_is_labelled(monkeypatch):
    program = Device(Clock(monkeypatch), lambda n: 0.01 * (1 + 0.002 * n))
    timings = measure.measure(program, None, 0.1, "cpu", turns(12))
    assert timings.is_steady is False
    assert timings.drift > 0.03


def test_a_run_that_settles_is_steady_from_where_it_settles():
    blocks = [2.0] * 6 + [1.0] * 30
    found = steady.judge(blocks, 20, "gpu")
    assert found.is_steady
    assert found.start == 6


def test_a_late_shift_is_not_steady():
    assert steady.judge([1.0] * 30 + [1.2] * 8, 20, "cpu").is_steady is False


def test_a_slow_drift_is_not_steady():
    assert steady.judge(list(np.linspace(1.0, 1.15, 40)), 20, "cpu").is_steady is False


def test_one_slow_block_in_a_window_does_not_unsettle_a_run():
    blocks = [1.0] * 80
    blocks[70] = 5.0
    assert steady.judge(blocks, 5, "gpu").is_steady


def test_too_short_a_run_is_not_judged():
    assert steady.judge([1.0] * 3, 20, "cpu").is_steady is None


def test_long_steps_are_judged_in_shorter_windows():
    assert steady.judge([1.0] * 34, 1, "cpu").is_steady
    assert steady.judge([1.0] * 24 + [1.2] * 10, 1, "cpu").is_steady is False


def test_a_run_is_steady_from_a_block_that_its_windows_reach():
    found = steady.judge([2.0] * 30 + [1.0] * 69, 1, "cpu")  # 99 blocks hold four windows of 20
    assert (found.is_steady, found.start) == (True, 40)
