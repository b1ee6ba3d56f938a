import os

import tensorflow as tf

from bench import feeding, registry

GUIDE = registry.load_module(os.path.join(os.path.dirname(__file__), "as_guides_feed.py"), "as_guides_feed")


def batches(program, images, batch_size, workers):
    def decode(jpeg):
        image = tf.io.decode_jpeg(jpeg, channels=3, dct_method="INTEGER_ACCURATE")
        image = tf.image.random_crop(image, [images.side, images.side, 3])
        return tf.cast(tf.image.random_flip_left_right(image), tf.float32) / 255

    return GUIDE.fed(images, batch_size, decode)


vary = feeding.vary(batches, differs=(feeding.PIXELS, feeding.ORDER))
