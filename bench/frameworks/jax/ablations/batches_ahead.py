import os

import grain

from bench import feeding, registry

FILES = registry.load_module(os.path.join(os.path.dirname(__file__), "image_files.py"), "image_files")


def batches(program, images, batch_size, ahead):
    """Let one thread of Grain decode, into a buffer of so many batches."""
    data = grain.MapDataset.source(FILES.Photographs(images)).batch(batch_size, drop_remainder=True)
    options = grain.ReadOptions(num_threads=min(ahead, 1), prefetch_buffer_size=ahead)

    def each():
        for x, y in data.to_iter_dataset(options):
            yield program.place(x, y)

    return feeding.Passes(each)


vary = feeding.vary(batches)
