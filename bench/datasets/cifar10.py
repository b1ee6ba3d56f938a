"""CIFAR-10: small photographs of ten kinds of things

60,000 colour images of 32 x 32 (Krizhevsky 2009), from the binary version, which holds numbers and no Python objects.
The stand-in draws ten textures: five directions of stripes, each in two colours, on shapes of any form and place, with
noise. One label in ten is wrong on purpose, so at most 0.90 is attainable on its test half.
"""

import numpy as np

from bench.data.download import File
from bench.datasets import KINDS, balanced, fill, halves, members, mislabel, picture
from bench.errors import DataError

SOURCE = "https://www.cs.toronto.edu/~kriz/cifar.html"
LICENCE = "not stated; cite Krizhevsky 2009"
FILES = (
    File(  # size and sum: TensorFlow Datasets, url_checksums/cifar10.txt
        "cifar-10-binary.tar.gz",
        170052171,
        "sha256:c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
        ("https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",),
    ),
)
INPUTS = {"x": ("uint8", (32, 32, 3))}
EXAMPLES = (50000, 10000)
CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
COLORS = {"orange": (255, 150, 60), "blue": (60, 150, 255)}
STAND_IN = (2000, 500)
STAND_IN_CLASSES = tuple("%s %s" % (color, kind) for color in COLORS for kind in KINDS)
LOOKS = tuple((kind, 6, color) for color in COLORS.values() for kind in KINDS)
WRONG_PERCENT = 10
ATTAINABLE = 0.90  # by construction


def prepare(files, arrays, advance):
    """Fill the arrays from records of a label and 3 x 32 x 32 values, 10,000 to a file, five of them for training."""
    pattern = r"cifar-10-batches-bin/(data_batch_\d|test_batch)\.bin"
    batches = {name: records(content, name) for name, content in members(files["cifar-10-binary.tar.gz"], pattern)}
    for half, kind in (("train", "data_batch"), ("test", "test_batch")):
        chosen = [batches[name] for name in sorted(batches) if kind in name]
        values = np.concatenate(chosen + [np.zeros((0, 3073), np.uint8)])
        images = values[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        fill(arrays, half, advance, x=images, y=values[:, 0])
    return CLASSES


def records(content, name):
    """Return (records, 3073) uint8: a label, then the image's red, green and blue."""
    if len(content) % 3073:
        raise DataError("%s: expected records of 3073 bytes, and came %d bytes." % (name, len(content)))
    return np.frombuffer(content, np.uint8).reshape(-1, 3073)


def stand_in(random, train, test):
    """Return textured shapes; the class is the colour and the direction of the texture."""
    return halves(drawn, random, train, test, 32, LOOKS)


def drawn(random, count, side, looks):
    """Return pictures of `side` pixels, each class of another look, some of them under a wrong label."""
    y = balanced(random, count, len(looks))
    x = np.stack([picture(random, side, *looks[label]) for label in y])
    return {"x": x, "y": mislabel(random, y, len(looks), WRONG_PERCENT)}
