"""What is sampled of a machine while it measures: what is not sampled is missing, and never zero."""

from types import SimpleNamespace
from typing import get_args

import pytest
from gpus import gpu_sample, processes

from bench.driver import sampler, telemetry
from bench.results import lines, schema


class NvmlError(Exception):
    pass


def nvml(**answers):
    """Return a fake `pynvml` of an idle device of 700 W; `answers` replace what its functions say, or raise."""
    found = {
        "nvmlInit": None, "nvmlSystemGetNVMLVersion": "13.1", "nvmlDeviceGetCount": 1,
        "nvmlDeviceGetHandleByIndex": "first",
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


def test_what_is_not_installed_or_has_no_driver_is_said_and_the_rest_goes_on(fake):
    fake(psutil=None, pynvml=None)
    assert sampler.open_cpu([0]) == (None, "processor and memory not sampled: psutil is not installed")
    assert sampler.open_gpus() == ([], "no GPU sampled: nvidia-ml-py is not installed")
    assert sampler.sample(None, [])["cpu"] is None
    fake(pynvml=nvml(nvmlInit=NvmlError("NVML Shared Library Not Found")))
    assert sampler.open_gpus() == ([], "no GPU sampled: NVML Shared Library Not Found")


def test_a_throttled_gpu_is_read_with_its_reasons_in_words(fake):
    fake(pynvml=nvml(nvmlDeviceGetUtilizationRates=SimpleNamespace(gpu=97), nvmlDeviceGetClockInfo=1100,
                     nvmlDeviceGetCurrentClocksEventReasons=0x4 | 0x40 | 0x1,
                     nvmlDeviceGetComputeRunningProcesses=processes(11, 12, 13),
                     nvmlDeviceGetGraphicsRunningProcesses=processes(13)))  # fmt: skip
    (gpu,), about = sampler.open_gpus()
    assert about == "GPU by NVML 13.1"
    assert gpu.read() == {
        "utilisation": 0.97, "sm_clock_mhz": 1100, "sm_clock_default_mhz": 1980, "memory_clock_mhz": 1100,
        "power_w": 75.5, "temperature_c": 31, "throttle_reasons": ["power cap", "hardware thermal slowdown"],
        "memory_bytes": 2**30, "processes": 2, "energy_j": 5000.0,
    }  # fmt: skip


def test_what_a_device_does_not_tell_is_missing_and_never_zero(fake):
    silent = {name: NvmlError("Not Supported") for name in vars(nvml()) if name.startswith("nvmlDeviceGet")}
    fake(pynvml=nvml(**dict(silent, nvmlDeviceGetCount=1, nvmlDeviceGetHandleByIndex="first")))
    read = sampler.open_gpus()[0][0].read()
    assert read.pop("throttle_reasons") == []
    assert set(read.values()) == {None}


def test_where_a_driver_tells_no_default_clock_any_more_it_is_the_highest(fake):
    fake(pynvml=nvml(nvmlDeviceGetDefaultApplicationsClock=NvmlError("Deprecated"), nvmlDeviceGetMaxClockInfo=1755))
    assert sampler.open_gpus()[0][0].read()["sm_clock_default_mhz"] == 1755


def test_throttling_has_the_same_words_in_the_schema():
    (words,) = get_args(schema.fields(lines.GpuState)["throttle_reasons"])
    assert list(get_args(words)) == list(sampler.THROTTLES.values())


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


@pytest.mark.parametrize(("visible", "numbers"), [("", [0, 1, 2]), ("2", [2]), ("2,0", [2, 0])])
def test_every_visible_gpu_is_read_and_the_first_is_that_of_a_run_on_one(fake, monkeypatch, visible, numbers):
    library = nvml(nvmlDeviceGetCount=3)
    library.nvmlDeviceGetHandleByIndex = lambda number: number
    library.nvmlDeviceGetPowerUsage = lambda handle: 1000 * (handle + 1)
    fake(pynvml=library)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    read = sampler.sample(None, sampler.open_gpus()[0])
    assert [gpu["power_w"] for gpu in [read["gpu"], *read["further"]]] == [number + 1 for number in numbers]


def several(at, *further, **first):
    return dict(gpu_sample(at, **first), further=[gpu_sample(at, **changes)["gpu"] for changes in further])


def test_a_run_on_two_gpus_has_the_power_and_energy_of_both_and_the_memory_of_the_fuller():
    other = {"power_w": 300.0, "memory_bytes": 2**31, "utilisation": 0.7, "throttle_reasons": ["power cap"]}
    samples = [several(float(at), {**other, "energy_j": 300.0 * at}, {"power_w": 70.0}) for at in range(11)]
    one, two = (telemetry.of_gpus(samples, number) for number in (1, 2))
    alone, both = (telemetry.sum_up_gpu(found, found) for found in (one, two))
    assert (alone["power_mean_w"], alone["energy_j"], alone["memory_highest_bytes"]) == (500.0, 5000.0, 2**30)
    assert (both["power_mean_w"], both["energy_j"], both["memory_highest_bytes"]) == (800.0, 8000.0, 2**31)
    assert (both["utilisation"], both["throttle_reasons"]) == (pytest.approx(0.8), ["power cap"])


def test_what_one_of_two_gpus_does_not_tell_is_missing_of_both():
    (both,) = telemetry.of_gpus([several(0.0, {"power_w": None})], 2)
    assert (both["gpu"]["power_w"], both["gpu"]["memory_bytes"]) == (None, 2**30)


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
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\n")  # a kernel from before 2014
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
