"""Small programs by JAX: arguments are a function's name, and "with" or "without" for its cause."""

import sys

import jax
import jax.numpy as jnp

HAS_CAUSE = sys.argv[2] == "with"
x = jnp.linspace(0.0, 1.0, 1000)


def fetches():
    @jax.jit
    def compute(x):
        return jnp.sin(x).sum(), jnp.cos(x).sum()

    def step():
        values = [value for _ in range(3) for value in compute(x)]
        return sum(map(float, values)) if HAS_CAUSE else values[0]

    return step


def recompilation():
    if not HAS_CAUSE:
        compute = jax.jit(lambda x: (x * 2).sum())
        return lambda: compute(x)
    return lambda: jax.jit(lambda x: (x * 2).sum())(x)


def float64():
    jax.config.update("jax_enable_x64", HAS_CAUSE)
    compute = jax.jit(lambda x: jnp.exp(x).sum())
    numbers = jnp.linspace(0.0, 1.0, 1000)
    return lambda: compute(numbers)


def build():
    return globals()[sys.argv[1]]()
