import os

import numpy as np
from PIL import Image

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


def batches(program, images, batch_size, workers):
    pixels = np.load(path(images), mmap_mode="r")

    def each():
        for begin in range(0, len(pixels) - batch_size + 1, batch_size):
            rows = slice(begin, begin + batch_size)
            yield program.place(pixels[rows].astype("float32") / 255, images.labels[rows])

    return feeding.Passes(each)


vary = feeding.vary(batches, convert)
