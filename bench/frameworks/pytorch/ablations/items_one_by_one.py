import torch
from torch.utils.data import TensorDataset, default_collate


def vary(program, source):
    class OneByOne(program):
        def place(self, x, y):
            examples = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
            x, y = default_collate([examples[row] for row in range(len(examples))])
            return super().place(x.numpy(), y.numpy())

    return OneByOne, source
