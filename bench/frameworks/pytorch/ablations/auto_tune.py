import torch


def vary(program, source):
    class Tuned(program):
        def __init__(self, *about):
            super().__init__(*about)
            torch.backends.cudnn.benchmark = True

    return Tuned, source
