import jax.numpy as jnp
import optax
from flax import nnx

BYTES, LENGTH, WIDTH = 256, 128, 384


class Block(nnx.Module):
    def __init__(self, *, rngs):
        self.norm1 = nnx.LayerNorm(WIDTH, epsilon=1e-5, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(num_heads=6, in_features=WIDTH, decode=False, rngs=rngs)
        self.norm2 = nnx.LayerNorm(WIDTH, epsilon=1e-5, rngs=rngs)
        self.expand = nnx.Linear(WIDTH, 4 * WIDTH, rngs=rngs)
        self.contract = nnx.Linear(4 * WIDTH, WIDTH, rngs=rngs)

    def __call__(self, x):
        x = x + self.attention(self.norm1(x), is_causal=True)
        new = self.expand(self.norm2(x))
        new = self.contract(nnx.gelu(new, approximate=False))
        return x + new


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.embedding = nnx.Embed(BYTES, WIDTH, rngs=rngs)
        self.position = nnx.Embed(LENGTH, WIDTH, rngs=rngs)
        self.blocks = nnx.Sequential(*(Block(rngs=rngs) for _ in range(6)))
        self.norm = nnx.LayerNorm(WIDTH, epsilon=1e-5, rngs=rngs)

    def __call__(self, x):  # (batch, 128)
        x = self.embedding(x) + self.position(jnp.arange(LENGTH))  # (batch, 128, 384)
        x = self.norm(self.blocks(x))
        return self.embedding.attend(x)  # (batch, 128, 256)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adamw": lambda: optax.adamw(1e-3, b1=0.9, b2=0.99, eps=1e-8, weight_decay=0.1),
}
