"""What a step must compute and move, from its workload's statement alone: FLOPs, and bytes of memory.

Beside each workload, `bench/costs/<workload>.py` says how often its kernels are applied:

=========  ======================================================================================================
POSITIONS  {pattern of layers: output positions of an example, or time steps of a recurrent layer}; of the
           patterns (as in a shell) that fit a layer, the first counts
FIRST      the layer whose input needs no gradient, for it reads the batch, or what is frozen; None where the
           first layer is an embedding
FROZEN     pattern of the layers that are not trained; left out where all are
PRODUCTS   {what: multiply-adds of an example} of the products without a kernel: attention's, of queries by keys and
           of weights by values, or those by an embedding's table where it is the head as well; left out where
           there are none
LEAST      {what: multiply-adds} of those of PRODUCTS that a library gets by with fewer of
=========  ======================================================================================================

A multiply and an add are two FLOPs, and only products are counted, as if each were computed directly: a kernel costs
2 * its size * its positions per example in a forward pass. Training costs the same once more for the gradient of each
trained kernel, and once more for that of its input (appendix B of the PaLM paper, arXiv:2204.02311, counts so). A
product without a kernel needs the gradients of both its sides, and costs three forward passes. Attention that looks
only back is counted as if it looked everywhere, as that paper does: what is masked is computed, or left out by a
fused kernel. Embeddings read and do not multiply; what works element by element is not counted.
"""

import fnmatch
import functools
import os
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from bench import registry
from bench.cases import Case
from bench.errors import DefinitionError

FOLDER = os.path.dirname(os.path.abspath(__file__))
TILE = 6  # the largest of F(2x2, 3x3), F(4x4, 3x3) and F(6x6, 3x3), which libraries use in float32
STATES = {"SGD": 1, "RMSprop": 1, "Adam": 2, "AdamW": 2, "Adadelta": 2}  # numbers an optimiser keeps per weight
ITEM_BYTES = {"fp32": 4, "tf32": 4, "bf16": 2}


class Cost(NamedTuple):
    """What one step takes."""

    flops: int  # computed directly: what achieved FLOP/s are made of
    least_flops: float  # with the fewest multiplications that a library's convolution or attention gets by with
    least_bytes: int  # that any implementation must read or write, were its caches empty before each step


