import torch


def vary(program, source):
    torch.backends.mkldnn.enabled = False  # for the process, which measures nothing else
    return program, source
