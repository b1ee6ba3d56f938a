import equinox as eqx
import jax
import optax

WORDS, LENGTH, WIDTH = 5000, 64, 128


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
            4, WIDTH, use_query_bias=True, use_key_bias=True, use_value_bias=True, use_output_bias=True, key=keys[0]
        )
        self.norm2 = eqx.nn.LayerNorm(WIDTH, eps=1e-5)
        self.expand = eqx.nn.Linear(WIDTH, 512, key=keys[1])
        self.contract = eqx.nn.Linear(512, WIDTH, key=keys[2])

    def __call__(self, x):  # (64, 128)
        normed = jax.vmap(self.norm1)(x)
        x = x + self.attention(normed, normed, normed)
        new = jax.vmap(self.expand)(jax.vmap(self.norm2)(x))
        new = jax.vmap(self.contract)(jax.nn.gelu(new, approximate=False))
        return x + new


class Model(eqx.Module):
    embedding: eqx.nn.Embedding
    position: eqx.nn.Embedding
    blocks: list
    norm: eqx.nn.LayerNorm
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 5)
        self.embedding = eqx.nn.Embedding(WORDS, WIDTH, key=keys[0])
        self.position = eqx.nn.Embedding(LENGTH, WIDTH, key=keys[1])
        self.blocks = [Block(keys[2]), Block(keys[3])]
        self.norm = eqx.nn.LayerNorm(WIDTH, eps=1e-5)
        self.head = eqx.nn.Linear(WIDTH, 2, key=keys[4])

    def __call__(self, x, state, key):  # (64,): one example, of a batch by jax.vmap
        x = jax.vmap(self.embedding)(x) + self.position.weight  # (64, 128)
        for block in self.blocks:
            x = block(x)
        x = jax.vmap(self.norm)(x)
        return self.head(x.mean(axis=0)), state


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
