"""One bench whose every case meets a fault of its own: each is a line with its reason, and the rest goes on."""

import pytest
from faulty import FaultyBench

pytestmark = pytest.mark.fault

NAMES = ("faulty-a", "faulty-b", "faulty-gone", "faulty-import")
TIMEOUT = "20s"  # the case that hangs takes all of it


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """The bench, after it has measured every case."""
    bench = FaultyBench(tmp_path_factory.mktemp("workers"), NAMES)
    bench.done = bench("run", "--profile", "smoke", "--budget", "1h", "--timeout", TIMEOUT, "--workload", "mnist_mlp")
    return bench


@pytest.fixture(scope="module")
def found(faulty):
    """{mode, or environment where it is not the first: its run}"""
    runs = faulty.runs()
    names = [run["case"]["mode" if run["case"]["environment"] == "faulty-a" else "environment"] for run in runs]
    assert len(set(names)) == len(names)
    return dict(zip(names, runs, strict=True))


def test_every_case_has_one_line_and_the_campaign_its_end(faulty, found):
    (lines,) = faulty.lines()
    assert len(found) == len(lines[0]["cases"])
    assert [line["kind"] for line in lines].count("end") == 1
    assert all(run["reason"] for run in found.values() if run["status"] != "ok")


def test_nothing_runs_on_and_no_file_is_left(faulty, found):
    assert found["zombies"]["status"] == found["plain"]["status"] == "ok"
    assert faulty.left_behind() == []
    assert list((faulty.folder / "state" / "calls").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "status", "reason"),
    [
        ("plain", "ok", None),
        ("faulty-b", "ok", None),
        ("garbage", "ok", None),
        ("zombies", "ok", None),
        ("hang", "timeout", "no result within 20 s, and ended"),
        ("segfault", "killed", "the process was ended by SIGSEGV"),
        ("killed", "killed", "SIGKILL; the kernel ends processes so when memory runs out"),
        ("real-time-signal", "killed", "the process was ended by signal"),
        ("garbage-and-crash", "failed", "the process ended with exit code 77 and no result"),
        ("memory", "out_of_memory", "Unable to allocate"),
        ("nan", "failed", "the loss is not finite"),
        ("device-lost", "failed", "RuntimeError: CUDA error: GPU is lost"),
        ("strange-error", "failed", "ValueError: [31m"),
        ("broken-build", "unproven", "no kernel image is available"),
        ("broken-step", "unproven", "the compiler failed at the first step"),
        ("faulty-gone", "failed", "sees no gpu here, only: cpu; it saw one when it was probed"),
        ("faulty-import", "failed", "libfaulty.so.1: cannot open shared object file"),
    ],
)
def test_each_fault_is_a_status_and_a_reason(found, name, status, reason):
    assert found[name]["status"] == status
    assert reason is None or reason in found[name]["reason"]


def test_the_table_of_a_campaign_with_every_fault_can_be_printed(faulty):
    assert "GPU is lost" in faulty.done.stdout
