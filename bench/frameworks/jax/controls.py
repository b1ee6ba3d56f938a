"""What only JAX can say about itself."""

import time

import jax


def own_timer(program, batch):
    def seconds_per_step(steps):
        begin = time.perf_counter()
        for _ in range(steps):
            loss = program.step(batch)
        jax.block_until_ready(loss)
        return (time.perf_counter() - begin) / steps

    return "a loop that ends with jax.block_until_ready", seconds_per_step
