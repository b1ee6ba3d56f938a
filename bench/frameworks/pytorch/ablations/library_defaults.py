import torch

from bench.ablations import changed


def vary(program, source):
    return program, changed(source, OPTIMIZERS={"rmsprop": torch.optim.RMSprop})
