import os

import tensorflow as tf

from bench import feeding

FEATURES = {"label": tf.io.FixedLenFeature([], tf.int64), "image": tf.io.FixedLenFeature([], tf.string)}


def path(images):
    return os.path.join(images.folder, "jpeg.tfrecord")


def convert(images):
    with tf.io.TFRecordWriter(path(images)) as writer:
        for name, label in zip(images.files, images.labels):
            with open(name, "rb") as file:
                image = tf.train.Feature(bytes_list=tf.train.BytesList(value=[file.read()]))
            number = tf.train.Feature(int64_list=tf.train.Int64List(value=[label]))
            features = tf.train.Features(feature={"image": image, "label": number})
            writer.write(tf.train.Example(features=features).SerializeToString())
    return path(images)


def batches(program, images, batch_size, workers):
    def parse(record):
        found = tf.io.parse_single_example(record, FEATURES)
        image = tf.io.decode_jpeg(found["image"], channels=3, dct_method="INTEGER_ACCURATE")
        begin = (tf.shape(image)[:2] - images.side) // 2
        image = tf.slice(image, [begin[0], begin[1], 0], [images.side, images.side, 3])
        return tf.cast(image, tf.float32) / 255, found["label"]

    data = tf.data.TFRecordDataset(path(images)).map(parse)
    data = data.batch(batch_size, drop_remainder=True)
    return feeding.Passes(lambda: iter(data))


vary = feeding.vary(batches, convert)
