"""A run is watched by a process that costs little, leaves nothing behind, and whose rules say what they found."""

import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import get_args

import pytest
from gpus import gpu_sample

from bench import registry
from bench.driver import telemetry
from bench.results import lines, schema, void_rules


def wait_until(is_so, seconds=30.0):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_watch_samples_a_run_of_its_own_time_and_costs_little():
    with telemetry.Watch(1) as watch:
        wait_until(lambda: os.path.getsize(watch.path) > 1000)  # earlier samples
        watch.begin()
        time.sleep(2.0)
        (found,) = watch.end([None])
    assert 1 <= found["samples"] <= 15
    assert found["cpu"]["free_memory_lowest_bytes"] > 0
    assert 0 < found["sampler_share"] < 0.05
    assert schema.problems({"kind": "run", "machine_state": found}) == schema.problems({"kind": "run"})
    assert watch.process.returncode == 0
    assert not os.path.exists(watch.path)


def test_what_comes_after_the_timed_part_is_none_of_it(monkeypatch):
    readings = iter([telemetry.Reading(0.0, 0.0, 0.0), telemetry.Reading(10.0, 8.0, 3.0)])  # at, busy, own seconds
    with telemetry.Watch(1) as watch:
        monkeypatch.setattr(telemetry, "Reading", lambda *_: next(readings))
        monkeypatch.setattr(telemetry, "_used_s", lambda alive: len(alive) * 2.0)
        watch.begin()
        watch.over([1, 2])
        (found,) = watch.end([None])  # which reads no further
    assert (found["cpu"]["utilisation"], found["cpu"]["others_share"]) == pytest.approx((0.8, 0.1))


def test_a_gpu_is_told_of_by_what_it_did_in_a_run_s_own_metered_seconds(monkeypatch):
    with telemetry.Watch(1) as watch:
        watch.begin()
        at = watch.begun.at_s
        powers = [(0.01, 90.0), (0.02, 500.0), (0.03, 510.0), (0.04, 700.0)]  # import, two blocks, late steps
        lines = [gpu_sample(at + after, power_w=power) for after, power in powers]
        monkeypatch.setattr(watch, "_lines", lambda: lines)
        time.sleep(0.1)
        first, second = watch.end([[at + 0.015, at + 0.035], [at + 0.036, at + 0.05]])
    assert (first["gpu"]["power_mean_w"], first["gpu"]["power_highest_w"]) == (505.0, 510.0)
    assert second["gpu"]["power_mean_w"] == 700.0


BURNS = "import sys, time; [0 for _ in iter(lambda: time.process_time() < 0.5, False)]; open(sys.argv[1], 'w')"
LEAVES = (
    f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {BURNS!r}, sys.argv[1]], start_new_session=True)"
)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody is told of what outlives its parent")
def test_what_a_run_leaves_behind_is_its_own(tmp_path):
    end = tmp_path / "end"
    with telemetry.Watch(1) as watch:
        before = watch.begun.own_s
        subprocess.run([sys.executable, "-c", LEAVES, str(end)], check=True)
        wait_until(end.exists)
        wait_until(lambda: watch.read().own_s - before > 0.5)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody is told of what outlives its parent")
def test_looking_for_quiet_cores_is_nobody_else_s_doing():
    with telemetry.Watch(1) as watch:
        before, begin = watch.begun.own_s, time.process_time()
        while time.process_time() - begin < 0.3:
            watch.canary.slowdown(watch.cores)
        assert watch.read().own_s - before >= 0.3


def test_a_sampler_that_dies_costs_its_samples_and_not_the_run():
    with telemetry.Watch(1) as watch:
        watch.process.kill()
        watch.process.wait()
        watch.begin()
        (found,) = watch.end([None])
    assert found is None or (found["samples"], found["sampler_share"], found["gpu"]) == (0, None, None)


