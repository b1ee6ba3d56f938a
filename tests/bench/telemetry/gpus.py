"""A GPU that is not there, and what is read of one."""

from types import SimpleNamespace


def processes(*pids):
    return [SimpleNamespace(pid=pid) for pid in pids]


def gpu_sample(at, **changes):
    usual = {
        "utilisation": 0.9, "sm_clock_mhz": 1900, "sm_clock_default_mhz": 1980, "memory_clock_mhz": 3200,
        "power_w": 500.0, "temperature_c": 60, "throttle_reasons": [], "memory_bytes": 2**30, "processes": 1,
        "energy_j": 500.0 * at, **changes,
    }  # fmt: skip
    return {"at": at, "cost_s": 0.0, "cpu": None, "gpu": usual}
