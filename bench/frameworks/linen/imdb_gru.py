import optax
from flax import linen as nn


class GRUCell(nn.GRUCell):
    """Flax's cell, with the recurrent biases of r and z that Keras, PyTorch and cuDNN have and Flax leaves out."""

    @nn.compact
    def __call__(self, h, x):
        def from_input(gate):
            return nn.Dense(self.features, name="i" + gate)(x)

        def from_state(gate):
            return nn.Dense(self.features, kernel_init=self.recurrent_kernel_init, name="h" + gate)(h)

        r = nn.sigmoid(from_input("r") + from_state("r"))
        z = nn.sigmoid(from_input("z") + from_state("z"))
        n = nn.tanh(from_input("n") + r * from_state("n"))
        h = (1 - z) * n + z * h
        return h, h


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):  # (batch, 150)
        x = nn.Embed(30_000, 125, name="embedding")(x)  # (batch, 150, 125)
        last, _ = nn.RNN(GRUCell(100, name="gru"), return_carry=True)(x)  # (batch, 100): the last output
        return nn.Dense(2, name="head")(last)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
