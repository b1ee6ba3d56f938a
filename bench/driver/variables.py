"""Environment variables of worker processes: the environment's own, equal thread counts, and the user's."""

import json
import os
from collections.abc import Mapping
from typing import Any

from bench import ablations, registry
from bench.errors import DefinitionError
from bench.replies import Request, without_paths

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")  # the same value for all environments
LISTENED = (  # prefixes of variables that change a step's time by CUDA, a numeric library or Python itself
    "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS", "CUBLAS", "CUDNN_", "NVIDIA_TF32_OVERRIDE", "DNNL_",
    "ONEDNN_", "MKL_", "OPENBLAS_", "BLIS_", "OMP_", "GOMP_", "KMP_", "XLA_", "MALLOC_", "LD_", "PYTHONDEVMODE",
    "PYTHONMALLOC", "PYTHONTRACEMALLOC", "TRITON_", "NPY_",
)  # fmt: skip
# Prefixes of variables that change results, read by libraries that several frameworks call. A framework's own prefixes
# are `arithmetic` in framework.toml. Variables that only change the order of sums, as MKL_CBWR, are only recorded.
ARITHMETIC = {
    "ONEDNN_DEFAULT_FPMATH_MODE": "oneDNN may multiply float32 numbers as bfloat16, float16 or TF32",
    "DNNL_DEFAULT_FPMATH_MODE": "oneDNN may multiply float32 numbers as bfloat16, float16 or TF32",
    "NVIDIA_TF32_OVERRIDE": "it overrides whether NVIDIA's libraries multiply in TF32",
    "CUBLAS_EMULAT": "cuBLAS emulates a precision by another one",
    "MKL_BLAS_COMPUTE_MODE": "MKL may multiply float32 numbers as bfloat16 or TF32",
    "MKL_VML_MODE": "MKL's functions become less accurate, or flush small numbers to zero",
    "TRITON_F32_DEFAULT": "Triton's kernels multiply in TF32 or not by it",
    "NPY_PROMOTION_STATE": "NumPy chooses another type for a result",
}
# XLA has hundreds of flags, and many change results, such as xla_cpu_enable_fast_math. These do not.
XLA_FLAGS = frozenset((
    "xla_dump_to", "xla_dump_hlo_as_text", "xla_dump_hlo_as_html", "xla_dump_hlo_pass_re", "xla_gpu_cuda_data_dir",
    "xla_force_host_platform_device_count", "xla_gpu_autotune_level", "xla_hlo_profile", "xla_gpu_deterministic_ops",
    "xla_cpu_multi_thread_eigen",
))  # fmt: skip
NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}  # for CPU requests, because a framework may otherwise use a GPU


def started(environment: registry.Environment, threads: int, cache: str) -> dict[str, str]:
    """Return the variables of an environment's processes: its own override the user's, with equal thread counts."""
    values = {key: value for key, value in os.environ.items() if key not in ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")}
    stated = {key: fill(value, threads, cache) for key, value in environment.variables.items()}
    return values | dict.fromkeys(THREADS, str(threads)) | stated | {"PYTHONPATH": registry.ROOT, "PYTHONHASHSEED": "0"}


def of_request(environment: registry.Environment, request: Request, cache: str) -> dict[str, str]:
    """Return the variables of the process that serves a request; CPU requests see no GPU."""
    environment = ablations.started(environment, request.mode)
    check(environment)
    return started(environment, request.threads, cache) | (NO_GPU if request.device == "cpu" else {})


def inherited(environment: registry.Environment) -> dict[str, str]:
    """Return the user's variables that reach a worker and that the framework or its libraries read."""
    starts, stated = LISTENED + tuple(environment.listens), THREADS + tuple(environment.variables)
    return {name: without_paths(value)[:200] for name, value in sorted(os.environ.items())
            if name.startswith(starts) and name not in stated}  # fmt: skip


def check(environment: registry.Environment) -> None:
    """Refuse user settings that change results, because parity was proven without them.

    Raises DefinitionError with the variable or file, its effect, and what to do.
    """
    for name, value in sorted(os.environ.items()):
        why = _changes(name, value, environment)
        if why and name not in environment.variables:
            raise DefinitionError(
                f"The variable {name}={without_paths(value)[:80]} changes what {environment.title} computes: {why}. "
                f"Parity was proven without it. Unset it (unset {name}), or add it to `variables` of "
                f"bench/frameworks/{environment.framework}/framework.toml and run nox -s parity again."
            )
    home = environment.variables.get("HOME", os.path.expanduser("~"))
    for file, about in sorted(environment.settings.items()):
        mover, path = about["moved_by"], os.path.join(home, file)
        if mover not in environment.variables and os.path.exists(path) and not _is_harmless(path, about):
            raise DefinitionError(
                f"The file ~/{file} changes the defaults of {environment.title}, for example its precision. Move it "
                f"away during the bench, or set {mover} in `variables` of "
                f"bench/frameworks/{environment.framework}/framework.toml so that it is not read."
            )


def _changes(name: str, value: str, environment: registry.Environment) -> str:
    """Return how a variable changes the results of a framework, or ""."""
    if name == "XLA_FLAGS":
        flags = [flag.lstrip("-").partition("=")[0] for flag in value.split()]
        unknown = [flag for flag in flags if flag not in XLA_FLAGS]
        return f"XLA compiles it with {', '.join(unknown)}" if unknown else ""
    reasons = [*ARITHMETIC.items(), *((start, "the framework reads it") for start in environment.arithmetic)]
    return next((why for start, why in reasons if name.startswith(start)), "")


def _is_harmless(path: str, about: Mapping[str, Any]) -> bool:
    """Return whether a settings file contains only default values."""
    try:
        with open(path, encoding="utf-8") as file:
            given = json.load(file)
    except (OSError, ValueError):
        return False
    harmless = about.get("harmless", {})
    return bool(harmless) and all(given.get(name, value) == value for name, value in harmless.items())


def fill(value: str, threads: int, cache: str) -> str:
    """Fill the thread count and the case's cache folder into a variable of framework.toml."""
    return value.replace("{cache}", cache).replace("{threads}", str(threads))
