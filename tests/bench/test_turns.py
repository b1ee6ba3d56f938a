"""Competitors that are alive at once take turns, for real: fresh processes of a framework that needs only NumPy."""

import contextlib
import mmap
import os
import signal
import subprocess
import sys
import threading
import time
import types

import pytest
from competitors import plain, runs

from bench import ablations, machine
from bench.campaign import estimates, turns
from bench.driver import processes
from bench.profiles import PROFILES
from bench.replies import Reply
from bench.results import records, void_rules

TWO_CASES = ("--workload", "mnist_mlp", "--mode", "plain", "--environment", "numpy-a", "--environment", "numpy-b")


def test_the_lower_decile_lies_between_two_numbers_by_their_distance():
    assert records.lower_decile([4.0, 1.0, 2.0, 3.0, 5.0]) == pytest.approx(1.4)
    assert records.lower_decile([1.0, 3.0]) == pytest.approx(1.2)


@pytest.fixture
def setting(plan, monkeypatch, tmp_path):
    """What runs are made with of which none starts: each worker is ready at once, and logs its orders."""
    log = []

    class Worker:
        def __init__(self, python, environment, request, cache):
            self.name, self.is_first, self.held_s = environment.name, request.work.is_first, 0.0
            self.numbers = []  # of no process: a real one's would be looked at in earnest
            log.append(("beside" if request.work.is_beside else "start", self.name, self.is_first))

        def heard(self, _):
            return True

        def has_news(self, _):
            return True

        def say(self, word):
            log.append((word, self.name))

        def has_ended(self):
            return False

        resident_bytes = staticmethod(lambda: machine.resident_bytes(0))

        def move(self, cores):
            log.append(("move", cores))

        def let_end(self):
            log.append(("late", self.name))

        def finish(self, _):
            log.append(("end", self.name))
            return Reply("failed", "planted", None, 1.0)

        def close(self):
            pass

    monkeypatch.setattr(turns, "Worker", Worker)
    monkeypatch.setattr(turns, "CACHE", str(tmp_path))
    monkeypatch.setattr(machine, "resident_bytes", lambda _: (0, 0))
    made = plan(pythons=dict.fromkeys(["numpy-a", "numpy-b"], "python"), threads=1)
    return made._replace(profile=made.profile._replace(least_turns=4, most_turns=4)), log


def measured(setting, cases, seen=(), round_=1):
    return turns.measure(cases, turns.Turn(round_, 0, set(seen)), setting)


def watched(setting, quiet, over=print):
    """Return a setting whose canary answers as `quiet` does when it is asked for quiet cores."""
    canary = types.SimpleNamespace(quiet=quiet)
    watch = types.SimpleNamespace(begin=print, over=over, end=lambda runs, _: [None] * len(runs), canary=canary)
    return setting._replace(watch=watch)


def test_all_start_before_the_first_turn_and_end_after_the_last(setting, frameworks):
    made, log = setting
    assert len(measured(made, plain("numpy-a", "numpy-b", frameworks=frameworks))) == 2
    words = [each[0] for each in log if each[0] not in ("move", "late")]
    assert words == ["start"] * 2 + [b""] * 2 + [b""] * 2 * 4 + ["end"] * 2
    asked = [name for word, name, *_ in log if word == b""][2:]
    turns_made = [tuple(asked[place : place + 2]) for place in range(0, len(asked), 2)]
    assert set(turns_made) == {("numpy-a", "numpy-b"), ("numpy-b", "numpy-a")}, "the order changes"


@pytest.mark.parametrize(
    ("cores", "words"), [(1, ["late", "end"] * 3), (2, ["late", "late", "end", "end", "late", "end"])]
)
def test_late_steps_are_made_at_the_same_time_on_cores_of_their_own_and_paid_once(
    setting, frameworks, monkeypatch, cores, words
):
    made, log = setting
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    cases = plain("numpy-a", "numpy-b", frameworks=frameworks)
    lines = measured(made, [*cases, cases[0]])
    assert [each[0] for each in log if each[0] in ("late", "end")] == words
    assert [each[1] for each in log if each[0] == "move"] == [[place % cores] for place in range(3)]
    assert [line.duration_s for line in lines] == [1.0 / cores] * 3


