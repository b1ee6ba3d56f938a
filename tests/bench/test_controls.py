"""The controls' own means: what is planted is exactly that, the key stays sealed, and a sabotaged wait is noticed."""

import argparse
import contextlib
import json
import os
import signal
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from replies import REPLY

from bench import campaign as campaigns
from bench import contract, controls, machine, measure, preflight, processes, profiles, records, registry, turns
from bench.controls import _inside, _switched, agreement, order, overhead, planted, sampler, sleepers, spread, waiting
from bench.errors import ControlError


class Program:
    """A program that only counts; its steps return a handle that is no number, as those of most frameworks do."""

    def __init__(self):
        self.made = []

    def step(self, batch):
        self.made.append(batch)
        return [len(self.made)]

    def wait(self, handle):
        return float(handle[0])


def test_the_extra_steps_spread_evenly_and_are_waited_for():
    program = Program()
    slowed = planted.Slowed(program, "device", 5)
    made = []
    for _ in range(100):
        handle = slowed.step("batch")
        made.append(len(program.made))
        assert slowed.wait(handle) == len(program.made)
    assert np.flatnonzero(np.diff([0, *made]) == 2).tolist() == [19, 39, 59, 79, 99]


@pytest.mark.parametrize("percent", [0, *planted.PERCENT])
def test_each_hundred_steps_and_each_block_hold_exactly_the_planted_share_whatever_was_before_them(percent):
    program = Program()
    slowed = planted.Slowed(program, "device", percent)
    found = measure.measure(slowed, "batch", 1e-4, "cpu", iter(()), whole=planted.Slowed.OF)
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
    found = measure.measure(Steady(monkeypatch, step_s), "batch", 0.1, "cpu", iter(()), whole=planted.Slowed.OF)
    assert found.steps_per_block == steps


class Clock:
    def __init__(self, monkeypatch):
        self.now = 10.0
        monkeypatch.setattr(planted.time, "perf_counter", self.read)
        monkeypatch.setattr(planted.time, "sleep", self.sleep)

    def read(self):
        self.now += 1e-7
        return self.now

    def sleep(self, seconds):
        self.now += seconds + 1e-3  # an operating system oversleeps


def test_the_host_pauses_for_the_planted_share_of_a_block_however_long_it_oversleeps(monkeypatch):
    clock = Clock(monkeypatch)
    slowed = planted.Slowed(Program(), "host", 3)
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
    slowed = planted.Slowed(program, "host", 5)
    assert slowed.made is program.made


@pytest.fixture
def place(tmp_path, frameworks, monkeypatch):
    """One environment at hand, its probe made up: what is tested starts no process."""
    monkeypatch.setattr(planted, "KEYS", str(tmp_path / "keys"))
    monkeypatch.setattr(profiles, "CONTROL", profiles.CONTROL._replace(least_turns=3, most_turns=3))
    for module in (planted, spread):
        monkeypatch.setattr(module, "Watch", lambda _: contextlib.nullcontext())
    known = registry.environments(frameworks)
    probe = {"python": "3.11.1", "device": "cpu", "loaded": {}, "packages": {}, "libraries": [], "proofs": {}}
    proofs = {("numpy-a", "mnist_mlp"): "0" * 16}
    arguments = argparse.Namespace(
        environment=[], rounds=2, timeout=None, seed=0, threads=1, frameworks=frameworks, fresh=False,
        results=str(tmp_path / "results"),
    )  # fmt: skip
    prepared = preflight.Prepared(
        known, {"numpy-a": sys.executable}, {"numpy-a": probe}, {}, {"numpy-a": "cpu"}, proofs, arguments, print
    )
    machine = {"name": "test", "cpu": "CPU", "logical_cpus": 1, "memory_bytes": 1, "system": "Linux", "gpu": None,
               "gpu_driver": None}  # fmt: skip
    return controls.Session(prepared, machine)


def measured(tmp_path, control):
    """Return the lines of each campaign of a control."""
    return [records.read(str(path)) for path in sorted((tmp_path / "results/test/controls" / control).glob("*.jsonl"))]


