"""Before a block, cores are looked for that nobody else slows: neighbours are planted in what the loop takes."""

import os
import time

import pytest

from bench import machine
from bench.driver import neighbours
from bench.driver.neighbours import Canary


class Cores:
    """Loops that take what is planted: `took(core, seconds that went by in sleep)`; each look is one loop."""

    def __init__(self, monkeypatch, places, took):
        self.looks, self.slept, self.core, self.took = [], 0.0, None, took
        monkeypatch.setattr(neighbours, "LOOPS", 1)
        monkeypatch.setattr(neighbours, "_loop_s", self.loop)
        monkeypatch.setattr(neighbours, "_on", self.on)
        monkeypatch.setattr(neighbours.time, "sleep", self.sleep)
        monkeypatch.setattr(neighbours.time, "monotonic", lambda: self.slept)
        monkeypatch.setattr(machine, "places", lambda _: places)
        self.canary = Canary(1)
        self.canary.fastest_s = {core: 1.0 for place in places for core in place}  # as it was seen before

    def on(self, core):
        self.core = core
        return neighbours.contextlib.suppress()

    def loop(self):
        self.looks.append(self.core)
        return self.took(self.core, self.slept)

    def sleep(self, seconds):
        self.slept += seconds


def test_a_program_stays_where_it_is_while_no_neighbour_slows_it(monkeypatch):
    cores = Cores(monkeypatch, [[0], [1]], lambda *_: 1.3)
    assert cores.canary.quiet([1], 9.0) == ([1], 1.3, 0.0)
    assert cores.looks == [1]


def test_beside_a_neighbour_it_goes_to_another_core_at_once(monkeypatch):
    cores = Cores(monkeypatch, [[0], [1]], lambda core, _: 2.0 if core == 0 else 1.1)
    assert cores.canary.quiet([], 9.0) == ([1], 1.1, 0.0)


def test_where_all_cores_are_slowed_it_waits_until_one_is_not(monkeypatch):
    cores = Cores(monkeypatch, [[0], [1]], lambda core, now_s: 1.0 if core == 1 and now_s > 1 else 2.0)
    found = cores.canary.quiet([0], 9.0)
    assert found[:2] == ([1], 1.0)
    assert 1 < found.waited_s < 1 + 2 * neighbours.PAUSE_S


def test_once_patience_ends_it_takes_the_cores_that_are_slowed_least(monkeypatch):
    cores = Cores(monkeypatch, [[0], [1]], lambda core, _: 2.0 - core / 4)
    found = cores.canary.quiet([0], 1.0)
    assert found[:2] == ([1], 1.75)
    assert 1 - 2 * neighbours.PAUSE_S < found.waited_s <= 1
    assert cores.canary.quiet([0], 0.0) == ([1], 1.75, 0.0)


def test_threads_on_several_cores_are_as_slow_as_the_slowest_of_those(monkeypatch):
    assert Cores(monkeypatch, [[0, 1]], lambda core, _: [1.0, 1.8][core]).canary.slowdown([0, 1]) == 1.8


def test_a_slower_kind_of_core_is_not_taken_for_one_with_a_neighbour(monkeypatch):
    cores = Cores(monkeypatch, [[0, 1]], lambda core, _: [1.0, 1.8][core])
    cores.canary.fastest_s[1] = 1.8
    assert cores.canary.slowdown([0, 1]) == 1.0


def test_a_loop_is_held_against_the_fastest_that_was_ever_seen(monkeypatch):
    cores = Cores(monkeypatch, [[]], lambda _, now_s: {0: 0.8, 1: 0.4, 2: 0.8}[now_s])
    found = []
    for cores.slept in range(3):
        found.append(cores.canary.slowdown([]))
    assert found == [1.0, 1.0, 2.0]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system keeps no process on cores")
def test_looking_leaves_the_bench_where_it_may_run():
    before, canary, begin = os.sched_getaffinity(0), Canary(1), time.monotonic()
    found = canary.quiet([], 0.0)
    assert os.sched_getaffinity(0) == before
    assert found.cores in canary.places
    assert found.slowdown >= 1
    assert 0 <= found.waited_s <= time.monotonic() - begin


@pytest.mark.parametrize(
    ("threads", "shared", "found"),
    [
        (1, "0-1\n", [[0], [1]]),
        (1, "0,2\n", [[0], [2]]),
        (2, "0-7\n", [[0, 1], [2, 3]]),
        (2, "0-2\n", [[0, 1]]),
        (3, "0-7\n", [[0, 1, 2]]),  # a core is left, which is not three
        (1, None, [[0]]),
    ],
)
def test_programs_move_only_among_cores_that_share_a_cache_with_the_first(
    threads, shared, found, monkeypatch, tmp_path
):
    monkeypatch.setattr(machine.os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    monkeypatch.setattr(machine, "SHARED_CACHE", str(tmp_path / "cpu%d"))
    if shared:
        (tmp_path / "cpu0").write_text(shared)
    assert machine.places(threads) == found
    assert machine.timed_cores(threads) == [core for place in found for core in place]


def test_a_system_that_keeps_no_process_on_cores_has_one_place(monkeypatch):
    monkeypatch.delattr(machine.os, "sched_getaffinity", raising=False)
    assert (machine.places(2), machine.timed_cores(2)) == ([[]], [])
