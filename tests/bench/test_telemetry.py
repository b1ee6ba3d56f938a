"""The machine's state: what is there is read, what is not is said, and the sampler outlives nobody."""

import json
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from bench import disturbance, registry, sampler, schema, telemetry


class NvmlError(Exception):
    pass


def nvml(**answers):
    """Return a fake `pynvml` of an idle device of 700 W; `answers` replace what its functions say, or raise."""
    found = {
        "nvmlInit": None, "nvmlSystemGetNVMLVersion": "13.1", "nvmlDeviceGetHandleByIndex": "first",
        "nvmlDeviceGetDefaultApplicationsClock": 1980, "nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=0),
        "nvmlDeviceGetClockInfo": 345, "nvmlDeviceGetPowerUsage": 75_500, "nvmlDeviceGetTemperature": 31,
        "nvmlDeviceGetCurrentClocksEventReasons": 0x1, "nvmlDeviceGetMemoryInfo": SimpleNamespace(used=2**30),
        "nvmlDeviceGetComputeRunningProcesses": [], "nvmlDeviceGetGraphicsRunningProcesses": [],
        "nvmlDeviceGetTotalEnergyConsumption": 5_000_000, **answers,
    }  # fmt: skip

    def function(answer):
        def call(*_):
            if isinstance(answer, Exception):
                raise answer
            return answer

        return call

    constants = {"NVML_CLOCK_GRAPHICS": 0, "NVML_CLOCK_SM": 1, "NVML_CLOCK_MEM": 2, "NVML_TEMPERATURE_GPU": 0}
    functions = {name: function(answer) for name, answer in found.items()}
    return SimpleNamespace(NVMLError=NvmlError, **constants, **functions)


def processes(*pids):
    return [SimpleNamespace(pid=pid) for pid in pids]


@pytest.fixture
def fake(monkeypatch):
    """Put fake modules in the place of psutil and pynvml; None stands for one that is not installed."""

    def make(**modules):
        for name, module in modules.items():
            monkeypatch.setitem(sys.modules, name, module)

    return make


def test_what_is_not_installed_or_has_no_driver_is_said_and_the_rest_goes_on(fake):
    fake(psutil=None, pynvml=None)
    assert sampler.open_cpu([0]) == (None, "processor and memory not sampled: psutil is not installed")
    assert sampler.open_gpu() == (None, "no GPU sampled: nvidia-ml-py is not installed")
    assert sampler.sample(None, None)["cpu"] is None
    fake(pynvml=nvml(nvmlInit=NvmlError("NVML Shared Library Not Found")))
    assert sampler.open_gpu() == (None, "no GPU sampled: NVML Shared Library Not Found")


def test_a_throttled_gpu_is_read_with_its_reasons_in_words(fake):
    fake(pynvml=nvml(nvmlDeviceGetUtilizationRates=SimpleNamespace(gpu=97), nvmlDeviceGetClockInfo=1100,
                     nvmlDeviceGetCurrentClocksEventReasons=0x4 | 0x40 | 0x1,
                     nvmlDeviceGetComputeRunningProcesses=processes(11, 12, 13),
                     nvmlDeviceGetGraphicsRunningProcesses=processes(13)))  # fmt: skip
    gpu, about = sampler.open_gpu()
    assert about == "GPU by NVML 13.1"
    assert gpu.read() == {
        "utilisation": 0.97, "sm_clock_mhz": 1100, "sm_clock_default_mhz": 1980, "memory_clock_mhz": 1100,
        "power_w": 75.5, "temperature_c": 31, "throttle_reasons": ["power cap", "hardware thermal slowdown"],
        "memory_bytes": 2**30, "processes": 2, "energy_j": 5000.0,
    }  # fmt: skip


def test_what_a_device_does_not_tell_is_missing_and_never_zero(fake):
    silent = {name: NvmlError("Not Supported") for name in vars(nvml()) if name.startswith("nvmlDeviceGet")}
    fake(pynvml=nvml(**dict(silent, nvmlDeviceGetHandleByIndex="first")))
    read = sampler.open_gpu()[0].read()
    assert read.pop("throttle_reasons") == []
    assert set(read.values()) == {None}


def test_where_a_driver_tells_no_default_clock_any_more_it_is_the_highest(fake):
    fake(pynvml=nvml(nvmlDeviceGetDefaultApplicationsClock=NvmlError("Deprecated"), nvmlDeviceGetMaxClockInfo=1755))
    assert sampler.open_gpu()[0].read()["sm_clock_default_mhz"] == 1755


def test_throttling_has_the_same_words_in_the_schema():
    gpu = schema.DEFINITIONS["#/$defs/machine_state"]["properties"]["gpu"]
    assert gpu["properties"]["throttle_reasons"]["items"]["enum"] == list(sampler.THROTTLES.values())


def gpu_sample(at, **changes):
    usual = {
        "utilisation": 0.9, "sm_clock_mhz": 1900, "sm_clock_default_mhz": 1980, "memory_clock_mhz": 3200,
        "power_w": 500.0, "temperature_c": 60, "throttle_reasons": [], "memory_bytes": 2**30, "processes": 1,
        "energy_j": 500.0 * at, **changes,
    }  # fmt: skip
    return {"at": at, "cost_s": 0.0, "cpu": None, "gpu": usual}


def test_the_clock_of_an_idle_gpu_says_nothing_about_a_run():
    idle = gpu_sample(0.0, utilisation=0.0, sm_clock_mhz=345, throttle_reasons=["application clocks"])
    samples = [idle, gpu_sample(0.2), gpu_sample(0.4, sm_clock_mhz=1700, throttle_reasons=["power cap"])]
    found = telemetry.sum_up_gpu(samples, samples)
    assert (found["sm_clock_mean_mhz"], found["sm_clock_lowest_mhz"]) == (1800, 1700)
    assert found["throttle_reasons"] == ["power cap"]


@pytest.mark.parametrize(
    ("first", "last", "energy"),
    [(0.0, 7.8, (None, None)), (0.0, 8.2, (4_100.0, 8.2)), (15.0, 20.0, (None, None)), (4.0, 14.0, (5_000.0, 10.0))],
)
def test_energy_is_of_the_timed_part_alone_and_told_from_eight_seconds_on(first, last, energy):
    samples = [gpu_sample(round(at * 0.2, 1)) for at in range(101)]
    found = telemetry.sum_up_gpu(samples, [each for each in samples if first <= each["at"] <= last])
    assert (found["energy_j"], found["energy_window_s"]) == pytest.approx(energy)


def test_what_is_not_timed_is_judged_by_no_rule_and_lowers_no_mean():
    loading = gpu_sample(0.0, utilisation=0.1, power_w=90.0, sm_clock_mhz=600, processes=2, memory_bytes=2**33)
    timed = [gpu_sample(1.0), gpu_sample(2.0)]
    found = telemetry.sum_up_gpu([loading, *timed], timed)
    assert (found["utilisation"], found["power_mean_w"], found["sm_clock_lowest_mhz"]) == (0.9, 500.0, 1900)
    assert (found["processes_most"], found["memory_highest_bytes"]) == (1, 2**33)


def test_a_counter_that_was_reset_tells_no_energy():
    samples = [gpu_sample(float(at), energy_j=1000.0 - at) for at in range(60)]
    assert telemetry.sum_up_gpu(samples, samples)["energy_j"] is None


def test_what_the_run_used_itself_is_not_others():
    begin, end = telemetry.Reading(10.0, 100.0, 7.0), telemetry.Reading(20.0, 116.0, 22.0)  # two cores for ten seconds
    assert telemetry.shares(begin, end, 2) == {"utilisation": 0.8, "others_share": pytest.approx(0.05)}


