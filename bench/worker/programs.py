"""Build the program that answers a workload: of a framework's model file, as its adapter steps it in a mode."""

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
    """Build the program that answers a workload: of its model file, or of `source`, which stands for that.

    In `bf16`, of what the adapter's `mixed` makes of it; in a mode that names an ablation, of what that makes of both.
    Raises Unsupported where the framework has no model file for the workload.
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
    """Return a program in training that has not stepped yet, and its placed batch.

    `source` stands for the model file, and keeps weights of its own; none means the model file and canonical weights.
    """
    problem = registry.workload(request["workload"])
    optimizer = next(iter(problem.OPTIMIZERS))
    made = program(adapter, environment, request["workload"], "train", request["mode"], optimizer, source)
    if source is None:
        made.load(problem.weights(np.random.RandomState(0)))
    return made, made.place(*problem.batch(np.random.RandomState(request["seed"]), problem.BATCH_SIZES[0]))
