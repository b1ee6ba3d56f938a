import optax
from flax import nnx


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.hidden1 = nnx.Linear(784, 512, rngs=rngs)
        self.dropout1 = nnx.Dropout(0.2, rngs=rngs)
        self.hidden2 = nnx.Linear(512, 512, rngs=rngs)
        self.dropout2 = nnx.Dropout(0.2, rngs=rngs)
        self.head = nnx.Linear(512, 10, rngs=rngs)

    def __call__(self, x):
        x = self.dropout1(nnx.relu(self.hidden1(x)))
        x = self.dropout2(nnx.relu(self.hidden2(x)))
        return self.head(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "rmsprop": lambda: optax.rmsprop(1e-3, decay=0.9, eps=1e-10, eps_in_sqrt=False),
}
