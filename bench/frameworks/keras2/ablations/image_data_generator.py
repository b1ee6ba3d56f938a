import os

from keras.preprocessing.image import ImageDataGenerator
from keras.utils import GeneratorEnqueuer, OrderedEnqueuer, Sequence

from bench import feeding

AHEAD = 10  # batches of the queue: fit_generator's default


class First(Sequence):
    """The first batches of a folder's: fit_generator of 2017 makes as many steps as a sequence is long."""

    def __init__(self, data, steps):
        self.data, self.steps = data, steps

    def __len__(self):
        return self.steps

    def __getitem__(self, index):
        return self.data[index]

    def on_epoch_end(self):
        """Begin anew, in the same order."""

    def reset(self):
        """Begin anew: it has no state."""


def batches(program, images, batch_size, workers):
    return read(os.path.join(images.folder, "images"), images, batch_size, workers)


def read(folder, images, batch_size, workers):
    """Read folders of classes with the generator and the settings of the article on input pipelines."""
    generator = ImageDataGenerator(rescale=1.0 / 255, rotation_range=30)
    data = generator.flow_from_directory(
        folder, target_size=(images.side, images.side), batch_size=batch_size, shuffle=False
    )
    steps = len(images.labels) // batch_size
    data = First(data, steps) if isinstance(data, Sequence) else data

    def each():
        data.reset()  # or it goes on behind what was read ahead in the pass before
        # As fit_generator has it. From TensorFlow 1.13 on, the generator is a Sequence of TensorFlow's Keras, and not
        # of this one: workers take batches as they come, so that their order may differ.
        queue = (OrderedEnqueuer if isinstance(data, Sequence) else GeneratorEnqueuer)(data)
        queue.start(workers, AHEAD)
        try:
            given = queue.get()
            for _ in range(steps):
                x, y = next(given)
                yield x, y.argmax(1)
        finally:
            queue.stop()

    return feeding.Passes(each, (data, steps, workers))


def feed(program, given):
    data, steps, workers = given.of
    data.reset()
    return program.model.fit_generator(
        data, steps, workers=workers, max_queue_size=AHEAD, shuffle=False, verbose=0
    ).history["loss"][0]


vary = feeding.vary(batches, feed=feed, differs=(feeding.PIXELS, feeding.ORDER))
