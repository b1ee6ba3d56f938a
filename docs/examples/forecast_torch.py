"""Forecast the next value of a series: an LSTM by PyTorch."""

import torch
from torch import nn

EXAMPLES_PER_STEP = 32


class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 64, batch_first=True)
        self.head = nn.Linear(64, 1)

    def forward(self, series):
        return self.head(self.lstm(series)[0][:, -1])


series, following = torch.randn(32, 60, 8), torch.randn(32, 1)
model = Forecast()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def step():
    loss = nn.functional.mse_loss(model(series), following)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss
