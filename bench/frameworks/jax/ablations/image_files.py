import grain
import numpy as np

from bench import feeding


class Photographs:
    """Files that are decoded when they are asked for; Grain calls it a source of random access."""

    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images.files)

    def __getitem__(self, index):
        return self.images.decoded(self.images.files[index]).astype(np.float32) / 255, self.images.labels[index]


def batches(program, images, batch_size, workers):
    """Let Grain decode files: when they are asked for, or in so many threads with two batches ahead."""
    data = grain.MapDataset.source(Photographs(images)).batch(batch_size, drop_remainder=True)
    ahead = grain.ReadOptions(num_threads=workers, prefetch_buffer_size=2 if workers else 0)

    def each():
        for x, y in data.to_iter_dataset(ahead):
            yield program.place(x, y)

    return feeding.Passes(each)


vary = feeding.vary(batches)
