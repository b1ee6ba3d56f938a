import numpy as np
import tensorflow as tf

from bench import feeding


def middle(images, jpeg):
    """Return what a network takes of the bytes of a JPEG file: the middle, float32 from 0 to 1."""
    image = tf.io.decode_jpeg(jpeg, channels=3, dct_method="INTEGER_ACCURATE")
    begin = (tf.shape(image)[:2] - images.side) // 2
    image = tf.slice(image, [begin[0], begin[1], 0], [images.side, images.side, 3])
    return tf.cast(image, tf.float32) / 255


def batches(program, images, batch_size, workers):
    """Decode files as the guide to tf.data does: one after the other, or so many side by side and a batch ahead."""

    def load(path, label):
        return middle(images, tf.io.read_file(path)), label

    data = tf.data.Dataset.from_tensor_slices((images.files, images.labels.astype(np.int64)))
    data = data.map(load, num_parallel_calls=workers or None).batch(batch_size, drop_remainder=True)
    data = data.prefetch(1) if workers else data
    return feeding.Passes(lambda: iter(data))


vary = feeding.vary(batches)
