"""One file of raw pixels

The whole data set is decoded once and written down, which the article on input pipelines calls converting. Nothing is
left to decode, and there is more to read.
"""

import os
from typing import Any

import numpy as np

from bench.feeding import TASKS, WORKLOADS

__all__ = ["TASKS", "WORKLOADS"]

IS_SAME = True
WORKERS = (0,)


def path(images: Any) -> str:
    """Return where the pixels of photographs lie."""
    return os.path.join(images.folder, "raw.npy")


def convert(images: Any) -> str:
    """Decode the whole data set, once, and write it down; return where."""
    shape = (len(images.files), images.side, images.side, 3)
    pixels = np.lib.format.open_memmap(path(images), mode="w+", dtype=np.uint8, shape=shape)
    for row, name in enumerate(images.files):
        pixels[row] = images.decoded(name)
    pixels.flush()
    return path(images)
