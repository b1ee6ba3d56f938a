"""JAX with Flax Linen: its own timing, and XLA's count of FLOPs and bytes.

Those of bench/frameworks/jax give the machine's ceiling for JAX.
"""

import time
from functools import partial

import jax

FLOPS_TOLERANCE = 0.1  # XLA leaves out products with padding, and counts what works element by element


def count(program, batch):
    if program.step == program._train:
        lowered = program.train_step.lower(program.state, *batch)
    else:
        forward = jax.jit(partial(program.state.apply_fn, train=False))
        lowered = forward.lower(program.variables(), *batch[0])
    if "stablehlo.while" in lowered.as_text():
        return None, None  # XLA counts the body of a loop once
    found = lowered.cost_analysis()
    return found["flops"], found["bytes accessed"]  # of what nothing is fused in yet


def own_timer(program, batch):
    def seconds_per_step(steps):
        begin = time.perf_counter()
        for _ in range(steps):
            loss = program.step(batch)
        jax.block_until_ready(loss)
        return (time.perf_counter() - begin) / steps

    return "a loop that ends with jax.block_until_ready", seconds_per_step
