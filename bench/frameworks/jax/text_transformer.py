import jax.numpy as jnp
import optax
from flax import nnx

WORDS, LENGTH, WIDTH = 5000, 64, 128


class Block(nnx.Module):
    def __init__(self, *, rngs):
        self.norm1 = nnx.LayerNorm(WIDTH, epsilon=1e-5, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(num_heads=4, in_features=WIDTH, decode=False, rngs=rngs)
        self.norm2 = nnx.LayerNorm(WIDTH, epsilon=1e-5, rngs=rngs)
        self.expand = nnx.Linear(WIDTH, 512, rngs=rngs)
        self.contract = nnx.Linear(512, WIDTH, rngs=rngs)

    def __call__(self, x):
        x = x + self.attention(self.norm1(x))
        new = self.expand(self.norm2(x))
        new = self.contract(nnx.gelu(new, approximate=False))
        return x + new


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.embedding = nnx.Embed(WORDS, WIDTH, rngs=rngs)
        self.position = nnx.Embed(LENGTH, WIDTH, rngs=rngs)
        self.blocks = nnx.Sequential(*(Block(rngs=rngs) for _ in range(2)))
        self.norm = nnx.LayerNorm(WIDTH, epsilon=1e-5, rngs=rngs)
        self.head = nnx.Linear(WIDTH, 2, rngs=rngs)

    def __call__(self, x):  # (batch, 64)
        x = self.embedding(x) + self.position(jnp.arange(LENGTH))  # (batch, 64, 128)
        x = self.norm(self.blocks(x))
        return self.head(x.mean(axis=1))


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