class Kernel(NamedTuple):
    """One kernel and how often it is applied: `passes` is 3 in training, less where a gradient is not needed."""

    name: str
    shape: Tuple[int, ...]
    positions: int  # per example
    passes: int
    is_trained: bool

    @property
    def size(self) -> int:
        """How many weights it has."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def flops(self) -> int:
        """FLOPs of one pass of one example."""
        return 2 * self.size * self.positions

    @property
    def least_flops(self) -> float:
        """FLOPs of one pass by minimal filtering, transforms not counted.

        TILE outputs of a filter of r take TILE + r - 1 multiplications instead of TILE * r, along each side (Lavin and
        Gray 2015, arXiv:1509.09308).
        """
        sides = self.shape[:2] if len(self.shape) == 4 and self.positions > 1 else ()
        return self.flops * float(np.prod([(TILE + side - 1) / (TILE * side) for side in sides]))


class Product(NamedTuple):
    """A product of two things that were computed, or that a table is part of."""

    name: str
    flops: int  # of one pass of one example
    least_flops: float
    passes: int = 3  # in training: the gradients of both sides


class Outline(np.lib.mixins.NDArrayOperatorsMixin):
    """An array's shape without its numbers: a statement that makes 500 MB of arrays makes these in no time.

    Arithmetic with numbers keeps the shape; it also stands for the random state that statements draw from.
    """

    def __init__(self, shape: Tuple[int, ...] = ()) -> None:
        self.shape = shape

    def __array_ufunc__(self, *_: Any, **__: Any) -> "Outline":
        return self

    def __getitem__(self, _: Any) -> "Outline":
        return self

    def __setitem__(self, _: Any, __: Any) -> None:
        pass

    def astype(self, _: Any) -> "Outline":
        """Return itself: every number of a statement has four bytes."""
        return self

    def reshape(self, shape: Tuple[int, ...]) -> "Outline":
        """Return the outline of another shape."""
        return Outline(shape)

    def standard_normal(self, shape: Any) -> "Outline":
        """Return the outline of what a random state would draw."""
        return Outline(shape if isinstance(shape, tuple) else (shape,))

    def uniform(self, _: float, __: float, shape: Any) -> "Outline":
        """Return the outline of what a random state would draw."""
        return self.standard_normal(shape)

    randint = uniform

    @property
    def size(self) -> int:
        """How many numbers the array has."""
        return int(np.prod(self.shape, dtype=np.int64))


def is_known(workload: str) -> bool:
    """Say whether there is a workload of this name and a file that says what it costs; the name may be anything."""
    return registry.has_workload(workload) and workload + ".py" in os.listdir(FOLDER)


def _positions(layer, stated, path):
    for pattern, count in stated.POSITIONS.items():
        if fnmatch.fnmatchcase(layer, pattern):
            return count
    raise DefinitionError("%s: no pattern of POSITIONS fits the layer %r." % (path, layer))


def _stated(workload):
    path = os.path.join(FOLDER, workload + ".py")
    return path, registry.load_module(path, "bench_cost_" + workload)


@functools.lru_cache(maxsize=None)
def kernels(workload: str) -> List[Kernel]:
    """Return every kernel of a workload; raises DefinitionError for a layer whose positions are not stated."""
    path, stated = _stated(workload)
    found = []
    for name, value in registry.workload(workload).weights(Outline()).items():
        layer, _, leaf = name.rpartition(".")
        if not leaf.endswith("kernel"):
            continue
        is_trained = not fnmatch.fnmatchcase(layer, getattr(stated, "FROZEN", ""))
        needs_input = is_trained and not (layer == stated.FIRST and leaf == "kernel")
        passes = 1 + is_trained + needs_input
        found.append(Kernel(name, value.shape, _positions(layer, stated, path), passes, is_trained))
    return found


@functools.lru_cache(maxsize=None)
def products(workload: str) -> List[Product]:
    """Return every product of a workload that has no kernel."""
    _, stated = _stated(workload)
    least = getattr(stated, "LEAST", {})
    found = getattr(stated, "PRODUCTS", {})
    return [Product(name, 2 * count, 2 * least.get(name, count)) for name, count in found.items()]


def flops(workload: str, task: str, batch_size: int) -> int:
    """Return the FLOPs of one step: a forward pass (`task` infer), or training."""
    return batch_size * sum(part.flops * _passes(part, task) for part in kernels(workload) + products(workload))


def _passes(part, task):
    return 1 if task == "infer" else part.passes


def _least_bytes(case):
    """Return the bytes of all kernels, of the optimiser's state, and of the batch: each is read, and written if new.

    No gradient and no activation: a library may fuse them away.
    """
    problem = registry.workload(case.workload)
    states = STATES.get(type(problem.OPTIMIZERS.get(case.optimizer)).__name__, 0)
    x, y = problem.batch(Outline(), case.batch_size)
    batch = sum(value.size for value in (x if isinstance(x, tuple) else (x,)) + (y,))
    touched = sum(
        kernel.size * (2 + 2 * states if kernel.is_trained and case.task != "infer" else 1)
        for kernel in kernels(case.workload)
    )
    return ITEM_BYTES[case.precision] * (batch + touched)


@functools.lru_cache(maxsize=None)
def of(case: Case) -> Optional[Cost]:
    """Return what one step of a case takes, or None where no file says what its workload costs."""
    return _of(case._replace(environment="", mode="", layout="", device="", tier="", data=""))


@functools.lru_cache(maxsize=None)
def _of(case):
    if not is_known(case.workload):
        return None
    parts = kernels(case.workload) + products(case.workload)
    least = sum(part.least_flops * _passes(part, case.task) for part in parts)
    return Cost(flops(case.workload, case.task, case.batch_size), case.batch_size * least, _least_bytes(case))
