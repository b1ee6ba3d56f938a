import optax
from flax import nnx


def convs(inputs, outputs, count, rngs):
    first = nnx.Conv(inputs, outputs, (3, 3), padding="SAME", rngs=rngs)
    return nnx.List([first, *(nnx.Conv(outputs, outputs, (3, 3), padding="SAME", rngs=rngs) for _ in range(count - 1))])


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.block1 = convs(3, 64, count=2, rngs=rngs)
        self.block2 = convs(64, 128, count=2, rngs=rngs)
        self.block3 = convs(128, 256, count=4, rngs=rngs)
        self.block4 = convs(256, 512, count=4, rngs=rngs)
        self.block5 = convs(512, 512, count=4, rngs=rngs)
        self.hidden1 = nnx.Linear(7 * 7 * 512, 4096, rngs=rngs)
        self.hidden2 = nnx.Linear(4096, 4096, rngs=rngs)
        self.head = nnx.Linear(4096, 120, rngs=rngs)

    def __call__(self, x):  # (batch, 224, 224, 3)
        for block in (self.block1, self.block2, self.block3, self.block4, self.block5):
            for conv in block:
                x = nnx.relu(conv(x))
            x = nnx.max_pool(x, (2, 2), strides=(2, 2))
        x = x.reshape(x.shape[0], -1)  # (batch, 25088), from (batch, 7, 7, 512)
        x = nnx.relu(self.hidden1(x))
        x = nnx.relu(self.hidden2(x))
        return self.head(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.01, momentum=0.9),
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
