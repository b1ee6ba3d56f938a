"""JAX with Flax NNX: its own timing, XLA's count of FLOPs and bytes, and the most that it gets out of a device."""

import time

import jax
from flax import nnx

FLOPS_TOLERANCE = 0.1  # XLA leaves out products with padding, and counts what works element by element


def count(program, batch):
    if hasattr(program, "train_step"):
        lowered = program.train_objects.lower(program.model, program.optimizer, *batch)
    else:
        lowered = nnx.jit(lambda model, inputs: model(*inputs)).lower(program.model, batch[0])
    if "stablehlo.while" in lowered.lowered.as_text():
        return None, None  # XLA counts the body of a loop once
    found = lowered.lowered.cost_analysis()
    return found["flops"], found["bytes accessed"]  # of what nothing is fused in yet


class MatrixProduct:
    def __init__(self, side, _, precision):
        kind = jax.numpy.bfloat16 if precision == "bf16" else jax.numpy.float32
        # The root keeps the size of the numbers from product to product.
        self.kernel = jax.random.normal(jax.random.key(0), (side, side), kind) / side**0.5
        self.x = self.kernel
        self.product = jax.jit(lambda x, kernel: x @ kernel)
        self.flops = 2 * side**3

    def step(self, _):
        self.x = self.product(self.x, self.kernel)  # each waits for the one before: XLA may run others side by side
        return self.x

    def wait(self, handle):
        return float(handle[0, 0])


class Copy:
    def __init__(self, count, _):
        self.x = jax.numpy.ones(count)
        self.increase = jax.jit(lambda x: x + 1, donate_argnums=0)
        self.bytes = 8 * count

    def step(self, _):
        self.x = self.increase(self.x)
        return self.x

    def wait(self, handle):
        return float(handle[0])


def own_timer(program, batch):
    def seconds_per_step(steps):
        begin = time.perf_counter()
        for _ in range(steps):
            loss = program.step(batch)
        jax.block_until_ready(loss)
        return (time.perf_counter() - begin) / steps

    return "a loop that ends with jax.block_until_ready", seconds_per_step
