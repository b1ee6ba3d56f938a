"""An oracle that belongs to no framework: what a network's statement makes of canonical weights, in NumPy alone.

Beside each workload, `bench/oracle/<workload>.py` has

=======  =========================================================================================================
forward  of the layers by their names (bench/oracle/layers.py) and x: the outputs, in training or in inference, without
         dropout. Weights and x come in float64, or in float32 where rounding is to be seen
=======  =========================================================================================================

It is written from the docstring in bench/workloads and the equations of the layers, and from no framework's model file.
What a step costs follows from it as well (bench/costs.py).
"""

import importlib
import os
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from bench import registry
from bench.oracle.layers import Layers
from bench.problem import MEAN_SQUARED_ERROR, SIGMOID_CROSS_ENTROPY, SOFTMAX_CROSS_ENTROPY

FOLDER = os.path.dirname(os.path.abspath(__file__))


def is_known(workload: str) -> bool:
    """Say whether a workload has an oracle."""
    return registry.has_workload(workload) and workload + ".py" in os.listdir(FOLDER)


def forward(workload: str) -> Callable[[Layers, Any], np.ndarray]:
    """Return what makes a workload's outputs of its layers and x."""
    found: Callable[[Layers, Any], np.ndarray] = importlib.import_module("bench.oracle." + workload).forward
    return found


def outputs(
    workload: str, weights: Dict[str, np.ndarray], x: Any, is_training: bool = True, dtype: str = "float64"
) -> Optional[np.ndarray]:
    """Return what a network makes of x, its dropout at rate 0; None where there is no oracle.

    In training, batch norm uses the batch's own statistics where the statement says so.
    """
    if not is_known(workload):
        return None
    exact = {name: value.astype(dtype) for name, value in weights.items()}
    given = tuple(_as(each, dtype) for each in x) if isinstance(x, tuple) else _as(x, dtype)
    return forward(workload)(Layers(exact, is_training), given)


def _as(x, dtype):
    return x if x.dtype.kind == "i" else x.astype(dtype)


def loss(workload: str, weights: Dict[str, np.ndarray], batch: Tuple[Any, np.ndarray]) -> Optional[float]:
    """Return the loss of a training step on a batch (x, y), without dropout; None where there is no oracle or loss."""
    is_stated = registry.workload(workload).LOSS is not None
    given = outputs(workload, weights, batch[0]) if is_stated else None
    return None if given is None else loss_of(workload, given, batch[1])


def loss_of(workload: str, outputs: np.ndarray, y: np.ndarray) -> float:
    """Return the loss that a workload states of outputs."""
    return float(LOSSES[registry.workload(workload).LOSS](outputs, y).mean())


def _softmax_cross_entropy(logits, y):
    logits = logits - logits.max(-1, keepdims=True)
    right = np.take_along_axis(logits, y[..., None], -1)[..., 0]
    return np.log(np.exp(logits).sum(-1)) - right


def _sigmoid_cross_entropy(logits, y):
    return np.maximum(logits, 0) - logits * y + np.log1p(np.exp(-np.abs(logits)))


def _squared_error(values, y):
    return (values - y) ** 2


LOSSES = {
    SOFTMAX_CROSS_ENTROPY: _softmax_cross_entropy,
    SIGMOID_CROSS_ENTROPY: _sigmoid_cross_entropy,
    MEAN_SQUARED_ERROR: _squared_error,
}
