import jax.numpy as jnp
import optax
from flax import linen as nn

WORDS, LENGTH, WIDTH = 5000, 64, 128


class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        new = nn.LayerNorm(epsilon=1e-5, name="norm1")(x)
        x = x + nn.MultiHeadDotProductAttention(num_heads=4, name="attention")(new)
        new = nn.LayerNorm(epsilon=1e-5, name="norm2")(x)
        new = nn.Dense(512, name="expand")(new)
        new = nn.Dense(WIDTH, name="contract")(nn.gelu(new, approximate=False))
        return x + new


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):  # (batch, 64)
        positions = nn.Embed(LENGTH, WIDTH, name="position")(jnp.arange(LENGTH))
        x = nn.Embed(WORDS, WIDTH, name="embedding")(x) + positions  # (batch, 64, 128)
        for index in range(2):
            x = Block(name="blocks_%d" % index)(x)
        x = nn.LayerNorm(epsilon=1e-5, name="norm")(x)
        return nn.Dense(2, name="head")(x.mean(axis=1))


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
