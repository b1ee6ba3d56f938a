"""Variables of the process that a worker is: its environment's own, threads alike for all, and the user's besides."""

import os
from typing import Any, Dict

from bench import ablations, registry
from bench.proof import Subject
from bench.replies import without_paths

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")  # set alike for all
LISTENED = (  # how the names begin of variables that change a step's time by CUDA, a numeric library or Python itself
    "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS", "CUBLAS", "CUDNN_", "NVIDIA_TF32_OVERRIDE", "DNNL_",
    "ONEDNN_", "MKL_", "OPENBLAS_", "BLIS_", "OMP_", "GOMP_", "KMP_", "XLA_", "MALLOC_", "LD_PRELOAD", "PYTHONDEVMODE",
    "PYTHONMALLOC", "PYTHONTRACEMALLOC",
)  # fmt: skip
NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}  # what is asked of the processor: a framework may take a GPU's primitives besides


def started(environment: registry.Environment, threads: int, cache: str) -> Dict[str, str]:
    """Return what an environment's processes start with: its own variables over the user's, threads alike."""
    values = {key: value for key, value in os.environ.items() if key not in ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")}
    for name in THREADS:
        values[name] = str(threads)
    values.update({key: fill(value, threads, cache) for key, value in environment.variables.items()})
    values["PYTHONPATH"] = registry.ROOT
    values["PYTHONHASHSEED"] = "0"
    return values


def of_request(environment: registry.Environment, request: Dict[str, Any], cache: str) -> Dict[str, str]:
    """Return what the process that serves a request starts with: no GPU where it is asked of the processor."""
    values = started(ablations.started(environment, _mode(request)), request["threads"], cache)
    return dict(values, **NO_GPU) if request.get("case", request).get("device") == "cpu" else values


def _mode(request: Dict[str, Any]) -> str:
    """Return the mode that a request is of: all its subjects have the same; empty where it is of none."""
    modes = [Subject(*each).mode for each in request.get("subjects", [])] + [request.get("case", request).get("mode")]
    return modes[0] or ""


def inherited(environment: registry.Environment) -> Dict[str, str]:
    """Return the user's own variables that reach a worker and that the framework, or what is under it, listens to."""
    starts = LISTENED + tuple(environment.listens)
    own = THREADS + tuple(environment.variables)
    return {name: without_paths(value)[:200] for name, value in sorted(os.environ.items())
            if name.startswith(starts) and name not in own}  # fmt: skip


def fill(value: str, threads: int, cache: str) -> str:
    """Put the thread count and the case's cache folder into a variable of framework.toml."""
    return value.replace("{cache}", cache).replace("{threads}", str(threads))
