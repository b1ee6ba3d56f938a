import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30_000, 125)
        self.gru = nn.GRU(125, 100, batch_first=True)
        self.head = nn.Linear(100, 2)

    def forward(self, x):  # (batch, 150)
        x = self.embedding(x)  # (batch, 150, 125)
        _, last = self.gru(x)  # (1, batch, 100): the last output
        return self.head(last[-1])


loss = F.cross_entropy

OPTIMIZERS = {
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-3, betas=(0.9, 0.999), eps=1e-7),
}
