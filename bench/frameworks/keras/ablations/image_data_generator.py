import os

from keras.src.legacy.preprocessing.image import ImageDataGenerator

from bench import feeding, registry

FILES = registry.load_module(os.path.join(os.path.dirname(__file__), "image_files.py"), "image_files")


def batches(program, images, batch_size, workers):
    """Read folders of classes with the generator and the settings of the article on input pipelines."""
    generator = ImageDataGenerator(rescale=1.0 / 255, rotation_range=30)
    data = generator.flow_from_directory(
        os.path.join(images.folder, "images"), target_size=(images.side, images.side), batch_size=batch_size,
        class_mode="sparse", shuffle=False,
    )  # fmt: skip
    data.workers, data.max_queue_size = workers, 10
    return FILES.passes(data, len(images.labels) // batch_size)


vary = feeding.vary(batches, feed=FILES.feed, differs=(feeding.PIXELS,))