@pytest.mark.parametrize("busy_s", [5.0, None])
def test_counters_that_stand_still_or_are_not_there_tell_nothing(busy_s):
    found = telemetry.shares(telemetry.Reading(0.0, busy_s, 0.0), telemetry.Reading(9.0, busy_s, 3.0), 2)
    assert found == {"utilisation": None, "others_share": None}


def wait_until(is_so, seconds=30.0):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_sample_is_due_more_than_five_times_a_second_however_long_one_takes():
    due = now = 100.0
    for _ in range(60):
        now = due + 0.04  # a sample takes that long, most of it waiting
        due = sampler.following(due, 0.0003, now)
    assert 60 / (due - 100.0) == pytest.approx(1 / sampler.PERIOD_S)
    assert 5 <= 1 / sampler.PERIOD_S <= 10


def test_samples_that_cost_much_come_less_often_and_none_is_made_up_for():
    assert sampler.following(100.0, 0.01, 100.01) == pytest.approx(100.0 + 0.01 / sampler.MOST_SHARE)
    assert sampler.following(100.0, 0.0003, 107.0) == 107.0


class Psutil:
    """psutil on a system with so many cores, that counts how often all of them are read."""

    __version__ = "7"

    def __init__(self, procfs=None):
        self.read = 0
        if procfs:
            self.PROCFS_PATH = str(procfs)

    def cpu_freq(self, percpu):
        self.read += 1
        return [SimpleNamespace(current=1000.0 * core) for core in range(4)]

    def swap_memory(self):
        return SimpleNamespace(used=7)

    def virtual_memory(self):
        return SimpleNamespace(available=8)


def test_memory_and_swap_come_from_one_file_where_there_is_one(fake, tmp_path):
    fake(psutil=Psutil(tmp_path))
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:   5 kB\nSwapTotal:  4 kB\nSwapFree: 1 kB\n")
    read = sampler.open_cpu([0])[0].read()
    assert (read["swap_bytes"], read["free_memory_bytes"]) == (3 * 1024, 5 * 1024)
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\n")  # a kernel of before 2014
    read = sampler.open_cpu([0])[0].read()
    assert (read["swap_bytes"], read["free_memory_bytes"]) == (7, 8)


def test_the_frequency_is_that_of_the_run_s_cores_and_read_once_in_some_samples(fake, tmp_path, monkeypatch):
    told = Psutil()
    fake(psutil=told)
    monkeypatch.setattr(sampler, "CLOCK", str(tmp_path / "%d"))
    cpu, _ = sampler.open_cpu([1, 2])
    read = [cpu.read()["frequency_mhz"] for _ in range(2 * sampler.FREQUENCY_EVERY)]
    assert [each for each in read if each is not None] == [1500.0, 1500.0]
    assert told.read == 2
    for core in (1, 2):
        (tmp_path / str(core)).write_text(f"{2_000_000 + core * 2_000}\n")
    assert cpu.read()["frequency_mhz"] == 2003.0
    assert told.read == 2


def test_a_watch_samples_a_run_of_its_own_time_and_costs_little():
    with telemetry.Watch(1) as watch:
        wait_until(lambda: os.path.getsize(watch.path) > 1000)  # samples of before the run
        watch.begin()
        time.sleep(2.0)
        (found,) = watch.end([{}])
    assert 1 <= found["samples"] <= 15
    assert found["cpu"]["free_memory_lowest_bytes"] > 0
    assert 0 < found["sampler_share"] < 0.05
    assert schema.problems({"kind": "run", "machine_state": found}) == schema.problems({"kind": "run"})
    assert watch.process.returncode == 0
    assert not os.path.exists(watch.path)


