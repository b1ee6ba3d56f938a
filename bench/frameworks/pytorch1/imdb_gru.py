import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()
        self.embedding = nn.Embedding(30000, 125)
        self.gru = nn.GRU(125, 100, batch_first=True)
        self.head = nn.Linear(100, 2)

    def forward(self, x):  # (batch, 150)
        x = self.embedding(x)  # (batch, 150, 125)
        _, last = self.gru(x)  # (1, batch, 100): the last output
        return self.head(last[-1])


loss = F.cross_entropy

# PyTorch 1.0 adds epsilon before the bias correction, later ones after it: 1e-8 there acts as 1e-7 here, at step 10.
EPSILON = 1e-8 if torch.__version__.startswith("1.0.") else 1e-7

OPTIMIZERS = {
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-3, betas=(0.9, 0.999), eps=EPSILON),
}
