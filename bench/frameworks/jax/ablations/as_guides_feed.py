import os

import grain

from bench import feeding, registry

FILES = registry.load_module(os.path.join(os.path.dirname(__file__), "image_files.py"), "image_files")


def batches(program, images, batch_size, workers):
    return fed(program, grain.MapDataset.source(FILES.Photographs(images)), batch_size)


def fed(program, data, batch_size):
    """Shuffle, and let Grain read ahead with as many threads as it does by default."""
    data = data.seed(0).shuffle().batch(batch_size, drop_remainder=True)

    def each():
        for x, y in data.to_iter_dataset():
            yield program.place(x, y)

    return feeding.Passes(each)


vary = feeding.vary(batches, differs=(feeding.ORDER,))
