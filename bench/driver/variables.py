"""Variables of the process that a worker is: its environment's own, threads alike for all, and the user's besides."""

import json
import os
from typing import Any, Dict

from bench import ablations, registry
from bench.errors import DefinitionError
from bench.proof import Subject
from bench.replies import without_paths

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")  # set alike for all
LISTENED = (  # how the names begin of variables that change a step's time by CUDA, a numeric library or Python itself
    "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS", "CUBLAS", "CUDNN_", "NVIDIA_TF32_OVERRIDE", "DNNL_",
    "ONEDNN_", "MKL_", "OPENBLAS_", "BLIS_", "OMP_", "GOMP_", "KMP_", "XLA_", "MALLOC_", "LD_", "PYTHONDEVMODE",
    "PYTHONMALLOC", "PYTHONTRACEMALLOC", "TRITON_", "NPY_",
)  # fmt: skip
# How the names begin of those that change what is computed, by a library that several frameworks call. A framework's
# own are `arithmetic` of its framework.toml. What only changes the order of sums is recorded: MKL_CBWR and its like.
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
# XLA has hundreds of flags, and many change what is computed, as xla_cpu_enable_fast_math does. These do not.
XLA_FLAGS = frozenset((
    "xla_dump_to", "xla_dump_hlo_as_text", "xla_dump_hlo_as_html", "xla_dump_hlo_pass_re", "xla_gpu_cuda_data_dir",
    "xla_force_host_platform_device_count", "xla_gpu_autotune_level", "xla_hlo_profile", "xla_gpu_deterministic_ops",
    "xla_cpu_multi_thread_eigen",
))  # fmt: skip
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
    environment = ablations.started(environment, _mode(request))
    check(environment)
    values = started(environment, request["threads"], cache)
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


def check(environment: registry.Environment) -> None:
    """Refuse what the user sets and what changes arithmetic: a time would be of another program than was proven.

    Raises DefinitionError, which names the variable or the file, what it does, and what to do.
    """
    for name, value in sorted(os.environ.items()):
        why = _changes(name, value, environment)
        if why and name not in environment.variables:
            raise DefinitionError(
                "The variable %s=%s changes what %s computes: %s. Parity was proven without it. Unset it (unset %s); "
                "or state it in `variables` of bench/frameworks/%s/framework.toml, and let nox -s parity answer anew."
                % (name, without_paths(value)[:80], environment.title, why, name, environment.framework)
            )
    home = environment.variables.get("HOME", os.path.expanduser("~"))
    for file, about in sorted(environment.settings.items()):
        mover, path = about["moved_by"], os.path.join(home, file)
        if mover not in environment.variables and os.path.exists(path) and not _is_harmless(path, about):
            raise DefinitionError(
                "The file ~/%s changes the defaults of %s, as its precision. Move it away while the bench runs; or set "
                "%s in `variables` of bench/frameworks/%s/framework.toml, so that it is not read."
                % (file, environment.title, mover, environment.framework)
            )


def _changes(name, value, environment):
    """Return what a variable changes of a framework's arithmetic, or nothing."""
    if name == "XLA_FLAGS":
        flags = [each.lstrip("-").partition("=")[0] for each in value.split()]
        unknown = [each for each in flags if each not in XLA_FLAGS]
        return "XLA compiles it with %s" % ", ".join(unknown) if unknown else ""
    known = [why for start, why in ARITHMETIC.items() if name.startswith(start)]
    own = ["the framework reads it" for start in environment.arithmetic if name.startswith(start)]
    return (known + own + [""])[0]


def _is_harmless(path, about):
    """Say whether a file of settings states nothing but defaults."""
    try:
        with open(path, encoding="utf-8") as file:
            given = json.load(file)
    except (OSError, ValueError):
        return False
    harmless = about.get("harmless", {})
    return bool(harmless) and all(given.get(name, value) == value for name, value in harmless.items())


def fill(value: str, threads: int, cache: str) -> str:
    """Put the thread count and the case's cache folder into a variable of framework.toml."""
    return value.replace("{cache}", cache).replace("{threads}", str(threads))
