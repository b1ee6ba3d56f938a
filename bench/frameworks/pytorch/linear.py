import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(100, 128)
        self.head = nn.Linear(128, 10)

    def forward(self, x):
        return self.head(F.relu(self.hidden(x)))


loss = F.cross_entropy

OPTIMIZERS = {
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-3, betas=(0.9, 0.999), eps=1e-7),
}