def test_a_gpu_is_told_of_by_what_it_did_in_a_run_s_own_metered_seconds(monkeypatch):
    with telemetry.Watch(1) as watch:
        watch.begin()
        at = watch.begun.at_s
        powers = [(0.01, 90.0), (0.02, 500.0), (0.03, 510.0), (0.04, 700.0)]  # import, two blocks, late steps
        lines = [gpu_sample(at + after, power_w=power) for after, power in powers]
        monkeypatch.setattr(watch, "_lines", lambda: lines)
        time.sleep(0.1)
        first, second = watch.end([{"metered": [at + 0.015, at + 0.035]}, {"metered": [at + 0.036, at + 0.05]}])
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


def test_a_sampler_that_dies_costs_its_samples_and_not_the_run():
    with telemetry.Watch(1) as watch:
        watch.process.kill()
        watch.process.wait()
        watch.begin()
        (found,) = watch.end([{}])
    assert found is None or (found["samples"], found["sampler_share"], found["gpu"]) == (0, None, None)


def test_where_nothing_can_be_sampled_a_run_has_no_state(fake, tmp_path, monkeypatch):
    for name in ("psutil", "pynvml"):
        (tmp_path / f"{name}.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    fake(psutil=None)
    with telemetry.Watch(1) as watch:
        watch.begin()
        assert watch.end([{}]) == [None]
    assert watch.about == (
        "processor and memory not sampled: psutil is not installed; no GPU sampled: nvidia-ml-py is not installed"
    )


KEEPS = """
import time
from bench import telemetry

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
            return file.read().split()[2] != "Z"  # an orphan may wait for whoever adopted it
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
    found = json.loads(json.dumps(dict(QUIET, gpu=gpu)))
    for part in ("cpu", "gpu"):
        found[part] = found[part] and {**found[part], **{k: v for k, v in changes.items() if k in found[part]}}
    return {"kind": "run", "case": {"device": device}, "status": status, "machine_state": found}


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_a_quiet_machine_breaks_no_rule(device):
    assert disturbance.broken(run(device)) is None


@pytest.mark.parametrize(
    ("device", "rule", "below", "above", "says"),
    [
        ("cpu", "other_processes", {"others_share": 0.1}, {"others_share": 0.23}, "used 23 % of the run's cores"),
        ("cpu", "swap", {"swap_growth_bytes": 2**26}, {"swap_growth_bytes": 2**27}, "128 MiB more swap"),
        ("gpu", "sm_clock", {"sm_clock_mean_mhz": 1500}, {"sm_clock_mean_mhz": 1188}, "60 % of its default"),
        ("gpu", "other_processes", {"others_share": 0.1}, {"others_share": 0.5}, "used 50 % of the run's cores"),
        ("gpu", "gpu_processes", {"processes_most": 1}, {"processes_most": 2}, "2 processes computed on the GPU"),
    ],
)
def test_each_rule_has_its_limit_and_says_what_it_found(device, rule, below, above, says):
    assert disturbance.broken(run(device, **below)) is None
    name, reason = disturbance.broken(run(device, **above))
    assert name == rule
    assert says in reason


def test_a_device_whose_power_is_capped_is_no_disturbed_one():
    slow = {"sm_clock_mean_mhz": 1188}
    assert disturbance.broken(run("gpu", throttle_reasons=["hardware thermal slowdown"], **slow))
    assert disturbance.broken(run("gpu", throttle_reasons=["power cap"], **slow)) is None


def test_what_is_not_known_or_has_no_time_breaks_no_rule():
    unknown = dict.fromkeys((*QUIET["cpu"], "sm_clock_mean_mhz", "sm_clock_default_mhz", "processes_most"))
    assert disturbance.broken(run("gpu", **unknown)) is None
    assert disturbance.broken(run("cpu", **unknown)) is None
    assert disturbance.broken(dict(run(), machine_state=None)) is None
    assert disturbance.broken(run(status="failed", others_share=0.9)) is None


def test_the_schema_knows_the_rules_that_there_are():
    assert schema.SCHEMAS["void"]["properties"]["rule"]["enum"] == [rule.name for rule in disturbance.RULES]
