"""What is planted is exactly that: the share of a step, a block, or of the host's time."""

import numpy as np
import pytest

from bench import measure
from bench.controls import twins
from bench.worker import run as slowing


class Program:
    """A program that only counts; its steps return a handle that is not a number, as those of most frameworks do."""

    def __init__(self):
        self.made = []

    def step(self, batch):
        self.made.append(batch)
        return [len(self.made)]

    def wait(self, handle):
        return float(handle[0])


def test_the_extra_steps_spread_evenly_and_are_waited_for():
    program = Program()
    slowed = slowing.Slowed(program, "device", 5)
    made = []
    for _ in range(100):
        handle = slowed.step("batch")
        made.append(len(program.made))
        assert slowed.wait(handle) == len(program.made)
    assert np.flatnonzero(np.diff([0, *made]) == 2).tolist() == [19, 39, 59, 79, 99]


@pytest.mark.parametrize("percent", [0, *twins.PERCENT])
def test_each_hundred_steps_and_each_block_hold_exactly_the_planted_share_whatever_was_before_them(percent):
    program = Program()
    slowed = slowing.Slowed(program, "device", percent)
    found = measure.measure(slowed, "batch", 1e-4, "cpu", iter(()), whole=slowing.Slowed.OF)
    assert found.steps_per_block % 100 == 0
    for before, steps in [(0, 100)] * 7 + [(before, found.steps_per_block) for before in (1, 37, 101)]:
        for _ in range(before):  # it wakes up by single steps
            slowed.step("batch")
        made = len(program.made)
        measure.block(slowed, "batch", steps)
        assert len(program.made) - made == steps * (100 + percent) // 100


class Steady:
    """Takes so long for each step, by a clock that it moves."""

    def __init__(self, monkeypatch, step_s):
        self.now, self.step_s = 0.0, step_s
        monkeypatch.setattr(measure.time, "perf_counter", lambda: self.now)

    def step(self, _):
        self.now += self.step_s

    def wait(self, _):
        return 0.0


@pytest.mark.parametrize(("step_s", "steps"), [(0.97e-3, 100), (0.6e-3, 200), (5e-3, 100)])
def test_blocks_of_planted_runs_are_as_long_as_whole_hundreds_of_steps_let_them_be(monkeypatch, step_s, steps):
    found = measure.measure(Steady(monkeypatch, step_s), "batch", 0.1, "cpu", iter(()), whole=slowing.Slowed.OF)
    assert found.steps_per_block == steps


class Clock:
    def __init__(self, monkeypatch):
        self.now = 10.0
        monkeypatch.setattr(slowing.time, "perf_counter", self.read)
        monkeypatch.setattr(slowing.time, "sleep", self.sleep)

    def read(self):
        self.now += 1e-7
        return self.now

    def sleep(self, seconds):
        self.now += seconds + 1e-3  # an operating system oversleeps


def test_the_host_pauses_for_the_planted_share_of_a_block_however_long_it_oversleeps(monkeypatch):
    clock = Clock(monkeypatch)
    slowed = slowing.Slowed(Program(), "host", 3)
    begun = clock.now
    handle = slowed.step("batch")
    clock.now += 2.0
    slowed.wait(handle)
    assert clock.now - begun == pytest.approx(2.06, abs=1e-5)
    before = clock.now
    slowed.wait(handle)  # nothing was done since: what a wait costs alone is measured so
    assert clock.now - before < 1e-5


def test_a_slowed_program_is_otherwise_the_program_itself():
    program = Program()
    assert slowing.Slowed(program, "host", 5).made is program.made
