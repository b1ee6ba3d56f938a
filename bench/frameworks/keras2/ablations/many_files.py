import os

from bench import feeding, registry
from bench.ablations.many_files import folder

GENERATOR = registry.load_module(
    os.path.join(os.path.dirname(__file__), "image_data_generator.py"), "image_data_generator"
)


def batches(program, images, batch_size, workers):
    return GENERATOR.read(folder(images), images, batch_size, workers)


vary = feeding.vary(batches, feed=GENERATOR.feed, differs=(feeding.PIXELS,))
