import os

import keras

from bench import feeding, registry

FILES = registry.load_module(os.path.join(os.path.dirname(__file__), "image_files.py"), "image_files")


def batches(program, images, batch_size, workers):
    """Read folders of classes with image_dataset_from_directory: by tf.data on TensorFlow, and else by Grain.

    It makes images smaller instead of cutting them.
    """
    by_tensorflow = keras.backend.backend() == "tensorflow"
    data = keras.utils.image_dataset_from_directory(
        os.path.join(images.folder, "images"), batch_size=batch_size, image_size=(images.side, images.side), seed=0,
        crop_to_aspect_ratio=True, format="tf" if by_tensorflow else "grain", verbose=False,
    )  # fmt: skip
    data = data.map((lambda x, y: (x / 255, y)) if by_tensorflow else (lambda batch: (batch[0] / 255, batch[1])))
    return FILES.passes(data, len(images.labels) // batch_size)


vary = feeding.vary(batches, feed=FILES.feed, differs=(feeding.PIXELS, feeding.ORDER))
