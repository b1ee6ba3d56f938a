"""A regression on a table: with the cause, NumPy's float64 numbers reach the model as they are."""

import sys

import numpy as np
import torch

table = np.random.default_rng(1).normal(size=(512, 64))
if sys.argv[1:] != ["with"]:
    table = table.astype(np.float32)
features, target = torch.as_tensor(table[:, 1:]), torch.as_tensor(table[:, :1])
hidden, head = torch.nn.Linear(63, 256).to(features.dtype), torch.nn.Linear(256, 1).to(features.dtype)
optimizer = torch.optim.RMSprop([*hidden.parameters(), *head.parameters()])


def step():
    loss = (head(hidden(features).relu()) - target).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss
