"""Build the program that computes a workload from a framework's model file, adapter and mode."""

import os
from typing import Any, Dict

import numpy as np

from bench import ablations, registry
from bench.errors import Unsupported


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


def in_training(request: Dict[str, Any], environment: registry.Environment, adapter: Any, source: Any = None) -> Any:
    """Return a new training program that has not stepped yet, and its placed batch.

    A `source` replaces the model file and keeps its own weights; without it, the canonical weights are loaded.
    """
    problem = registry.workload(request["workload"])
    optimizer = next(iter(problem.OPTIMIZERS))
    made = program(adapter, environment, request["workload"], "train", request["mode"], optimizer, source)
    if source is None:
        made.load(problem.weights(np.random.RandomState(0)))
    return made, made.place(*problem.batch(np.random.RandomState(request["seed"]), problem.BATCH_SIZES[0]))
