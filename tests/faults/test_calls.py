"""A call of a worker always returns a status, and leaves no process and no file behind."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc

import numpy as np
import psutil
import pytest
from faulty import until

from bench.driver import orphans, processes

REPLY = "reply = json.load(open(sys.argv[3]))['reply']\n"
OK = """
json.dump({"status": "ok", "reason": None, "error_tail": None}, open(reply + ".partial", "w"))
os.replace(reply + ".partial", reply)
"""
# Three children that ignore polite signals. Each writes a file when it runs. One has its own session, one no mark.
CHILDREN = """
def child(name, **options):
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); open(%r, 'w'); time.sleep(3600)"
    subprocess.Popen([sys.executable, "-S", "-c", code % os.path.join(folder, name)], **options)
child("near")
child("far", start_new_session=True)
child("unmarked", env={})
while not all(os.path.exists(os.path.join(folder, name)) for name in ("near", "far", "unmarked")):
    time.sleep(0.01)
"""


def processes_of(folder):
    """Return every process that names the folder on its command line."""
    processes = psutil.process_iter(["cmdline"])  # a machine need not have ps
    return [words for process in processes if str(folder) in (words := " ".join(process.info["cmdline"] or []))]


def test_a_worker_that_hangs_is_ended_with_all_its_children(call):
    hangs = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nopen(os.path.join(folder, 'hangs'), 'w')\ntime.sleep(3600)"
    reply = call(CHILDREN + hangs, timeout_s=8.0)
    assert (reply.status, reply.reason) == ("timeout", "no result within 8 s, and ended")
    assert (call.folder / "hangs").exists()
    assert reply.duration_s < 8.0 + orphans.END_S
    assert processes_of(call.folder) == []


def test_orphans_of_a_worker_are_ended_and_its_reply_counts(call):
    assert call(CHILDREN + "os.fork() or os._exit(0)\n" + REPLY + OK).status == "ok"
    assert processes_of(call.folder) == []


@pytest.mark.parametrize(
    ("end", "status", "reason"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "killed", "the process was ended by SIGSEGV"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "killed", "SIGKILL; the kernel ends processes so when memory"),
        ("os.kill(os.getpid(), signal.SIGRTMIN + 1)", "killed", f"ended by signal {signal.SIGRTMIN + 1}"),
        ("os._exit(3)", "failed", "the process ended with exit code 3 and no result"),
    ],
)
def test_the_reason_says_how_a_worker_died(call, end, status, reason):
    reply = call(end)
    assert reply.status == status
    assert reason in reply.reason
    assert os.listdir(orphans.CALLS) == []


def test_megabytes_of_garbage_are_not_a_reply_and_their_end_is_kept_as_text(call):
    reply = call("os.write(1, bytes(range(256)) * 32768)\nos.write(2, b'the end \\xff\\x1b[31m')")
    assert (reply.status, reply.reason) == ("failed", "the process ended with exit code 0 and no result")
    assert reply.error_tail.endswith("the end \ufffd[31m")
    assert len(reply.error_tail) <= 1500


def test_a_line_that_never_ends_takes_no_memory_and_the_call_ends_in_time(call):
    tracemalloc.start()
    reply = call("zeros = bytes(1 << 20)\nwhile True:\n    os.write(1, zeros)", timeout_s=2.0)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (reply.status, reply.reason) == ("timeout", "no result within 2 s, and ended")
    assert peak_bytes < 1 << 20


def test_a_missing_interpreter_is_a_reason(call):
    reply = call("", python="/nowhere/python")
    assert reply.status == "failed"
    assert reply.reason == "the interpreter could not be started: No such file or directory"


def test_a_worker_that_is_killed_at_a_random_moment_is_a_status_and_leaves_nothing(call):
    """One worker in ten may answer before the kill. How many of the others do depends on the machine."""
    random, answered = np.random.RandomState(0), call.folder / "answered"

    def kill_after(seconds, over, moment):
        until(lambda: moment() or over.is_set())  # a worker may have begun and ended between two looks
        time.sleep(seconds)
        for number in call.left_behind():
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)

    statuses = []
    for number in range(40):
        answered.unlink(missing_ok=True)
        moment, over = call.left_behind if number % 10 else answered.exists, threading.Event()
        killer = threading.Thread(target=kill_after, args=[random.uniform(0, 0.1), over, moment])
        killer.start()
        answers = f"open({str(answered)!r}, 'w')\ntime.sleep(0.05)"
        statuses.append(call(REPLY + "time.sleep(0.05)" + OK + answers).status)
        over.set()
        killer.join()
        assert os.listdir(orphans.CALLS) == []
    assert set(statuses) == {"ok", "killed"}


def test_an_interrupt_while_a_worker_is_being_started_leaves_nothing(call, monkeypatch):
    start = subprocess.Popen

    def interrupted(*words, **options):
        process = start(*words, **options)
        until(call.left_behind)
        interrupted.process = process
        raise KeyboardInterrupt

    monkeypatch.setattr(processes.subprocess, "Popen", interrupted)
    with pytest.raises(KeyboardInterrupt):
        call("time.sleep(60)")
    assert call.left_behind() == []
    with interrupted.process:  # only this process has its pipes
        assert interrupted.process.wait(60) == -signal.SIGKILL
    assert os.listdir(orphans.CALLS) == []


@pytest.mark.parametrize("is_reaped", [True, False])
def test_the_next_bench_ends_the_orphans_of_a_killed_bench_and_no_other_process(call, is_reaped):
    """A killed bench cannot end its workers. The folders of its calls remain, and identify their processes.

    If nobody waits for it, as in a container, it remains a zombie.
    """
    gone = subprocess.Popen(["true"])
    os.waitid(os.P_PID, gone.pid, os.WEXITED | os.WNOWAIT)
    if is_reaped:
        gone.wait()
    left = {}
    for owner in (gone.pid, os.getpid()):  # a dead bench, and a live one
        folder = os.path.join(orphans.CALLS, f"{owner}-call")
        os.makedirs(folder)
        environment = dict(os.environ, **{orphans.MARK: folder})
        left[owner] = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(3600)"],
                                       env=environment, start_new_session=True)  # fmt: skip
    until(lambda: len(call.left_behind()) == 2)
    orphans.clear()
    assert left[gone.pid].wait(60) == -signal.SIGKILL
    assert left[os.getpid()].poll() is None
    assert os.listdir(orphans.CALLS) == [f"{os.getpid()}-call"]
    gone.wait()
    orphans.clear(os.getpid())  # as an interrupted bench does
    assert left[os.getpid()].wait(60) == -signal.SIGKILL
    assert os.listdir(orphans.CALLS) == []
