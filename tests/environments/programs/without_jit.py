"""A perceptron by plain JAX: with the cause, jax.jit was forgotten."""

import sys

import jax
import jax.numpy as jnp

keys = jax.random.split(jax.random.key(0), 4)
images, digits = jax.random.normal(keys[0], (32, 200)), jax.random.randint(keys[1], (32,), 0, 10)
weights = {"in": 0.1 * jax.random.normal(keys[2], (200, 64)), "out": 0.1 * jax.random.normal(keys[3], (64, 10))}


def loss_of(weights):
    logits = jnp.tanh(images @ weights["in"]) @ weights["out"]
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), digits[:, None], axis=1).mean()


def update(weights):
    loss, slopes = jax.value_and_grad(loss_of)(weights)
    return loss, jax.tree.map(lambda weight, slope: weight - 0.05 * slope, weights, slopes)


def build():
    state = {"weights": weights}
    chosen = update if sys.argv[1:] == ["with"] else jax.jit(update)

    def step():
        loss, state["weights"] = chosen(state["weights"])
        return loss

    return step
