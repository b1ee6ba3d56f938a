import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()
        self.lstm = nn.ModuleList([nn.LSTMCell(8, 64), nn.LSTMCell(64, 64)])
        for cell in self.lstm:
            nn.init.zeros_(cell.bias_hh).requires_grad_(False)  # for parity alone: the others have no second bias
        self.head = nn.Linear(64, 1)

    def forward(self, x):  # (batch, 48, 8)
        first, second = self.lstm
        state1 = state2 = None  # zeros
        for inputs in x.unbind(dim=1):
            state1 = first(inputs, state1)  # output and cell, each (batch, 64)
            state2 = second(state1[0], state2)
        return self.head(state2[0])  # (batch, 1)


loss = F.mse_loss

# PyTorch 1.0 adds epsilon before the bias correction, later ones after it: 1e-8 there acts as 1e-7 here, at step 10.
EPSILON = 1e-8 if torch.__version__.startswith("1.0.") else 1e-7

OPTIMIZERS = {
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-3, betas=(0.9, 0.999), eps=EPSILON),
}
