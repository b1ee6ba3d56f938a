import keras
import numpy as np

from bench import feeding
from bench.ablations.raw_records import convert, path


class Raw(keras.utils.PyDataset):
    """Batches of a file that is mapped into memory."""

    def __init__(self, images, batch_size):
        super().__init__()
        self.pixels, self.labels, self.size = np.load(path(images), mmap_mode="r"), images.labels, batch_size

    def __len__(self):
        return len(self.labels) // self.size

    def __getitem__(self, index):
        rows = slice(index * self.size, (index + 1) * self.size)
        return self.pixels[rows].astype(np.float32) / 255, self.labels[rows]


def batches(program, images, batch_size, workers):
    data = Raw(images, batch_size)
    return feeding.Passes(lambda: (data[index] for index in range(len(data))), data)


def feed(program, given):
    return program.model.fit(given.of, shuffle=False, verbose=0).history["loss"][0]


vary = feeding.vary(batches, convert, feed)
