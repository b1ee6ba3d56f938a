import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()
        self.conv1 = nn.Conv2d(3, 32, 3, padding=1)
        self.conv2 = nn.Conv2d(32, 32, 3)
        self.dropout1 = nn.Dropout(0.25)
        self.conv3 = nn.Conv2d(32, 64, 3, padding=1)
        self.conv4 = nn.Conv2d(64, 64, 3)
        self.dropout2 = nn.Dropout(0.25)
        self.hidden = nn.Linear(64 * 6 * 6, 512)
        self.dropout3 = nn.Dropout(0.5)
        self.head = nn.Linear(512, 10)

    def forward(self, x):  # (batch, 3, 32, 32)
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))  # (batch, 32, 30, 30)
        x = self.dropout1(F.max_pool2d(x, 2))  # (batch, 32, 15, 15)
        x = F.relu(self.conv3(x))
        x = F.relu(self.conv4(x))  # (batch, 64, 13, 13)
        x = self.dropout2(F.max_pool2d(x, 2))  # (batch, 64, 6, 6)
        x = x.view(x.size(0), -1)
        x = self.dropout3(F.relu(self.hidden(x)))
        return self.head(x)


loss = F.cross_entropy

OPTIMIZERS = {
    "rmsprop": lambda parameters: torch.optim.RMSprop(parameters, lr=1e-4, alpha=0.9, eps=1e-10),
}
