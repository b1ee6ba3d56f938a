import numpy as np

from bench import feeding
from bench.ablations.raw_records import convert, path


def batches(program, images, batch_size, workers):
    pixels = np.load(path(images), mmap_mode="r")

    def each():
        for begin in range(0, len(pixels) - batch_size + 1, batch_size):
            rows = slice(begin, begin + batch_size)
            yield program.place(pixels[rows].astype("float32") / 255, images.labels[rows])

    return feeding.Passes(each)


vary = feeding.vary(batches, convert)
