import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 64, num_layers=2, batch_first=True)
        for second_bias in (self.lstm.bias_hh_l0, self.lstm.bias_hh_l1):  # for parity alone
            nn.init.zeros_(second_bias).requires_grad_(False)
        self.head = nn.Linear(64, 1)

    def forward(self, x):  # (batch, 48, 8)
        _, (last, _) = self.lstm(x)  # (2, batch, 64): each layer's last output
        return self.head(last[-1])  # (batch, 1)


loss = F.mse_loss

OPTIMIZERS = {
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-3, betas=(0.9, 0.999), eps=1e-7),
}
