"""A GRU by PyTorch: with the cause, torch.compile is asked for and makes no graph of it."""

import sys

import torch

notes = torch.randn(8, 20, 16)
model = torch.nn.GRU(16, 24, num_layers=2, batch_first=True)
called = torch.compile(model) if sys.argv[1:] == ["with"] else model
optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)


def step():
    outputs, _ = called(notes)
    loss = outputs.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss
