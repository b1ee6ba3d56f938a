"""Uncompressed files

Each photograph is decoded once and written into a file of its own: nothing is left to decode, and each example opens a
file.
"""

import os
from typing import Any

import numpy as np

from bench.feeding import TASKS, WORKLOADS

__all__ = ["TASKS", "WORKLOADS"]

IS_SAME = True
WORKERS = (0, 2)


def path(images: Any, number: int) -> str:
    """Return the file of a photograph's pixels."""
    return os.path.join(images.folder, "pixels", "%05d.npy" % number)


def convert(images: Any) -> str:
    """Decode every photograph once, and write its pixels; return the folder."""
    folder = os.path.join(images.folder, "pixels")
    os.makedirs(folder, exist_ok=True)
    for number, name in enumerate(images.files):
        np.save(path(images, number), images.decoded(name))
    return folder
