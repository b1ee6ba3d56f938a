"""Keras' ImageDataGenerator in a folder of 200,000 files

The same photographs are read as without, from a folder that has many more: links to them, again and again. Some readers
do something for each file of a folder whenever they read one of them. Keras-Preprocessing 1.0.9 makes a list of all
their paths for each batch.
"""

import os
import shutil
from typing import Any

from bench.feeding import TASKS, WORKLOADS

__all__ = ["TASKS", "WORKLOADS"]

IS_SAME = True
WORKERS = (16,)
COUNT = 200000  # ImageNet has six times as many


def folder(images: Any) -> str:
    """Return a folder with the photographs, and behind them links to them in the last class; it is made once."""
    path, last_class = os.path.join(images.folder, "many"), os.path.dirname(images.files[-1])
    if not os.path.exists(path):
        shutil.rmtree(path + ".partial", ignore_errors=True)
        shutil.copytree(os.path.dirname(last_class), path + ".partial", copy_function=os.link)
        links = os.path.join(path + ".partial", os.path.basename(last_class), "z%06d.jpg")  # behind all numbers
        for number in range(len(images.files), COUNT):
            os.link(images.files[number % len(images.files)], links % number)  # a file takes 65,000 links at most
        os.rename(path + ".partial", path)
    return path