def test_where_nothing_can_be_sampled_a_run_has_no_state(fake, tmp_path, monkeypatch):
    for name in ("psutil", "pynvml"):
        (tmp_path / f"{name}.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    fake(psutil=None)
    with telemetry.Watch(1) as watch:
        watch.begin()
        assert watch.end([None]) == [None]
    assert watch.about == (
        "processor and memory not sampled: psutil is not installed; no GPU sampled: nvidia-ml-py is not installed"
    )


KEEPS = """
import time
from bench.driver import telemetry

watch = telemetry.Watch(1)
print(watch.process.pid, watch.path, flush=True)
time.sleep(600)
"""


def test_the_sampler_ends_and_leaves_nothing_when_the_bench_is_killed():
    bench = subprocess.Popen([sys.executable, "-c", KEEPS], cwd=registry.ROOT, stdout=subprocess.PIPE, text=True)
    pid, path = bench.stdout.readline().split()
    bench.send_signal(signal.SIGKILL)
    bench.wait()
    bench.stdout.close()
    wait_until(lambda: not os.path.exists(path))
    wait_until(lambda: not is_alive(int(pid)))


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().split()[2] != "Z"  # an orphan may wait for the process that adopted it
    except FileNotFoundError:
        return False


QUIET = {
    "samples": 50, "sampler_share": 0.002,
    "cpu": {"utilisation": 0.9, "others_share": 0.02, "frequency_mean_mhz": 3000.0, "frequency_lowest_mhz": 2900.0,
            "load_highest": 2.0, "swap_highest_bytes": 0, "swap_growth_bytes": 0, "free_memory_lowest_bytes": 2**33},
    "gpu": None,
}  # fmt: skip


def run(device="cpu", status="ok", **changes):
    gpu = telemetry.sum_up_gpu([gpu_sample(0.0)], [gpu_sample(0.0)]) if device == "gpu" else None
    kinds = {"cpu": (lines.CpuState, QUIET["cpu"]), "gpu": (lines.GpuState, gpu)}
    parts = {part: state and kind(**{name: changes.get(name, value) for name, value in state.items()})
             for part, (kind, state) in kinds.items()}  # fmt: skip
    state = lines.MachineState(**{**QUIET, **parts})
    return SimpleNamespace(case=SimpleNamespace(device=device), status=status, machine_state=state)


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_a_quiet_machine_breaks_no_rule(device):
    assert void_rules.broken(run(device)) is None


@pytest.mark.parametrize(
    ("device", "rule", "below", "above", "says"),
    [
        ("cpu", "other_processes", {"others_share": 0.1}, {"others_share": 0.23}, "used 23 % of the run's cores"),
        ("cpu", "swap", {"swap_growth_bytes": 2**26}, {"swap_growth_bytes": 2**27}, "swap use grew by 128 MiB"),
        ("gpu", "sm_clock", {"sm_clock_mean_mhz": 1500}, {"sm_clock_mean_mhz": 1188}, "60 % of its default"),
        ("gpu", "other_processes", {"others_share": 0.1}, {"others_share": 0.5}, "used 50 % of the run's cores"),
        ("gpu", "gpu_processes", {"processes_most": 1}, {"processes_most": 2}, "2 processes computed on the GPU"),
    ],
)
def test_each_rule_has_its_limit_and_says_what_it_found(device, rule, below, above, says):
    assert void_rules.broken(run(device, **below)) is None
    name, reason = void_rules.broken(run(device, **above))
    assert name == rule
    assert says in reason


def test_a_device_whose_power_is_capped_is_no_disturbed_one():
    slow = {"sm_clock_mean_mhz": 1188}
    assert void_rules.broken(run("gpu", throttle_reasons=["hardware thermal slowdown"], **slow))
    assert void_rules.broken(run("gpu", throttle_reasons=["power cap"], **slow)) is None


def test_what_is_not_known_or_has_no_time_breaks_no_rule():
    unknown = dict.fromkeys((*QUIET["cpu"], "sm_clock_mean_mhz", "sm_clock_default_mhz", "processes_most"))
    assert void_rules.broken(run("gpu", **unknown)) is None
    assert void_rules.broken(run("cpu", **unknown)) is None
    assert void_rules.broken(SimpleNamespace(**{**vars(run()), "machine_state": None})) is None
    assert void_rules.broken(run(status="failed", others_share=0.9)) is None


def test_the_schema_knows_the_rules_that_there_are():
    assert list(get_args(schema.fields(lines.Void)["rule"])) == [rule.name for rule in void_rules.RULES]
