import optax
from flax import nnx


class GRUCell(nnx.GRUCell):
    """Flax's cell, with the recurrent bias that Keras, PyTorch and cuDNN have and Flax leaves out."""

    def __init__(self, inputs, units, *, rngs):
        super().__init__(inputs, units, rngs=rngs)
        orthogonal = nnx.initializers.orthogonal()  # as Flax starts its own, which has no bias
        self.dense_h = nnx.Linear(units, 3 * units, kernel_init=orthogonal, rngs=rngs)


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.embedding = nnx.Embed(30_000, 125, rngs=rngs)
        self.gru = nnx.RNN(GRUCell(125, 100, rngs=rngs), rngs=rngs)
        self.head = nnx.Linear(100, 2, rngs=rngs)

    def __call__(self, x):  # (batch, 150)
        x = self.embedding(x)  # (batch, 150, 125)
        last, _ = self.gru(x, return_carry=True)  # (batch, 100): the last output
        return self.head(last)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
