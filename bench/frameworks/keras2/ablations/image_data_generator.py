import os

import keras
from keras.preprocessing.image import ImageDataGenerator
from keras.utils import OrderedEnqueuer, Sequence

from bench import feeding
from bench.errors import Unsupported

AHEAD = 10  # batches of the queue: fit_generator's default


class First(Sequence):
    """The first batches of a folder, for this Keras: each once and in order, whichever worker reads it.

    fit_generator of 2017 makes as many steps as a sequence is long. From TensorFlow 1.13 on, the generator is a
    Sequence of TensorFlow's Keras and not of this one. Its workers then read on, and bring batches in any order.
    """

    def __init__(self, data, steps):
        self.data, self.steps = data, steps

    def __len__(self):
        return self.steps

    def __getitem__(self, index):
        return self.data[index]

    def on_epoch_end(self):
        """Begin anew, in the same order."""


def batches(program, images, batch_size, workers):
    return read(os.path.join(images.folder, "images"), images, batch_size, workers)


def read(folder, images, batch_size, workers):
    """Read folders of classes with the generator and the settings of the article on input pipelines.

    Raises Unsupported where the generator knows no batch by its number.
    """
    generator = ImageDataGenerator(rescale=1.0 / 255, rotation_range=30)
    found = generator.flow_from_directory(
        folder, target_size=(images.side, images.side), batch_size=batch_size, shuffle=False
    )
    if not hasattr(found, "__getitem__"):
        raise Unsupported("Keras %s reads on and on: its workers bring batches in any order." % keras.__version__)
    data = First(found, len(images.labels) // batch_size)

    def each():
        queue = OrderedEnqueuer(data)
        queue.start(workers, AHEAD)
        try:
            given = queue.get()
            for _ in range(len(data)):
                x, y = next(given)
                yield x, y.argmax(1)
        finally:
            queue.stop()

    return feeding.Passes(each, (data, workers))


def feed(program, given):
    data, workers = given.of
    return program.model.fit_generator(
        data, len(data), workers=workers, max_queue_size=AHEAD, shuffle=False, verbose=0
    ).history["loss"][0]


vary = feeding.vary(batches, feed=feed, differs=(feeding.PIXELS,))