class Measured:
    """Stands for turns.measure: notes what each run was asked, and is interrupted once before so many are exceeded."""

    def __init__(self, monkeypatch, interrupted_after=None, reply=lambda *_: REPLY):
        self.asked, self.together, self.left, self.reply = [], [], interrupted_after, reply
        monkeypatch.setattr(turns, "measure", self)

    def __call__(self, cases, turn, setting):
        if self.left is not None:
            self.left -= len(cases)
            if self.left < 0:
                self.left = None
                raise KeyboardInterrupt
        self.together.append(sorted(each.environment for each in cases))
        self.asked += [(each.environment, turn.round, (setting.besides or {}).get(each.environment)) for each in cases]
        return [self.record(case, turn, position) for position, case in enumerate(cases)]

    def record(self, case, turn, position):
        where = campaigns.Where(turn.round, turn.group, position)
        reply = self.reply(case, turn.round)
        return campaigns.run_record(case, reply, where, campaigns.now(), "warm", 0, "0" * 16)


@pytest.fixture
def interrupted(place, monkeypatch):
    """Planted slow-downs, interrupted in their second round."""
    stand_in = Measured(monkeypatch, interrupted_after=15)
    with pytest.raises(KeyboardInterrupt):
        planted.measure(place)
    return stand_in


def test_each_competitor_is_asked_what_the_key_discloses_after_the_last_run(place, tmp_path, monkeypatch):
    asked = Measured(monkeypatch).asked
    planted.measure(place)
    (lines,) = measured(tmp_path, "planted")
    assert [line["kind"] for line in lines[:3]] == ["bench", "environment", "control"]
    assert lines[2]["about"] == {"environment": "numpy-a", "mode": "plain", "workload": "mnist_mlp"}
    assert [line["kind"] for line in lines[-3:]] == ["run", "control", "end"]
    key = lines[-2]["about"]
    assert key == {name: "{way} {percent}".format(**besides["planted"]) for name, _, besides in asked}
    assert sorted(key.values()) == sorted("{way} {percent}".format(**plan) for plan in planted.plans())
    assert len(asked) == 2 * len(planted.plans())


def test_an_interrupted_campaign_goes_on_with_the_same_key_and_has_disclosed_nothing(place, interrupted, tmp_path):
    (lines,) = measured(tmp_path, "planted")
    assert len([line for line in lines if line["kind"] == "run"]) == len(planted.plans())
    text = json.dumps(lines)
    assert not [word for word in ("device ", "host ", "percent", 'planted": ') if word in text]
    planted.measure(place)
    (lines,) = measured(tmp_path, "planted")
    asked = interrupted.asked
    assert len({(name, round_) for name, round_, _ in asked}) == len(asked)  # nothing twice
    assert {name: "{way} {percent}".format(**besides["planted"]) for name, _, besides in asked} == lines[-2]["about"]
    assert not os.listdir(planted.KEYS)


@pytest.mark.usefixtures("interrupted")
@pytest.mark.parametrize("left", [None, "", '{"competitor-01": {"way"'])
def test_without_its_key_or_with_one_that_cannot_be_read_a_campaign_is_begun_anew(left, place, tmp_path):
    (key,) = (tmp_path / "keys").iterdir()
    key.unlink() if left is None else key.write_text(left)
    planted.measure(place)
    assert [lines[-1]["kind"] for lines in measured(tmp_path, "planted")] == ["run", "end"]


def test_a_kill_between_the_key_and_the_end_leaves_one_key(place, tmp_path, monkeypatch):
    Measured(monkeypatch)
    write = campaigns.CampaignFile.write

    def killed(campaign, record):
        if record["kind"] == "end":
            raise KeyboardInterrupt
        return write(campaign, record)

    monkeypatch.setattr(campaigns.CampaignFile, "write", killed)
    with pytest.raises(KeyboardInterrupt):
        planted.measure(place)
    monkeypatch.setattr(campaigns.CampaignFile, "write", write)
    planted.measure(place)
    (lines,) = measured(tmp_path, "planted")
    assert [line["kind"] for line in lines[-3:]] == ["run", "control", "end"]


