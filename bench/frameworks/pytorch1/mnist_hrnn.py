import torch
import torch.nn.functional as F
from torch import nn


def lstm(inputs, units):
    layer = nn.LSTM(inputs, units, batch_first=True)
    nn.init.zeros_(layer.bias_hh_l0).requires_grad_(False)  # for parity alone: the others have no second bias
    return layer


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()
        self.row_lstm = lstm(1, 128)
        self.column_lstm = lstm(128, 128)
        self.head = nn.Linear(128, 10)

    def forward(self, x):  # (batch, 1, 28, 28)
        x = x.reshape(-1, 28, 1)  # (batch * 28, 28, 1): each row is a sequence
        _, (last, _) = self.row_lstm(x)  # (1, batch * 28, 128): the last output
        rows = last.reshape(-1, 28, 128)  # (batch, 28, 128)
        _, (last, _) = self.column_lstm(rows)  # (1, batch, 128)
        return self.head(last[-1])


loss = F.cross_entropy

OPTIMIZERS = {
    "rmsprop": lambda parameters: torch.optim.RMSprop(parameters, lr=1e-3, alpha=0.9, eps=1e-8),
}
