import os

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from bench import feeding


def path(images):
    return os.path.join(images.folder, "raw.npy")


def convert(images):
    """Decode the whole data set, once, and write it down."""
    shape = (len(images.files), images.side, images.side, 3)
    pixels = np.lib.format.open_memmap(path(images), mode="w+", dtype=np.uint8, shape=shape)
    for row, name in enumerate(images.files):
        with Image.open(name) as file:
            pixels[row] = images.cut(np.asarray(file.convert("RGB")))
    pixels.flush()
    return path(images)


class Raw(Dataset):
    """A file that is mapped into memory."""

    def __init__(self, images):
        self.pixels, self.labels = np.load(path(images), mmap_mode="r"), images.labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        x = torch.from_numpy(self.pixels[index].transpose(2, 0, 1).copy())
        return x.float().div(255), int(self.labels[index])


def batches(program, images, batch_size, workers):
    loader = DataLoader(Raw(images), batch_size, drop_last=True, num_workers=workers)
    device = next(program.model.parameters()).device

    def each():
        for x, y in loader:
            yield [x.to(device)], y.to(device)

    return feeding.Passes(each)


vary = feeding.vary(batches, convert)