@pytest.mark.usefixtures("interrupted")
def test_a_campaign_of_another_environment_is_not_gone_on_with(place, tmp_path):
    (path,) = (tmp_path / "results/test/controls/planted").glob("*.jsonl")
    lines = records.read(str(path))
    lines[2]["about"]["environment"] = "numpy-b"  # as if that had been the steadiest then
    path.write_text("".join(json.dumps({k: v for k, v in line.items() if k != "seal"}) + "\n" for line in lines))
    planted.measure(place)
    first, second = measured(tmp_path, "planted")
    assert (first[-1]["kind"], second[-1]["kind"]) == ("run", "end")
    assert second[2]["about"]["environment"] == "numpy-a"


def test_what_cannot_be_is_refused_on_writing_in_every_control_of_runs(place, tmp_path, monkeypatch):
    Measured(monkeypatch, reply=lambda *_: {**REPLY, "loss_last": REPLY["loss_first"]})
    for module in (order, planted):
        module.measure(place)
        (lines,) = measured(tmp_path, module.NAME)
        assert {line["status"] for line in lines if line["kind"] == "run"} == {"implausible"}


def test_the_key_differs_from_time_to_time(place, tmp_path, monkeypatch):
    Measured(monkeypatch)
    for _ in range(3):
        planted.measure(place)
    assert len({json.dumps(lines[-2]["about"], sort_keys=True) for lines in measured(tmp_path, "planted")}) == 3


def test_one_arm_is_measured_in_sequence_and_the_other_in_turns(place):
    case = controls.first_case(place, controls.LIGHT)
    names = [tuple(twin.environment for twin in twins) for twins, _ in order.schedule(case, 3, 0)]
    assert names[:6] == [("sequential-a",)] * 3 + [("sequential-b",)] * 3
    assert all(set(each) == {"interleaved-a", "interleaved-b"} for each in names[6:])


def test_both_arms_are_measured_under_the_load_which_ends_with_them(place, tmp_path, monkeypatch):
    asked = Measured(monkeypatch).asked
    loads = []
    real = order.subprocess.Popen

    def start(*words, **options):
        process = real(*words, **options)
        loads.extend([process] if "bench.controls._load" in words[0] else [])  # and not git
        return process

    monkeypatch.setattr(order.subprocess, "Popen", start)
    place.arguments.threads = 4
    order.measure(place)
    assert len(asked) == 8
    assert [load.poll() is not None for load in loads] == [True]
    (lines,) = measured(tmp_path, "order")
    assert lines[0]["threads"] == 1  # the load is felt alike on any machine
    assert lines[-1]["kind"] == "end"


def stat(pid):
    """Return what Linux tells of a process, from its state on."""
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()


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


@pytest.mark.parametrize("sabotage", waiting.SABOTAGES)
def test_a_wait_that_was_left_out_breaks_a_sentence_of_the_contract_and_one_that_waits_breaks_none(sabotage, inside):
    caught_by = inside(waiting, sabotage=sabotage)["about"]["caught_by"]
    if sabotage == waiting.NOTHING:
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
        planted.pause_until(overhead.time.perf_counter() + 0.01)
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


def test_the_command_measures_a_control_and_goes_on_where_it_stopped(bench):
    words = ("--only", "waiting", "--environment", "numpy-a")
    bench("controls", *words)
    (path,) = bench.results.glob("controls/waiting/*.jsonl")
    whole = path.read_text()
    asked = [line for line in records.read(str(path)) if line["kind"] == "control"]
    assert {line["about"]["sabotage"]: line["status"] for line in asked} == {
        "nothing": "ok", "constant": "ok", "previous": "ok", "handle": "unsupported",
    }  # fmt: skip
    kept = whole.splitlines(keepends=True)[:-2]  # as if it had been killed before the last question
    path.write_text("".join(kept))
    bench("controls", *words)
    assert path.read_text().startswith("".join(kept))
    assert len(path.read_text().splitlines()) == len(whole.splitlines())


