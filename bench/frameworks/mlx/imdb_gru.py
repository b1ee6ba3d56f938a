import mlx.core as mx
import mlx.optimizers as optim
from mlx import nn


class GRU(nn.GRU):
    """MLX's layer, with the recurrent bias that Keras, PyTorch and cuDNN have and MLX keeps for one gate of three."""

    def __init__(self, inputs, units):
        super().__init__(inputs, units)
        del self.bhn
        self.bh = mx.random.uniform(-(units**-0.5), units**-0.5, (3 * units,))  # as MLX starts its biases

    def __call__(self, x):
        x = mx.addmm(self.b, x, self.Wx.T)
        hidden = mx.zeros((x.shape[0], self.hidden_size))
        outputs = []
        for step in range(x.shape[1]):
            x_r, x_z, x_n = mx.split(x[:, step], 3, axis=-1)
            h_r, h_z, h_n = mx.split(mx.addmm(self.bh, hidden, self.Wh.T), 3, axis=-1)
            z = mx.sigmoid(x_z + h_z)
            n = mx.tanh(x_n + mx.sigmoid(x_r + h_r) * h_n)
            hidden = (1 - z) * n + z * hidden
            outputs.append(hidden)
        return mx.stack(outputs, axis=1)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30_000, 125)
        self.gru = GRU(125, 100)
        self.head = nn.Linear(100, 2)

    def __call__(self, x):  # (batch, 150)
        x = self.embedding(x)  # (batch, 150, 125)
        outputs = self.gru(x)  # (batch, 150, 100)
        return self.head(outputs[:, -1])


def loss(logits, y):
    return nn.losses.cross_entropy(logits, y, reduction="mean")


OPTIMIZERS = {
    "adam": lambda: optim.Adam(1e-3, betas=[0.9, 0.999], eps=1e-7, bias_correction=True),
}
