import os

import tensorflow as tf

from bench import feeding, registry

FOLDER = os.path.dirname(__file__)
FILES = registry.load_module(os.path.join(FOLDER, "image_files.py"), "image_files")
RAW = registry.load_module(os.path.join(FOLDER, "raw_records.py"), "raw_records")


def path(images):
    return os.path.join(images.folder, "jpeg.tfrecord")


def convert(images):
    return RAW.write(path(images), images, tf.io.read_file)


def batches(program, images, batch_size, workers):
    def parse(record):
        found = tf.io.parse_single_example(record, RAW.FEATURES)
        return FILES.middle(images, found["image_raw"]), found["label"]

    data = tf.data.TFRecordDataset(path(images)).map(parse)
    data = data.batch(batch_size, drop_remainder=True)
    return feeding.Passes(lambda: iter(data))


vary = feeding.vary(batches, convert)