def test_a_command_that_was_interrupted_repeats_no_control_that_it_finished(place, monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "STATE", str(tmp_path))
    stand_in = Measured(monkeypatch, interrupted_after=2 * len(planted.plans()))  # in the next control's first run
    with pytest.raises(KeyboardInterrupt):
        controls.measure_all(place, ["order", "planted"], None)
    controls.measure_all(place, ["order", "planted"], None)
    assert len(stand_in.asked) == 2 * len(planted.plans()) + 8
    assert [len(measured(tmp_path, name)) for name in ("planted", "order")] == [1, 1]
    controls.measure_all(place, ["order", "planted"], None)  # from the end on it begins anew
    assert [len(measured(tmp_path, name)) for name in ("planted", "order")] == [2, 2]


def test_a_budget_that_holds_nothing_measures_nothing_and_says_so(bench):
    done = bench("controls", "--only", "waiting", "--environment", "numpy-a", "--budget", "1s")
    assert "waiting: left out" in done.stderr
    assert not list(bench.results.glob("controls/*/*.jsonl"))


def apart(ratios):
    """Return replies in which the first of an environment's two names is so much slower, round by round."""

    def reply(case, number):
        name, _, twin = case.environment.rpartition("-")
        ratio = ratios[name][number - 1] if twin == "a" else 1.0
        if ratio is None:
            return {"status": "failed", "reason": "planted", "error_tail": None, "duration_s": 1.0}
        blocks = [0.1 * ratio, 0.11 * ratio, 0.12 * ratio]
        return {**REPLY, "block_s": blocks, "block_cpu_s": blocks, "block_order": [0, 1, 0]}

    return reply


STEADY, UNSTEADY = [1.0, 1.001, 1.0, 0.999, 1.0, 1.0], [1.0, 1.02, 1.0, 0.99, 1.01, 1.0]


@pytest.fixture
def two(place, monkeypatch, tmp_path):
    """Two environments at hand that answer the lightest workload."""
    for module in (spread, sleepers):
        monkeypatch.setattr(module, "LIGHT", "mnist_mlp")
    monkeypatch.setattr(controls, "CACHE", str(tmp_path / "cache"))
    prepared = place.prepared
    both = ("numpy-a", "numpy-b")
    place.arguments.rounds = None
    return place._replace(prepared=prepared._replace(
        pythons=dict.fromkeys(both, sys.executable), probes=dict.fromkeys(both, prepared.probes["numpy-a"]),
        devices=dict.fromkeys(both, "cpu"), proofs={(name, "mnist_mlp"): "0" * 16 for name in both},
    ))  # fmt: skip


def test_two_names_of_every_environment_take_turns_in_the_same_rounds(two, monkeypatch, tmp_path):
    stand_in = Measured(monkeypatch, reply=apart({"numpy-a": UNSTEADY, "numpy-b": STEADY}))
    spread.measure(two)
    assert stand_in.together == [["numpy-a-a", "numpy-a-b", "numpy-b-a", "numpy-b-b"]] * spread.ROUNDS
    (lines,) = measured(tmp_path, "spread")
    assert spread.spreads(lines) == pytest.approx(
        {"numpy-b": np.std(np.log(STEADY), ddof=1), "numpy-a": np.std(np.log(UNSTEADY), ddof=1)}
    )
    assert list(spread.spreads(lines)) == ["numpy-b", "numpy-a"]


def test_the_environment_whose_names_differ_least_stands_for_all_in_the_controls_of_twins(two, monkeypatch):
    assert spread.steadiest_case(two).environment == "numpy-a"  # nothing was measured yet: the first
    Measured(monkeypatch, reply=apart({"numpy-a": UNSTEADY, "numpy-b": STEADY}))
    spread.measure(two)
    assert spread.steadiest_case(two).environment == "numpy-b"
    two.arguments.environment = ["numpy-a"]  # it was not asked for
    assert spread.steadiest_case(two).environment == "numpy-a"


