import os

import tensorflow as tf

from bench import feeding

FEATURES = {"label": tf.io.FixedLenFeature([], tf.int64), "image_raw": tf.io.FixedLenFeature([], tf.string)}


def path(images):
    return os.path.join(images.folder, "raw.tfrecord")


def write(path, images, content):
    """Write TFRecords of what `content` makes of each file, with its label; return the path."""
    with tf.io.TFRecordWriter(path) as writer:
        for name, label in zip(images.files, images.labels):
            image = tf.train.Feature(bytes_list=tf.train.BytesList(value=[content(name).numpy()]))
            number = tf.train.Feature(int64_list=tf.train.Int64List(value=[label]))
            features = tf.train.Features(feature={"image_raw": image, "label": number})
            writer.write(tf.train.Example(features=features).SerializeToString())
    return path


def convert(images):
    """Decode the whole data set, once, and write it down as the article on input pipelines does."""

    def pixels(name):
        image = tf.io.decode_jpeg(tf.io.read_file(name), channels=3, dct_method="INTEGER_ACCURATE")
        return tf.constant(images.cut(image.numpy()).tobytes())

    return write(path(images), images, pixels)


def batches(program, images, batch_size, workers):
    """Read them as it does: four parallel calls, nothing ahead."""

    def parse(record):
        found = tf.io.parse_single_example(record, FEATURES)
        image = tf.reshape(tf.io.decode_raw(found["image_raw"], tf.uint8), (images.side, images.side, 3))
        return tf.cast(image, tf.float32) / 255, found["label"]

    data = tf.data.TFRecordDataset(path(images)).map(parse, num_parallel_calls=4)
    data = data.batch(batch_size, drop_remainder=True)
    return feeding.Passes(lambda: iter(data))


vary = feeding.vary(batches, convert)
