"""Import a framework, and build the program that computes a workload from its model file, adapter and mode."""

import os
import time
import traceback
from typing import Any, Dict, List, Tuple

import numpy as np

from bench import ablations, registry
from bench.errors import BenchError, DeviceError, Unsupported
from bench.replies import TAIL, ControlPart, Reply, Request, without_paths

OUT_OF_MEMORY: List[type] = [MemoryError]  # extended by the framework's own types after its import


def start(request: Request) -> Tuple[registry.Environment, Any, str, float]:
    """Import and configure the framework of a request; return and raise what `framework` does."""
    return framework(dict(request._asdict(), request=request.kind), request.device or "", request.precision)


def framework(request: Dict[str, Any], device: str, precision: str) -> Tuple[registry.Environment, Any, str, float]:
    """Import and configure the framework; return (environment, adapter, device, import seconds).

    Raises Unsupported for a missing device or precision, DeviceError if a device disappeared since the probe.
    """
    begin = time.perf_counter()
    environment = registry.environment(request["environment"], request["frameworks"])
    adapter = registry.adapter(environment)
    import_s = time.perf_counter() - begin
    OUT_OF_MEMORY.extend(adapter.OUT_OF_MEMORY)
    seen = adapter.devices()
    device = device or seen[0]
    if device not in seen:
        message = "%s sees no %s here, only: %s" % (environment.title, device, ", ".join(seen))
        if request["request"] == "measure":
            raise DeviceError(message + "; it saw one when it was probed")
        raise Unsupported(message)
    if precision not in environment.precisions:
        raise Unsupported("%s has no %s; its adapter sets: %s" % (
            environment.title, precision, ", ".join(environment.precisions)))  # fmt: skip
    adapter.configure(device, request["threads"], precision)
    return environment, adapter, device, import_s


def program(
    adapter: Any,
    environment: registry.Environment,
    workload: str,
    task: str,
    mode: str,
    optimizer: str,
    source: Any = None,
    precision: str = "fp32",
) -> Any:
    """Build the program for a workload from its model file, or from `source` instead.

    In `bf16` the adapter's `mixed` changes the source; an ablation in the mode changes source and program. Raises
    Unsupported if the framework has no model file for the workload.
    """
    path = registry.model_path(environment, workload)
    if source is None and not os.path.exists(path):
        message = "%s does not answer %s: its folder has no %s.py"
        raise Unsupported(message % (environment.title, workload, workload))
    example, _ = registry.workload(workload).batch(np.random.RandomState(0), 1)
    source = source or registry.model(environment, workload)
    source = adapter.mixed(source) if precision == registry.MIXED else source
    base, ablation = ablations.split(mode)
    make, source = ablations.vary(environment, ablation, adapter.Program, source)
    return make(source, task, base, optimizer, example)


def in_training(part: ControlPart, environment: registry.Environment, adapter: Any, source: Any = None) -> Any:
    """Return a new training program that has not stepped yet, and its placed batch.

    A `source` replaces the model file and keeps its own weights; without it, the canonical weights are loaded.
    """
    problem = registry.workload(part.workload)
    optimizer = next(iter(problem.OPTIMIZERS))
    made = program(adapter, environment, part.workload, "train", part.mode, optimizer, source)
    if source is None:
        made.load(problem.weights(np.random.RandomState(0)))
    return made, made.place(*problem.batch(np.random.RandomState(part.seed), problem.BATCH_SIZES[0]))


def failure(error: Exception) -> Reply:
    """Return the status, reason and traceback of an error for the record."""
    status = "failed"
    if isinstance(error, Unsupported):
        status = "unsupported"
    # JAX has no exception type for it
    elif isinstance(error, tuple(OUT_OF_MEMORY)) or "RESOURCE_EXHAUSTED" in str(error):
        status = "out_of_memory"
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    named = reason if isinstance(error, BenchError) else "%s: %s" % (type(error).__name__, reason)
    tail = None if isinstance(error, Unsupported) else without_paths(traceback.format_exc())[-TAIL:]
    return Reply(status, without_paths(named)[:500], tail)
