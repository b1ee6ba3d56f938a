"""Kills and interrupts at random moments: no recorded run is lost or doubled, and the same command resumes.

The commit is the seed, so that each commit has other moments. To repeat a failure: `FAULT_SEED=N nox -s faults`.
"""

import contextlib
import os
import signal
import subprocess
import threading
import time

import numpy as np
import pytest
from faulty import ALIVE, PLAIN, RUNS, FaultyBench, key, until, wait_for
from running import ROOT

from bench.results import records
from bench.results.lines import End, Run

pytestmark = pytest.mark.fault

PARENT_KILLS, NIGHTLY_PARENT_KILLS, TERMINATIONS, INTERRUPTS = 20, 25, 3, 4
WORKER_KILLS = 10
PARTS = range(1, 5)  # of the kills at night


def seeded(part=0):
    """Return random numbers for a part of the kills: from FAULT_SEED, the commit, or zero without Git."""
    words = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    try:
        commit = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        commit = "0"
    seed = int(os.environ.get("FAULT_SEED") or int(commit[:7], 16))
    print(f"FAULT_SEED={seed}")
    return np.random.RandomState([seed, part])


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """A bench with parity proofs, whose attribute `usual_s` is the duration of a whole campaign."""
    bench = FaultyBench(tmp_path_factory.mktemp("kills"))
    bench("run", *PLAIN)
    begin = time.monotonic()
    bench("run", *PLAIN)
    bench.usual_s = time.monotonic() - begin
    return bench


def ended_after(process, seconds, signal_, others):
    """Send a signal to a bench after some seconds, unless it has ended by itself; return its exit code.

    It goes first to the processes that `others` returns.
    """
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=seconds)
    for number in others():
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal_)
    process.send_signal(signal_)
    process.communicate(timeout=60)
    return process.returncode


def check_that_nothing_was_lost_or_doubled(before, after):
    """Check that each earlier campaign is the beginning of the same campaign now, and that no run occurs twice."""
    assert len(before) <= len(after) <= len(before) + 1
    for earlier, later in zip(before, after, strict=False):
        assert later[: len(earlier)] == earlier
    for lines in after:
        keys = [key(run) for run in records.of_class(lines, Run)]
        assert len(set(keys)) == len(keys)


def check_that_all_were_finished(faulty):
    for lines in faulty.lines():
        assert records.of_class(lines, End) == lines[-1:]
        assert len(records.of_class(lines, Run)) == RUNS


def end_at_random_moments(faulty, signal_, times, random, allowed):
    """End as many benches by a signal, one after the other. Each resumes the campaign of the previous bench."""
    started, recorded = faulty.started(), len(faulty.runs())
    is_interrupt, codes = signal_ in (signal.SIGINT, signal.SIGTERM), []
    others = faulty.left_behind if signal_ == signal.SIGTERM else list  # Slurm ends all processes of a job
    while times > len(codes) - codes.count(0):  # with 0, it ended before the signal
        assert len(codes) < 3 * times, "hardly any bench is ended"
        before = faulty.lines()
        process = faulty.start(*PLAIN)
        if is_interrupt:
            wait_for("faulty-a", process)  # it is ready: earlier, Python itself handles an interrupt
        seconds = random.uniform(0, faulty.usual_s / (3 if is_interrupt else 1))
        codes.append(ended_after(process, seconds, signal_, others))
        if is_interrupt:
            check_that_nothing_is_left(faulty)
        check_that_nothing_was_lost_or_doubled(before, [lines for lines in faulty.lines() if lines])
    assert set(codes) <= {0, *allowed}
    faulty("run", *PLAIN)
    check_that_all_were_finished(faulty)
    assert all(run.status == "ok" for run in faulty.runs())
    assert faulty.started() - started <= len(faulty.runs()) - recorded + ALIVE * times
    check_that_nothing_is_left(faulty)


def check_that_nothing_is_left(faulty):
    assert faulty.left_behind() == []
    assert os.listdir(faulty.folder / "state" / "calls") == []


def test_twenty_kills_at_random_moments_lose_and_double_no_run(faulty):
    end_at_random_moments(faulty, signal.SIGKILL, PARENT_KILLS, seeded(), [-signal.SIGKILL])


@pytest.mark.nightly
@pytest.mark.parametrize("part", PARTS)
def test_a_hundred_kills_in_four_parts_lose_and_double_no_run(faulty, part):
    end_at_random_moments(faulty, signal.SIGKILL, NIGHTLY_PARENT_KILLS, seeded(part), [-signal.SIGKILL])


def test_a_bench_that_a_batch_system_terminates_ends_with_143_leaves_no_process_and_resumes(faulty):
    end_at_random_moments(faulty, signal.SIGTERM, TERMINATIONS, seeded(), [143])


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_with_130_leaves_no_process_and_the_same_command_resumes(faulty):
    allowed = [130, -signal.SIGINT]  # a shell calls both 130; the latter when CPython was within an exec()
    end_at_random_moments(faulty, signal.SIGINT, INTERRUPTS, seeded(), allowed)


def kill_workers(process, faulty, random):
    """Kill each worker of a bench with a probability of 0.4, probes included, until the bench ends."""
    spared = set()
    while process.poll() is None:
        for number in set(faulty.left_behind()) - spared:
            spared.add(number)
            if random.uniform() < 0.4:
                time.sleep(random.uniform(0, faulty.usual_s / 8))
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
        time.sleep(0.02)


@pytest.mark.parametrize("part", [pytest.param(part, marks=[pytest.mark.nightly] * (part > 0)) for part in range(4)])
def test_ten_killed_workers_are_recorded_and_each_bench_ends_normally(faulty, part):
    random = seeded(part)
    statuses = []
    while statuses.count("killed") < WORKER_KILLS:
        assert len(statuses) < 10 * WORKER_KILLS, "hardly any worker is killed"
        process = faulty.start(*PLAIN, "--fresh")
        reader = threading.Thread(target=process.communicate)
        reader.start()
        kill_workers(process, faulty, random)
        reader.join()
        assert process.returncode == 0
        lines = faulty.lines()[-1]
        runs = records.of_class(lines, Run)
        assert isinstance(lines[-1], End)
        assert len({key(run) for run in runs}) == len(runs)
        assert {run.case for run in runs} == set(lines[0].cases)
        assert all("SIGKILL" in run.reason for run in runs if run.status == "killed")
        statuses += [run.status for run in runs]
    assert set(statuses) == {"ok", "killed"}
    assert faulty.left_behind() == []


def test_orphans_of_a_killed_bench_are_gone_when_the_next_begins(faulty):
    """A child that left the worker's session, as data loaders may, survives the kill but not the next bench."""
    process = faulty.start("--profile", "smoke", "--mode", "hang", "--workload", "mnist_mlp", "--environment",
                           "faulty-a", "--fresh", "--no-table")  # fmt: skip
    until(lambda: len(faulty.children()) == 2)  # of the worker that hangs
    children = set(faulty.children())
    process.kill()
    process.communicate()
    until(lambda: set(faulty.left_behind()) == children)  # the worker itself ends with its bench
    faulty("run", *PLAIN, "--fresh")
    assert faulty.left_behind() == []
