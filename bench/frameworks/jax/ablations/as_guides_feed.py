import itertools
import os

import grain

from bench import feeding, machine, registry

FILES = registry.load_module(os.path.join(os.path.dirname(__file__), "image_files.py"), "image_files")


def batches(program, images, batch_size, workers):
    return fed(program, grain.MapDataset.source(FILES.Photographs(images)).seed(0).shuffle(), batch_size)


def fed(program, data, batch_size):
    """Let Grain decode in processes, where threads would by default: one iterator goes on from pass to pass."""
    data = data.batch(batch_size, drop_remainder=True)
    steps, ahead = len(data), grain.MultiprocessingOptions(num_workers=machine.cores())
    iterator = iter(data.repeat().to_iter_dataset().mp_prefetch(ahead))

    def each():
        for x, y in itertools.islice(iterator, steps):
            yield program.place(x, y)

    return feeding.Passes(each)


vary = feeding.vary(batches, differs=(feeding.ORDER,))
