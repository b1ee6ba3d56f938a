import os

import numpy as np
from torch.utils.data import DataLoader, Dataset

from bench import feeding, registry
from bench.ablations.raw_records import convert, path

FILES = registry.load_module(os.path.join(os.path.dirname(__file__), "image_files.py"), "image_files")


class Raw(Dataset):
    """A file that is mapped into memory."""

    def __init__(self, images):
        self.pixels, self.labels = np.load(path(images), mmap_mode="r"), images.labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return FILES.to_tensor(self.pixels[index]), int(self.labels[index])


def batches(program, images, batch_size, workers):
    return FILES.on_device(program, DataLoader(Raw(images), batch_size, drop_last=True, num_workers=workers))


vary = feeding.vary(batches, convert)
