import os

import numpy as np
from torch.utils.data import DataLoader, Dataset

from bench import feeding, registry
from bench.ablations.uncompressed_files import convert, path

FILES = registry.load_module(os.path.join(os.path.dirname(__file__), "image_files.py"), "image_files")


class Uncompressed(Dataset):
    """One file of pixels for each photograph, read when it is asked for."""

    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images.labels)

    def __getitem__(self, index):
        return FILES.to_tensor(np.load(path(self.images, index))), int(self.images.labels[index])


def batches(program, images, batch_size, workers):
    loader = DataLoader(Uncompressed(images), batch_size, drop_last=True, num_workers=workers)
    return FILES.on_device(program, loader)


vary = feeding.vary(batches, convert)
