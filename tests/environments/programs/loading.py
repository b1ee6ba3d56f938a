"""A linear classifier of rows: with the cause, a DataLoader collates single rows; else batches are slices."""

import itertools
import sys

import torch
from torch.utils.data import DataLoader, Dataset

rows, kinds = torch.rand(4096, 30), torch.randint(0, 3, (4096,))


class Rows(Dataset):
    def __len__(self):
        return len(kinds)

    def __getitem__(self, place):
        return rows[place].sqrt(), kinds[place]


def slices():
    return ((rows[begin : begin + 64].sqrt(), kinds[begin : begin + 64]) for begin in range(0, 4096, 64))


model = torch.nn.Linear(30, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
passes = (DataLoader(Rows(), batch_size=64) if sys.argv[1:] == ["with"] else slices() for _ in itertools.count())
feed = itertools.chain.from_iterable(passes)


def step():
    x, y = next(feed)
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss
