import os

import numpy as np

from bench import feeding, registry

FILES = registry.load_module(os.path.join(os.path.dirname(__file__), "image_files.py"), "image_files")


def batches(program, images, batch_size, workers):
    """Give fit its arrays, floats already: what it is made for."""
    count = len(images.labels) // batch_size * batch_size
    x, y = images.pixels[:count].astype(np.float32) / 255, images.labels[:count]
    found = FILES.passes(x, count // batch_size, y=y, batch_size=batch_size)
    return feeding.Passes(found.begin, (x, y, batch_size))


def feed(program, given):
    return program.fit(*given.of)


vary = feeding.vary(batches, feed=feed)
