import equinox as eqx
import jax
import jax.numpy as jnp
import optax

BYTES, LENGTH, WIDTH, BLOCKS = 256, 128, 384, 6


class Block(eqx.Module):
    norm1: eqx.nn.LayerNorm
    attention: eqx.nn.MultiheadAttention
    norm2: eqx.nn.LayerNorm
    expand: eqx.nn.Linear
    contract: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 3)
        self.norm1 = eqx.nn.LayerNorm(WIDTH, eps=1e-5)
        self.attention = eqx.nn.MultiheadAttention(
            6, WIDTH, use_query_bias=True, use_key_bias=True, use_value_bias=True, use_output_bias=True, key=keys[0]
        )
        self.norm2 = eqx.nn.LayerNorm(WIDTH, eps=1e-5)
        self.expand = eqx.nn.Linear(WIDTH, 4 * WIDTH, key=keys[1])
        self.contract = eqx.nn.Linear(4 * WIDTH, WIDTH, key=keys[2])

    def __call__(self, x):  # (128, 384)
        normed = jax.vmap(self.norm1)(x)
        x = x + self.attention(normed, normed, normed, mask=jnp.tri(LENGTH, dtype=bool))
        new = jax.vmap(self.expand)(jax.vmap(self.norm2)(x))
        new = jax.vmap(self.contract)(jax.nn.gelu(new, approximate=False))
        return x + new


class Model(eqx.Module):
    embedding: eqx.nn.Embedding
    position: eqx.nn.Embedding
    blocks: list
    norm: eqx.nn.LayerNorm

    def __init__(self, key):
        keys = jax.random.split(key, 2 + BLOCKS)
        self.embedding = eqx.nn.Embedding(BYTES, WIDTH, key=keys[0])
        self.position = eqx.nn.Embedding(LENGTH, WIDTH, key=keys[1])
        self.blocks = [Block(key) for key in keys[2:]]
        self.norm = eqx.nn.LayerNorm(WIDTH, eps=1e-5)

    def __call__(self, x, state, key):  # (128,): one example, of a batch by jax.vmap
        x = jax.vmap(self.embedding)(x) + self.position.weight  # (128, 384)
        for block in self.blocks:
            x = block(x)
        x = jax.vmap(self.norm)(x)
        return x @ self.embedding.weight.T, state  # (128, 256)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adamw": lambda: optax.adamw(1e-3, b1=0.9, b2=0.99, eps=1e-8, weight_decay=0.1),
}
