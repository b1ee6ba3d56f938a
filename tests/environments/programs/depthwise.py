"""A separate 5x5 filter for each channel by JAX: with the cause, as a grouped convolution; else as shifted sums."""

import sys

import jax
import jax.numpy as jnp

CHANNELS, SIDE, WIDTH = 128, 96, 5
image = jax.random.uniform(jax.random.key(3), (SIDE, SIDE, CHANNELS))
filters = jax.random.uniform(jax.random.key(4), (WIDTH, WIDTH, CHANNELS))


@jax.jit
def grouped(image):
    kernel = filters[:, :, None, :]
    dimensions = ("NHWC", "HWIO", "NHWC")
    return jax.lax.conv_general_dilated(
        image[None], kernel, (1, 1), "VALID", dimension_numbers=dimensions, feature_group_count=CHANNELS
    ).sum()


@jax.jit
def shifted(image):
    rest = SIDE - WIDTH + 1
    places = [(row, column) for row in range(WIDTH) for column in range(WIDTH)]
    return sum(
        jnp.sum(image[row : row + rest, column : column + rest] * filters[row, column]) for row, column in places
    )


def build():
    chosen = grouped if sys.argv[1:] == ["with"] else shifted
    return lambda: chosen(image)
