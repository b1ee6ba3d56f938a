import numpy as np
import tensorflow as tf

from bench import feeding


def batches(program, images, batch_size, workers):
    data = tf.data.Dataset.from_tensor_slices((images.pixels.copy(), images.labels.astype(np.int64)))
    data = data.batch(batch_size, drop_remainder=True)
    return feeding.Passes(lambda: iter(data.map(lambda x, y: (tf.cast(x, tf.float32) / 255, y))))


vary = feeding.vary(batches)
