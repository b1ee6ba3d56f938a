import os

import numpy as np
import tensorflow as tf

from bench import feeding, registry

FILES = registry.load_module(os.path.join(os.path.dirname(__file__), "image_files.py"), "image_files")


def batches(program, images, batch_size, workers):
    return fed(images, batch_size, lambda jpeg: FILES.middle(images, jpeg))


def fed(images, batch_size, decode):
    """Let tf.data find out how much to decode side by side, and how far ahead."""

    def load(path, label):
        return decode(tf.io.read_file(path)), label

    data = tf.data.Dataset.from_tensor_slices((images.files, images.labels.astype(np.int64)))
    data = data.shuffle(len(images.files), seed=0).map(load, num_parallel_calls=tf.data.AUTOTUNE)
    data = data.batch(batch_size, drop_remainder=True).prefetch(tf.data.AUTOTUNE)
    return feeding.Passes(lambda: iter(data))


vary = feeding.vary(batches, differs=(feeding.ORDER,))
