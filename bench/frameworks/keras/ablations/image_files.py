import itertools

import keras
import numpy as np

from bench import feeding


class Photographs(keras.utils.PyDataset):
    """Batches of files that are decoded when they are asked for, by threads of Keras' own."""

    def __init__(self, images, batch_size, workers):
        super().__init__(workers=max(1, workers), max_queue_size=10)
        self.images, self.size = images, batch_size

    def __len__(self):
        return len(self.images.files) // self.size

    def __getitem__(self, index):
        rows = range(index * self.size, (index + 1) * self.size)
        return np.stack([self.decoded(row) for row in rows]), self.images.labels[rows]

    def decoded(self, row):
        return self.images.decoded(self.images.files[row]).astype(np.float32) / 255


def batches(program, images, batch_size, workers):
    data = Photographs(images, batch_size, workers)
    return passes(data, len(data))


def passes(data, count, **more):
    """Return passes of so many batches as fit gets them: Keras says in no public place how it reads data."""
    from keras.src.trainers.data_adapters import get_data_adapter

    def each():
        adapter = get_data_adapter(data, shuffle=False, **more)
        adapter.on_epoch_begin()
        yield from itertools.islice(adapter.get_numpy_iterator(), count)
        adapter.on_epoch_end()

    return feeding.Passes(each, (data, count))


def feed(program, given):
    data, count = given.of
    return program.model.fit(data, steps_per_epoch=count, shuffle=False, verbose=0).history["loss"][0]


vary = feeding.vary(batches, feed=feed)
