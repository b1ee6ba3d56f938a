"""What a step must compute and move, from its workload's statement alone: FLOPs, and bytes of memory.

A workload's network in NumPy (`bench/oracle/<workload>.py`) runs on a batch of no examples. This takes milliseconds and
shows the shape of each layer's output: how often its kernel is applied to an example.

A multiply and an add are two FLOPs. Only products are counted, as if each were computed directly. A kernel costs
2 * its size * its positions per example in a forward pass. Training costs the same once more for the gradient of each
trained kernel, and once more for that of its input. A product without a kernel needs the gradients of both its sides,
and costs three forward passes. Attention that looks only back is counted as if it looked everywhere, although a fused
kernel may leave out the masked part. Embeddings and element-wise operations are not counted. Appendix B of the PaLM
paper (arXiv:2204.02311) counts likewise.
"""

import functools
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

import numpy as np

from bench import oracle, registry
from bench.cases import Case
from bench.errors import DefinitionError

TILE = 6  # the largest of F(2x2, 3x3), F(4x4, 3x3) and F(6x6, 3x3), which libraries use in float32
STATES = {"SGD": 1, "RMSprop": 1, "Adam": 2, "AdamW": 2, "Adadelta": 2}  # numbers an optimiser keeps per weight
ITEM_BYTES = {"fp32": 4, "tf32": 4, "bf16": 2}


class Cost(NamedTuple):
    """What one step takes."""

    flops: int  # computed directly: what achieved FLOP/s are made of
    least_flops: float  # with the fewest multiplications that a library's convolution or attention gets by with
    least_bytes: int  # that any implementation must read or write, were its caches empty before each step


class Product(NamedTuple):
    """A product by a kernel, or one of two things that were computed or that a table is part of."""

    name: str
    flops: int  # of one pass of one example
    least_flops: float
    passes: int = 3  # in training: less where a gradient is not needed
    shape: Tuple[int, ...] = ()  # of its kernel
    size: int = 0  # how many weights its kernel has
    positions: int = 0  # how often its kernel is applied to an example
    is_trained: bool = False


def _by_kernel(name, shape, positions, passes, is_trained):
    """Return the product by a kernel; its least FLOPs are those of minimal filtering, transforms not counted.

    TILE outputs of a filter of r take TILE + r - 1 multiplications instead of TILE * r, along each side (Lavin and Gray
    2015, arXiv:1509.09308).
    """
    size = int(np.prod(shape, dtype=np.int64))
    sides = shape[:2] if len(shape) == 4 and positions > 1 else ()
    least = 2 * size * positions * float(np.prod([(TILE + side - 1) / (TILE * side) for side in sides]))
    return Product(name, 2 * size * positions, least, passes, shape, size, positions, is_trained)


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

    @property
    def size(self) -> int:
        """How many numbers the array has."""
        return int(np.prod(self.shape, dtype=np.int64))


class Counter(oracle.Layers):
    """Layers that count how often each kernel is applied, and what else is multiplied."""

    def __init__(self, weights: Dict[str, np.ndarray]) -> None:
        super().__init__(weights, is_training=False)
        self.positions: Dict[str, int] = {}  # of a layer's output: pixels of an image, or steps of a sequence
        self.frozen: Set[str] = set()  # layers that are not trained
        self.has_words = False
        self.example_size = 0  # numbers of x and y
        self.products: List[Product] = []

    def _biased(self, x, name):
        self.positions[name] = int(np.prod(x.shape[1:-1]))
        return super()._biased(x, name)

    def embedding(self, x: np.ndarray, name: str) -> np.ndarray:
        """Read and multiply nothing: what comes after needs a gradient of its input."""
        self.has_words = True
        return super().embedding(x, name)

    def batch_norm(self, x: np.ndarray, name: str, epsilon: float, is_frozen: bool = False) -> np.ndarray:
        """Count what comes before a frozen norm as frozen."""
        if is_frozen:
            self.frozen.update(self.positions)
        return super().batch_norm(x, name, epsilon, is_frozen)

    def attention(self, x: np.ndarray, name: str, heads: int, is_causal: bool = False) -> np.ndarray:
        """Count each query by the keys, and the weights by the values: those of places before it are the fewest."""
        _, length, width = x.shape
        least = length * (length + 1) // 2 if is_causal else length**2
        self.products.append(Product(name, *(2 * 2 * width * pairs for pairs in (length**2, least))))
        return super().attention(x, name, heads, is_causal)

    def logits(self, x: np.ndarray, name: str) -> np.ndarray:
        """Count a product by an embedding's table."""
        outputs = super().logits(x, name)
        flops = 2 * int(np.prod(outputs.shape[1:])) * x.shape[-1]
        self.products.append(Product(name, flops, flops))
        return outputs


@functools.lru_cache(maxsize=None)
def _counted(workload):
    problem = registry.workload(workload)
    zero = np.zeros((), np.float32)
    net = Counter({name: np.broadcast_to(zero, value.shape) for name, value in problem.weights(Outline()).items()})
    x, y = problem.batch(np.random.RandomState(0), 0)
    oracle.forward(workload)(net, x)
    net.example_size = sum(int(np.prod(part.shape[1:])) for part in (x if isinstance(x, tuple) else (x,)) + (y,))
    return net


@functools.lru_cache(maxsize=None)
def kernels(workload: str) -> List[Product]:
    """Return the product by every kernel; raises DefinitionError for a kernel that the network does not apply."""
    net, by_kernel = _counted(workload), []
    # The first trained layer reads the batch, or what is frozen: its input needs no gradient.
    first = next((layer for layer in net.positions if layer not in net.frozen and not net.has_words), None)
    for name, value in net.weights.items():
        layer, _, leaf = name.rpartition(".")
        if not leaf.endswith("kernel"):
            continue
        if layer not in net.positions:
            raise DefinitionError("bench/oracle/%s.py: forward() does not apply the layer %r." % (workload, layer))
        is_trained = layer not in net.frozen
        passes = 1 + is_trained + (is_trained and (layer, leaf) != (first, "kernel"))
        by_kernel.append(_by_kernel(name, value.shape, net.positions[layer], passes, is_trained))
    return by_kernel


def products(workload: str) -> List[Product]:
    """Return every product of a workload that has no kernel."""
    return list(_counted(workload).products)


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
    touched = sum(
        kernel.size * (2 + 2 * states if kernel.is_trained and case.task != "infer" else 1)
        for kernel in kernels(case.workload)
    )
    return ITEM_BYTES[case.precision] * (case.batch_size * _counted(case.workload).example_size + touched)


def of(case: Case) -> Optional[Cost]:
    """Return what one step of a case takes, or None where its workload has no network in NumPy."""
    return _of(case._replace(environment="", mode="", layout="", device="", tier="", data=""))


@functools.lru_cache(maxsize=None)
def _of(case):
    if not oracle.is_known(case.workload):
        return None
    parts = kernels(case.workload) + products(case.workload)
    least = sum(part.least_flops * _passes(part, case.task) for part in parts)
    return Cost(flops(case.workload, case.task, case.batch_size), case.batch_size * least, _least_bytes(case))
