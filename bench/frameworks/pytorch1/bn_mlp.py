import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()
        self.hidden1 = nn.Linear(100, 256)
        self.norm1 = nn.BatchNorm1d(256, eps=1e-3, momentum=0.01)
        self.dropout1 = nn.Dropout(0.5)
        self.hidden2 = nn.Linear(256, 128)
        self.norm2 = nn.BatchNorm1d(128, eps=1e-3, momentum=0.01)
        self.dropout2 = nn.Dropout(0.5)
        self.head = nn.Linear(128, 10)

    def forward(self, x):
        x = self.norm1(F.relu(self.hidden1(x)))
        x = self.dropout1(x)
        x = self.norm2(F.relu(self.hidden2(x)))
        x = self.dropout2(x)
        return self.head(x)


loss = F.cross_entropy

# PyTorch 1.0 adds epsilon before the bias correction, later ones after it: 1e-8 there acts as 1e-7 here, at step 10.
EPSILON = 1e-8 if torch.__version__.startswith("1.0.") else 1e-7

OPTIMIZERS = {
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-3, betas=(0.9, 0.999), eps=EPSILON),
}
