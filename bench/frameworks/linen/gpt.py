import jax.numpy as jnp
import optax
from flax import linen as nn

BYTES, LENGTH, WIDTH = 256, 128, 384


class Block(nn.Module):
    @nn.compact
    def __call__(self, x, mask):
        new = nn.LayerNorm(epsilon=1e-5, name="norm1")(x)
        x = x + nn.MultiHeadDotProductAttention(num_heads=6, name="attention")(new, mask=mask)
        new = nn.LayerNorm(epsilon=1e-5, name="norm2")(x)
        new = nn.Dense(4 * WIDTH, name="expand")(new)
        new = nn.Dense(WIDTH, name="contract")(nn.gelu(new, approximate=False))
        return x + new


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):  # (batch, 128)
        embedding = nn.Embed(BYTES, WIDTH, name="embedding")
        positions = nn.Embed(LENGTH, WIDTH, name="position")(jnp.arange(LENGTH))
        mask = nn.make_causal_mask(x)
        x = embedding(x) + positions  # (batch, 128, 384)
        for index in range(6):
            x = Block(name="blocks_%d" % index)(x, mask)
        x = nn.LayerNorm(epsilon=1e-5, name="norm")(x)
        return embedding.attend(x)  # (batch, 128, 256)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adamw": lambda: optax.adamw(1e-3, b1=0.9, b2=0.99, eps=1e-8, weight_decay=0.1),
}
