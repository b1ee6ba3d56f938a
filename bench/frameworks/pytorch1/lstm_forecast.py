import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()
        self.lstm = nn.LSTM(8, 64, num_layers=2, batch_first=True)
        for second_bias in (self.lstm.bias_hh_l0, self.lstm.bias_hh_l1):  # for parity alone
            nn.init.zeros_(second_bias).requires_grad_(False)
        self.head = nn.Linear(64, 1)

    def forward(self, x):  # (batch, 48, 8)
        _, (last, _) = self.lstm(x)  # (2, batch, 64): each layer's last output
        return self.head(last[-1])  # (batch, 1)


loss = F.mse_loss

# PyTorch 1.0 adds epsilon before the bias correction, later ones after it: 1e-8 there acts as 1e-7 here, at step 10.
EPSILON = 1e-8 if torch.__version__.startswith("1.0.") else 1e-7

OPTIMIZERS = {
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-3, betas=(0.9, 0.999), eps=EPSILON),
}
