"""NVML on a machine with one card that computes at its power cap, whose default clock no driver tells any more."""

import time
from types import SimpleNamespace

NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 0, 1, 2, 0
WATTS = 500.0


class NVMLError(Exception):
    pass


def _deprecated(*_):
    raise NVMLError("Deprecated")


def _says(answer):
    return lambda *_: answer


globals().update(
    nvmlInit=_says(None),
    nvmlDeviceGetCount=_says(1),
    nvmlSystemGetNVMLVersion=_says("13.580.159"),
    nvmlDeviceGetHandleByIndex=_says("first"),
    nvmlDeviceGetDefaultApplicationsClock=_deprecated,
    nvmlDeviceGetMaxClockInfo=_says(1980),
    nvmlDeviceGetClockInfo=_says(1300),
    nvmlDeviceGetCurrentClocksEventReasons=_says(0x4),
    nvmlDeviceGetUtilizationRates=_says(SimpleNamespace(gpu=97, memory=20)),
    nvmlDeviceGetMemoryInfo=_says(SimpleNamespace(used=2**30)),
    nvmlDeviceGetPowerUsage=_says(1000 * WATTS),
    nvmlDeviceGetTemperatureV=_says(55),
    nvmlDeviceGetComputeRunningProcesses=_says([SimpleNamespace(pid=1)]),
    nvmlDeviceGetGraphicsRunningProcesses=_says([]),
    nvmlDeviceGetTotalEnergyConsumption=lambda *_: 1000 * WATTS * time.monotonic(),
)
