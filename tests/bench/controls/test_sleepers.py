"""Samplers and sleepers are stopped and go on as it is asked of them."""

import os
import signal
import sys
import time

import pytest
from control_runs import measured, stat

from bench import controls, processes, records, turns
from bench.controls import _switched, sampler, sleepers, spread


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_sampler_is_stopped_for_half_of_a_program_s_blocks_and_ends_with_the_round(place, tmp_path, monkeypatch):
    monkeypatch.setattr(sampler, "TURNS", 3)
    sent, watches = [], []

    class Watch(sampler.telemetry.Watch):
        def __init__(self, threads):
            super().__init__(threads)
            watches.append(self.process)
            send = self.process.send_signal
            self.process.send_signal = lambda number: (sent.append(number), send(number))

        def end(self, replies):
            while sum(line.get("at", 0.0) >= self.begun.at_s for line in self._lines()) < 2:
                time.sleep(0.01)  # one of NumPy starts faster than that
            return super().end(replies)

    monkeypatch.setattr(sampler.telemetry, "Watch", Watch)
    sampler.measure(place)
    (lines,) = measured(tmp_path, "sampler")
    said = records.of_kind(lines, "control")
    assert [line["about"]["round"] for line in said] == ["1", "2"]
    for line in said:
        assert [len(line["series"][name]) for name in (sampler.SAMPLED, sampler.ALONE)] == [3, 3]
        assert 0 < line["series"][sampler.SHARE][0] < 0.1
    assert [sent.count(number) for number in (signal.SIGSTOP, signal.SIGCONT)] == [6, 6 + 2]  # and at the end of each
    assert all(process.poll() is not None for process in watches)
    assert lines[-1]["kind"] == "end"


class Sleeper:
    """Stands for a worker: says who is stopped."""

    def __init__(self):
        self.is_stopped = False

    def stop(self):
        self.is_stopped = True

    def resume(self):
        self.is_stopped = False


def test_beside_nobody_all_sleepers_are_stopped_and_beside_one_all_others():
    workers = {"red": Sleeper(), "blue": Sleeper()}
    found = {}
    for name, bring_about in sleepers.conditions(workers).items():
        bring_about()
        found[name] = {each for each, worker in workers.items() if not worker.is_stopped}
    assert found == {sleepers.NOBODY: set(), sleepers.ALL: {"red", "blue"}, "red": {"red"}, "blue": {"blue"}}


def test_a_program_makes_a_block_under_each_condition_in_each_turn_in_random_order():
    now, made = [], []

    class Worker:
        def say(self, _):
            made.append(now[-1])

        def heard(self, _):
            return len(made) <= 10

    conditions = {name: lambda name=name: now.append(name) for name in "abc"}
    told = _switched.alternate(Worker(), conditions, 5, 1, 60.0)
    assert told == made[:10]  # it ended in its eleventh block
    assert [sorted(made[place : place + 3]) for place in (0, 3, 6)] == [["a", "b", "c"]] * 3
    assert made[:3] != made[3:6] or made[3:6] != made[6:9]


def test_sleepers_are_measured_for_real_and_nothing_of_them_is_left(two, tmp_path, monkeypatch):
    monkeypatch.setattr(sleepers, "TURNS", 3)
    two.arguments.rounds = 1
    pids = []
    begin = _switched.begin

    def noted(*words):
        worker = begin(*words)
        pids.append(worker.process.pid)
        return worker

    monkeypatch.setattr(_switched, "begin", noted)
    sleepers.measure(two)
    (lines,) = measured(tmp_path, "sleepers")
    (said,) = records.of_kind(lines, "control")
    assert {name: len(steps_s) for name, steps_s in said["series"].items()} == {
        sleepers.NOBODY: 3, sleepers.ALL: 3, "numpy-a": 3, "numpy-b": 3,
    }  # fmt: skip
    assert len(pids) == 3
    assert not any(map(alive, pids))
    assert not processes._running


@pytest.mark.skipif(sys.platform != "linux", reason="reads a process's state where Linux tells it")
def test_a_worker_that_is_stopped_runs_no_thread_until_it_goes_on_and_ends_all_the_same(place):
    case = controls.first_case(place, "mnist_mlp")
    setting = place.setting(spread.profiles.CONTROL)
    worker = turns.start(case, turns.Turn(1, 0, {case}), setting).worker

    try:
        assert worker.heard(60)
        for change, expected in ((worker.stop, True), (worker.resume, False), (worker.stop, True)):
            change()
            deadline = time.monotonic() + 10
            while (stat(worker.process.pid)[0] == "T") != expected:
                assert time.monotonic() < deadline
    finally:
        worker.close()
    assert not alive(worker.process.pid)
    worker.stop()  # of what has ended, nothing is asked


def test_a_sleeper_that_ends_is_told_of_and_an_interrupted_campaign_goes_on(two, tmp_path, monkeypatch):
    monkeypatch.setattr(sleepers, "TURNS", 2)
    two.arguments.rounds = 2
    alternate = _switched.alternate

    def interrupted(worker, conditions, *words):
        if len(records.of_kind(measured(tmp_path, "sleepers")[0], "control")) == 2:
            monkeypatch.setattr(_switched, "alternate", alternate)
            raise KeyboardInterrupt
        running = [each for each in processes._running if each is not worker]
        running[0].process.kill()
        running[0].process.wait()
        return alternate(worker, conditions, *words)

    monkeypatch.setattr(_switched, "alternate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sleepers.measure(two)
    sleepers.measure(two)
    (lines,) = measured(tmp_path, "sleepers")
    found = [(line["about"]["round"], line["status"]) for line in records.of_kind(lines, "control")]
    assert found == [("1", "ok"), ("1", "killed"), ("2", "ok")]


def test_where_no_process_can_be_stopped_nothing_is_measured_and_it_is_said(two, tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(_switched, "is_possible", lambda: False)
    for module in (sampler, sleepers):
        module.measure(two._replace(prepared=two.prepared._replace(say=said.append)))
        assert measured(tmp_path, module.NAME) == []
    assert ["no signal that stops a process" in each for each in said] == [True, True]
