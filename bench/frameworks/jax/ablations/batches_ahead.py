import os

import grain

from bench import feeding, registry

FILES = registry.load_module(os.path.join(os.path.dirname(__file__), "image_files.py"), "image_files")


def batches(program, images, batch_size, ahead):
    """Let one thread of Grain decode, into a buffer of so many batches."""
    options = grain.ReadOptions(num_threads=min(ahead, 1), prefetch_buffer_size=ahead)
    return FILES.read(program, images, batch_size, options)


vary = feeding.vary(batches)
