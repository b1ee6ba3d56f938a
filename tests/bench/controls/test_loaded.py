"""The load works while it is switched on; loops, waits and timers are measured inside an environment."""

import os
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from control_runs import Measured, stat

from bench import contract, controls, machine, measure, registry, slowed
from bench import sabotage as sabotages
from bench.controls import _inside, agreement, order, overhead, waiting
from bench.errors import ControlError


def test_the_load_goes_by_the_plan_also_after_an_interrupt(place, monkeypatch):
    told = []
    monkeypatch.setattr(order.Load, "switch", lambda _, is_busy: told.append(is_busy))
    stand_in = Measured(monkeypatch, interrupted_after=5)
    with pytest.raises(KeyboardInterrupt):
        order.measure(place)
    order.measure(place)
    del told[4]  # of the turns that were interrupted
    assert len(stand_in.asked) == 8
    alone = {(name, round_): is_busy for (name, round_, _), is_busy in zip(stand_in.asked[:4], told, strict=False)}
    both = {(name, round_): told[4 + place // 2] for place, (name, round_, _) in enumerate(stand_in.asked[4:])}
    loaded = {**alone, **both}
    assert {loaded["sequential-a", 1], loaded["sequential-a", 2]} == {True}
    assert {loaded["sequential-b", 1], loaded["sequential-b", 2]} == {False}
    for twin in order.TWINS:  # both twins of a round have the same, and half of the rounds are loaded
        assert (loaded[f"interleaved-{twin}", 1], loaded[f"interleaved-{twin}", 2]) == (True, False)


@pytest.mark.parametrize("asked", [1, 3, 4, 7, 10])
def test_no_round_is_loaded_in_half_and_half_of_the_rounds_are_loaded(asked, place):
    place.arguments.rounds = asked
    count = order._count(place)
    planned = order.schedule(controls.first_case(place, controls.LIGHT), count, 0)
    loaded = {(case.environment, turn.round): order.is_loaded(position, count)
              for position, (twins, turn) in enumerate(planned) for case in twins}  # fmt: skip
    for round_ in range(1, count + 1):
        assert (loaded["sequential-a", round_], loaded["sequential-b", round_]) == (True, False)
        assert loaded["interleaved-a", round_] == loaded["interleaved-b", round_] == (round_ <= count / 2)


def spent_s(pid):
    """Return the processor time that a process takes in a third of a second."""

    def so_far():
        return sum(map(int, stat(pid)[11:13])) / os.sysconf("SC_CLK_TCK")

    before = so_far()
    time.sleep(0.33)
    return so_far() - before


@pytest.mark.skipif(sys.platform != "linux", reason="reads processor time where Linux tells it")
def test_the_load_works_while_it_is_switched_on_and_rests_while_it_is_off():
    with order.Load() as load:
        time.sleep(0.5)  # until it has begun
        for is_busy in (True, False, True):
            load.switch(is_busy)
            deadline = time.monotonic() + 60
            while (spent_s(load.process.pid) > 0.05) != is_busy:
                assert time.monotonic() < deadline
        assert os.sched_getaffinity(load.process.pid) == set(machine.first_cores(1))


def test_a_load_that_has_ended_ends_the_control_with_what_to_do():
    with order.Load() as load:
        load.process.kill()
        load.process.wait()
        with pytest.raises(ControlError, match="Give the same command again"):
            load.switch(True)


def test_the_load_ends_when_its_parent_is_gone():
    load = order.subprocess.Popen(
        [sys.executable, "-m", "bench.controls._load"], cwd=registry.ROOT, stdin=order.subprocess.PIPE, bufsize=0
    )
    load.stdin.write(b"1")
    load.stdin.close()  # as a system closes what a killed process had open
    assert load.wait(60) == 0


@pytest.fixture
def inside(frameworks):
    """Ask a control inside an environment whose steps return handles: the NumPy framework, its numbers in a list."""
    environment = registry.environment("numpy-a", frameworks)
    real = registry.adapter(environment)

    class Lazy(real.Program):
        def __init__(self, *words):
            super().__init__(*words)
            step = self.step
            self.step = lambda batch: [step(batch)]

        def wait(self, handle):
            return handle[0]

    def ask(control, **more):
        request = {"workload": "mnist_mlp", "mode": "plain", "seed": 0, **more}
        return control.inside(request, environment, SimpleNamespace(Program=Lazy))

    return ask


@pytest.mark.parametrize("sabotage", sabotages.SABOTAGES)
def test_a_wait_that_was_left_out_breaks_a_sentence_of_the_contract_and_one_that_waits_breaks_none(sabotage, inside):
    caught_by = inside(waiting, sabotage=sabotage)["about"]["caught_by"]
    if sabotage == sabotages.NOTHING:
        assert caught_by == ""
    else:
        assert contract.wait_returns_the_number_of_its_step.__name__ in caught_by


def test_blocks_alternate_and_a_loop_that_does_more_is_seen(inside, monkeypatch):
    monkeypatch.setattr(overhead, "AT_LEAST_S", 0.0)
    monkeypatch.setattr(overhead, "MOST_S", 0.0)
    real = overhead.loop.block

    def slow(*words):
        begun = overhead.time.perf_counter()
        _, cpu, loss = real(*words)
        slowed.pause_until(overhead.time.perf_counter() + 0.01)
        return overhead.time.perf_counter() - begun, cpu, loss

    monkeypatch.setattr(overhead.loop, "block", slow)
    series = inside(overhead)["series"]
    assert {len(series[name]) for name in ("ours_s", "within_s", "bare_s")} == {overhead.FEWEST}
    assert np.median(np.subtract(series["ours_s"], series["within_s"])) > 0.009


def test_turns_end_when_the_interval_is_narrow_enough_or_the_time_is_spent():
    random = np.random.default_rng(0)
    ours, bare = (np.exp(random.normal(0, 0.05, 1000)).tolist() for _ in range(2))
    narrow = [overhead.is_open({"ours_s": ours[:count], "bare_s": bare[:count]}, 20.0) for count in (10, 30, 500)]
    assert narrow == [True, True, False]
    assert not overhead.is_open({"ours_s": ours[:10], "bare_s": bare[:10]}, overhead.MOST_S)
    asked = []
    series = _inside.alternate(0, {"a": float, "b": float}, 3, 0.0, lambda *_: asked.append(1) or len(asked) < 5)
    assert [len(own) for own in series.values()] == [3 + 4, 3 + 4]


def test_a_framework_without_a_timer_of_its_own_says_so(inside):
    with pytest.raises(agreement.Unsupported, match="NumPy A has no timer of its own"):
        inside(agreement, beside="timer")


def test_a_timer_of_the_framework_s_own_is_called_in_turns(inside, monkeypatch):
    monkeypatch.setattr(agreement, "AT_LEAST_S", 0.0)
    monkeypatch.setattr(agreement, "BLOCK_S", 0.01)
    monkeypatch.setattr(agreement, "FEWEST", 3)

    def own_timer(program, batch):
        return "a stop watch", lambda steps: measure.block(program, batch, steps)[0] / steps

    monkeypatch.setattr(_inside, "own", lambda _, name: {"own_timer": own_timer}[name])
    reply = inside(agreement, beside="timer")
    assert reply["about"] == {"name": "a stop watch"}
    assert len(reply["series"]["theirs_s"]) == 3
