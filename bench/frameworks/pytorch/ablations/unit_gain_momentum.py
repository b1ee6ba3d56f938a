import torch

from bench.ablations import changed

OPTIMIZERS = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.01, momentum=0.9, dampening=0.9),
}


def vary(program, source):
    return program, changed(source, OPTIMIZERS=OPTIMIZERS)
