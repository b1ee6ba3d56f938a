import os

import torch
from torch.utils.data import DataLoader

from bench import feeding, machine, registry

FILES = registry.load_module(os.path.join(os.path.dirname(__file__), "image_files.py"), "image_files")


def batches(program, images, batch_size, workers):
    return fed(program, FILES.Photographs(images), batch_size)


def fed(program, data, batch_size):
    loader = DataLoader(
        data, batch_size, shuffle=True, generator=torch.Generator().manual_seed(0),
        drop_last=True, num_workers=machine.cores(), persistent_workers=True,
        pin_memory=next(program.model.parameters()).is_cuda,
    )  # fmt: skip
    return FILES.on_device(program, loader)


vary = feeding.vary(batches, differs=(feeding.ORDER,))