def test_one_that_was_killed_asleep_in_the_last_turn_is_killed_and_not_at_its_end(setting, frameworks, monkeypatch):
    made, _ = setting
    killed = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])

    def over(_):  # as a watch, which waits for all that has ended
        with contextlib.suppress(ChildProcessError):
            os.waitpid(killed.pid, 0)

    def quiet(before, *_):
        killed.kill()
        os.waitid(os.P_PID, killed.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody knows how
        return before, 1.0, 0.0

    monkeypatch.setattr(turns.Worker, "has_ended", lambda _: killed.poll() is not None)
    made = made._replace(profile=made.profile._replace(least_turns=1, most_turns=1))
    measured(watched(made, quiet, over), plain("numpy-a", frameworks=frameworks))
    assert killed.wait() == -signal.SIGKILL


def test_blocks_are_timed_where_no_neighbour_is_and_waiting_is_part_of_what_a_run_takes(
    setting, frameworks, monkeypatch
):
    made, log = setting
    looks = iter(range(99))
    # At every second look a neighbour is on the first core, and a second goes by until the other core is quiet.
    found = lambda before, *_: ([1], 1.2, 1.0) if next(looks) % 2 else (before, 1.1, 0.0)  # noqa: E731
    monkeypatch.setattr(turns, "_line", lambda _, one, *__: one)
    one, other = measured(watched(made, found), plain("numpy-a", "numpy-b", frameworks=frameworks))
    assert sorted(one.slowdowns + other.slowdowns) == [1.1] * 4 + [1.2] * 4
    assert one.worker.held_s + other.worker.held_s == 4.0
    moves = [each[1] for each in log if each[0] == "move"][:-2]  # the last are to the cores that they end on
    assert moves == [[1]] * len(moves)
    assert 1 <= len(moves) <= 2, "who is there already is not moved again"


@pytest.mark.parametrize("profile", ["quick", "smoke"])
def test_there_is_patience_with_neighbours_for_as_long_as_blocks_took_but_in_a_smoke_test(
    profile, setting, frameworks, monkeypatch
):
    made, log = setting
    made = made._replace(profile=made.profile._replace(is_patient=PROFILES[profile].is_patient))
    patience, waits = [], iter([0.0, 1.0, 3.0, 0.0])

    def quiet(before, most_s, _):
        patience.append(most_s)
        return before, 2.0, min(most_s, next(waits))

    monkeypatch.setattr(turns.time, "monotonic", lambda: 2.0 * sum(word == (b"", "numpy-a") for word in log))
    monkeypatch.setattr(turns, "_line", lambda _, one, *__: one)
    measured(watched(made, quiet), plain("numpy-a", frameworks=frameworks))
    # Blocks take 2 s each; of 2 s one was waited, of 3 s all.
    assert patience == ([0.0, 2.0, 3.0, 2.0] if profile == "quick" else [0.0] * 4)


def test_what_memory_does_not_hold_waits_for_another_group(setting, frameworks, monkeypatch):
    made, _ = setting
    cases = plain("numpy-a", "numpy-b", frameworks=frameworks)
    made = made._replace(known=estimates.Known({}, {cases[0].id: 8 * 2**30}, {}))
    monkeypatch.setattr(machine, "free_bytes", lambda _: 9 * 2**30)
    assert [record.case.environment for record in measured(made, cases)] == ["numpy-a"]
    monkeypatch.setattr(machine, "free_bytes", lambda _: 11 * 2**30)
    assert len(measured(made, cases)) == 2
    monkeypatch.setattr(machine, "free_bytes", lambda _: None)  # where nobody tells, nothing waits
    assert len(measured(made, cases)) == 2


@pytest.mark.parametrize(("now", "alive"), [(5, 2), (4, 1)])  # GiB of 6 at most: a turn takes the rest again
def test_one_that_was_never_measured_needs_what_others_took_and_they_take_again_what_they_gave_back(
    setting, frameworks, monkeypatch, now, alive
):
    made, _ = setting
    monkeypatch.setattr(machine, "free_bytes", lambda _: 9 * 2**30)
    monkeypatch.setattr(machine, "resident_bytes", lambda _: (now * 2**30, 6 * 2**30))
    assert len(measured(made, plain("numpy-a", "numpy-b", frameworks=frameworks))) == alive


def test_the_system_tells_what_a_process_holds_and_held_at_most():
    before, _ = machine.resident_bytes(os.getpid())
    with mmap.mmap(-1, 64 * 2**20) as held:  # memory of its own, where the process has none to use again
        held.write(bytes(range(256)) * 2**18)
        now, most = machine.resident_bytes(os.getpid())
    if sys.platform == "linux":
        assert most >= now > before + 50 * 2**20
    else:
        assert (before, now, most) == (0, 0, 0)


@pytest.mark.parametrize(("round_", "cores", "free", "words"), [
    (2, 2, 9 * 2**30, ["beside"] * 2),
    (5, 2, 9 * 2**30, ["beside"] * 2),
    (4, 2, 9 * 2**30, ["start"] * 2 + [b""] * 2),  # after the fewest, a warm first step is published
    (2, 1, 9 * 2**30, ["start"] * 2 + [b""] * 2),  # they would share a core
    (2, 2, 7 * 2**30, ["start"] * 2 + [b""] * 2),  # memory may not hold both
])  # fmt: skip
def test_where_no_first_step_is_published_they_start_at_the_same_time_if_they_can(
    setting, frameworks, monkeypatch, round_, cores, free, words
):
    made, log = setting
    cases = plain("numpy-a", "numpy-b", frameworks=frameworks)
    made = made._replace(known=estimates.Known({}, {case.id: 3 * 2**30 for case in cases}, {}))
    monkeypatch.setattr(machine, "cores", lambda: cores)
    monkeypatch.setattr(machine, "free_bytes", lambda _: free)
    measured(made, cases, seen=cases, round_=round_)
    assert [each[0] for each in log][: len(words)] == words
    assert [each[0] for each in log if each[0] not in ("move", "late")][len(words) :] == [b""] * 2 * 4 + ["end"] * 2


def test_ablations_start_at_the_same_time_from_the_first_round_for_no_first_step_of_them_is_told(
    setting, frameworks, monkeypatch
):
    made, log = setting
    monkeypatch.setattr(machine, "cores", lambda: 2)
    cases = [case._replace(tier=ablations.TIER) for case in plain("numpy-a", "numpy-b", frameworks=frameworks)]
    made = made._replace(known=estimates.Known({}, dict.fromkeys([case.id for case in cases], 2**20), {}))
    for round_ in (1, made.profile.min_rounds + 1):
        measured(made, cases, round_=round_)
    assert [each[0] for each in log if each[0] in ("start", "beside")] == ["beside"] * 4


@pytest.mark.nightly
def test_who_started_beside_others_has_no_first_step(bench):
    if machine.cores() < 2:
        pytest.skip("two at a time take two cores")
    bench("run", "--profile", "quick", "--budget", "10m", "--rounds", "5", "--threads", "1", *TWO_CASES)
    by_round = {number: [run for run in runs(bench) if run.round == number] for number in range(1, 6)}
    assert all(run.status == "ok" for run in runs(bench))
    published = [number for number, own in by_round.items() if all(run.first_step_s for run in own)]
    assert published == [1, PROFILES["quick"].min_rounds + 1]
    beside = [run for number, own in by_round.items() if number not in published for run in own]
    assert {run.first_step_s for run in beside} == {None}
    assert all(run.machine_state.cpu.others_share < void_rules.OTHERS_SHARE for run in beside)


def test_late_steps_are_asked_of_the_first_run_alone(setting, frameworks):
    made, log = setting
    cases = plain("numpy-a", "numpy-b", frameworks=frameworks)
    measured(made, cases, seen=cases[:1])
    assert [each[1:] for each in log if each[0] == "start"] == [("numpy-a", False), ("numpy-b", True)]


def test_on_a_gpu_each_goes_on_alone_at_last_for_its_state_and_once_for_its_energy(setting, frameworks):
    made, log = setting
    for round_, seconds in ((1, b"1"), (made.profile.min_rounds + 1, b"10"), (made.profile.min_rounds + 2, b"1")):
        del log[:]
        cases = [case._replace(device="gpu") for case in plain("numpy-a", "numpy-b", frameworks=frameworks)]
        measured(made, cases, round_=round_)
        told = [word for word, *_ in log if isinstance(word, bytes)]
        assert told == [b""] * 2 + [b""] * 2 * 4 + [seconds] * 2


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_between_turns_leaves_nothing_running(plan, frameworks, tmp_path, monkeypatch):
    monkeypatch.setattr(turns, "CACHE", str(tmp_path))
    cases = plain("numpy-a", "numpy-b", frameworks=frameworks)
    made = plan(pythons=dict.fromkeys(["numpy-a", "numpy-b"], sys.executable))
    made = made._replace(profile=made.profile._replace(least_turns=10**6, most_turns=10**6))
    seen = []

    def interrupt():
        while len(processes._running) < 2 or not all(each.is_asleep or each.held_s for each in processes._running):
            time.sleep(0.01)
        seen.extend(each.process.pid for each in processes._running)
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        measured(made, cases)
    assert processes._running == []
    for pid in seen:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
