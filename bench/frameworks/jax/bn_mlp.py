import optax
from flax import nnx


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.hidden1 = nnx.Linear(100, 256, rngs=rngs)
        self.norm1 = nnx.BatchNorm(256, momentum=0.99, epsilon=1e-3, rngs=rngs)
        self.dropout1 = nnx.Dropout(0.5, rngs=rngs)
        self.hidden2 = nnx.Linear(256, 128, rngs=rngs)
        self.norm2 = nnx.BatchNorm(128, momentum=0.99, epsilon=1e-3, rngs=rngs)
        self.dropout2 = nnx.Dropout(0.5, rngs=rngs)
        self.head = nnx.Linear(128, 10, rngs=rngs)

    def __call__(self, x):
        x = self.norm1(nnx.relu(self.hidden1(x)))
        x = self.dropout1(x)
        x = self.norm2(nnx.relu(self.hidden2(x)))
        x = self.dropout2(x)
        return self.head(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