def test_an_environment_of_which_a_run_failed_is_not_the_steadiest(two, monkeypatch):
    Measured(monkeypatch, reply=apart({"numpy-a": UNSTEADY, "numpy-b": [*STEADY[:-1], None]}))
    spread.measure(two)
    assert spread.steadiest_case(two).environment == "numpy-a"


def test_planted_slow_downs_look_for_the_steadiest_environment_first_and_once(two, monkeypatch, tmp_path):
    asked = Measured(monkeypatch).asked
    two.arguments.rounds = 2
    before = planted.expected_s(two)
    planted.measure(two)
    twice = 2 * len(planted.plans())
    assert len(asked) == 2 * 4 + twice
    assert before - planted.expected_s(two) == pytest.approx(2 * 4 * controls.RUN_S)
    planted.measure(two)
    assert len(asked) == 2 * 4 + 2 * twice
    assert len(measured(tmp_path, "planted")) == 2


def test_a_spread_of_before_competitors_took_turns_tells_nobody_s_steadiness(two):
    campaign = two.begin("spread", [])
    for number in range(1, 6):
        about = {"environment": "numpy-b", "mode": "plain", "workload": "mnist_mlp", "run": str(number)}
        campaign.write(controls.record("spread", about, {"step_s": [0.1]}, controls.DONE, campaigns.now()))
    campaign.write({"kind": "end", "ended": campaigns.now(), "rounds": 0, "reason": "every question was asked"})
    assert spread.newest(two) == []
    assert spread.steadiest_case(two).environment == "numpy-a"


def test_what_names_need_of_the_memory_is_known_from_what_they_stand_for(two, monkeypatch):
    case = controls.first_case(two, "mnist_mlp", "numpy-a")
    monkeypatch.setattr(campaigns, "earlier", lambda *_: campaigns.Known({}, {case.id: 10**9}))
    setting = two.twins(spread.profiles.CONTROL, {"one": case, "other": case._replace(environment="numpy-b")})
    assert setting.known.memory_bytes == {case._replace(environment="one").id: 10**9}


def test_an_environment_that_answers_neither_end_is_asked_for_what_it_answers(place):
    assert overhead.extremes(place, "numpy-a") == ["mnist_mlp"]
    known = registry.workload_names()
    proofs = {("one", "cifar10_cnn"): "", ("one", "mnist_mlp"): "", ("one", "vgg19"): "",
              **{("all", name): "" for name in known}}  # fmt: skip
    wide = place._replace(prepared=place.prepared._replace(proofs=proofs))
    assert overhead.extremes(wide, "one") == ["mnist_mlp", "cifar10_cnn"]
    assert overhead.extremes(wide, "all") == [controls.LIGHT, controls.HEAVY]
    assert overhead.extremes(wide, "none") == []


@pytest.mark.parametrize("content", ["", "[[1, 2", "null"])
def test_what_is_finished_cannot_be_read_and_nothing_is_taken_for_finished(content, place, monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "STATE", str(tmp_path))
    (tmp_path / "controls-finished.json").write_text(content)
    stand_in = Measured(monkeypatch)
    controls.measure_all(place, ["order"], None)
    assert len(stand_in.asked) == 8
    assert not (tmp_path / "controls-finished.json").exists()


def test_what_is_kept_is_whole_or_as_it_was(tmp_path):
    path = str(tmp_path / "new" / "kept.json")
    controls.keep(path, {"a": 1})
    with pytest.raises(TypeError):
        controls.keep(path, {"a": object()})
    assert controls.kept(path) == {"a": 1}


def test_the_help_tells_every_control_and_its_time(bench):
    done = bench("controls", "--help")
    for name in controls.names():
        assert f"\n  {name} " in done.stdout, name


def test_controls_are_found_by_their_files_and_each_is_judged_by_one():
    from analysis import controls as judging

    assert {module.MEASURED for module in judging.found().values()} == set(controls.names())
    assert len({controls.module(name).ORDER for name in controls.names()}) == len(controls.names())
