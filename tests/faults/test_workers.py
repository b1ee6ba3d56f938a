"""Each case of a bench meets another fault: each is recorded with its reason, and the other cases are measured."""

import pytest
from faulty import FaultyBench
from running import ROOT

from bench.results import records
from bench.results.lines import End

NAMES = ("faulty-a", "faulty-b", "faulty-gone", "faulty-import")
TIMEOUT = "20s"  # the case that hangs takes all of it
FAULTS = {  # mode, or environment where it is not the first: status, and words of the reason
    "plain": ("ok", ""),
    "faulty-b": ("ok", ""),
    "garbage": ("ok", ""),
    "zombies": ("ok", ""),
    "hang": ("timeout", "no result within 20 s, and ended"),
    "segfault": ("killed", "the process was ended by SIGSEGV"),
    "killed": ("killed", "SIGKILL; the kernel ends processes so when memory runs out"),
    "real-time-signal": ("killed", "the process was ended by signal"),
    "garbage-and-crash": ("failed", "the process ended with exit code 77 and no result"),
    "idle": ("implausible", "training left the loss at exactly 2.3"),
    "unsupported": ("unsupported", "this mode is never supported"),
    "memory": ("out_of_memory", "Unable to allocate"),
    "nan": ("failed", "the loss is not finite"),
    "device-lost": ("failed", "RuntimeError: CUDA error: GPU is lost"),
    "strange-error": ("failed", "ValueError: [31m"),
    "broken-build": ("unproven", "no kernel image is available"),
    "broken-step": ("unproven", "the compiler failed at the first step"),
    "faulty-gone": ("failed", "sees no gpu here, only: cpu; it saw one when it was probed"),
    "faulty-import": ("failed", "libfaulty.so.1: cannot open shared object file"),
}


@pytest.mark.fault
def test_each_fault_is_a_status_with_a_reason_and_the_other_cases_are_measured(tmp_path, subtests):
    faulty = FaultyBench(tmp_path, NAMES)
    done = faulty("run", "--profile", "smoke", "--budget", "1h", "--timeout", TIMEOUT, "--workload", "mnist_mlp")
    (lines,) = faulty.lines()
    runs = faulty.runs()
    names = [run.case.mode if run.case.environment == "faulty-a" else run.case.environment for run in runs]
    run_of = dict(zip(names, runs, strict=True))
    for name, (status, reason) in FAULTS.items():
        with subtests.test(name):
            assert run_of[name].status == status
            assert reason in (run_of[name].reason or "")
            assert str(ROOT) not in str(run_of[name].error_tail)
    with subtests.test("every case has one line, and the campaign its end"):
        assert set(run_of) == set(FAULTS)
        assert len(runs) == len(lines[0].cases) == len(FAULTS)
        assert len(records.of_class(lines, End)) == 1
    with subtests.test("what was measured is not lost, and a fault costs nobody else a turn"):
        assert run_of["idle"].block_s
        assert len(run_of["plain"].block_s) == 3
    with subtests.test("nothing runs on, and no file is left"):
        assert faulty.left_behind() == []
        assert list((tmp_path / "state" / "calls").iterdir()) == []
    with subtests.test("the table of them can be printed"):
        assert "GPU is lost" in done.stdout
