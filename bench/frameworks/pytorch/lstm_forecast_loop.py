import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.ModuleList([nn.LSTMCell(8, 64), nn.LSTMCell(64, 64)])
        for cell in self.lstm:
            nn.init.zeros_(cell.bias_hh).requires_grad_(False)  # a second bias that only PyTorch and cuDNN have
        self.head = nn.Linear(64, 1)

    def forward(self, x):  # (batch, 48, 8)
        first, second = self.lstm
        h1 = c1 = h2 = c2 = x.new_zeros(len(x), 64)
        for step in range(x.shape[1]):
            h1, c1 = first(x[:, step], (h1, c1))
            h2, c2 = second(h1, (h2, c2))
        return self.head(h2)  # (batch, 1)


loss = F.mse_loss

OPTIMIZERS = {
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-3, betas=(0.9, 0.999), eps=1e-7),
}
