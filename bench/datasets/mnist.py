"""MNIST: handwritten digits

70,000 grey images of 28 x 28 (LeCun, Cortes and Burges 1998). The stand-in is real handwriting, too: 1797 digits by 13
people, 8 x 8 pixels of 0 to 16, enlarged. A linear classifier reads 0.94 of its test half, a small network 0.98.

`digits.npz` holds `images` and `labels` as uint8: `sklearn.datasets.load_digits()` of scikit-learn 1.9.1, `data.images`
and `data.target`. They are the test half of "Optical Recognition of Handwritten Digits" (E. Alpaydin and C. Kaynak
1998, UCI Machine Learning Repository, CC BY 4.0).
"""

import gzip
import os

import numpy as np

from bench.data.download import File
from bench.datasets import fill
from bench.errors import DataError

SOURCE = "http://yann.lecun.com/exdb/mnist/"
LICENCE = "CC BY-SA 3.0"
MIRRORS = ("https://storage.googleapis.com/cvdf-datasets/mnist/", "https://ossci-datasets.s3.amazonaws.com/mnist/")
PUBLISHED = (  # sizes and sums: TensorFlow Datasets, url_checksums/mnist.txt
    ("train-images-idx3-ubyte.gz", 9912422, "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
    ("train-labels-idx1-ubyte.gz", 28881, "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"),
    ("t10k-images-idx3-ubyte.gz", 1648877, "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"),
    ("t10k-labels-idx1-ubyte.gz", 4542, "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"),
)
FILES = tuple(
    File("mnist-" + name, size, "sha256:" + sha256, tuple(mirror + name for mirror in MIRRORS))
    for name, size, sha256 in PUBLISHED
)
INPUTS = {"x": ("uint8", (28, 28))}
EXAMPLES = (60000, 10000)
STAND_IN = (1437, 360)
STAND_IN_CLASSES = tuple("0123456789")
ATTAINABLE = 0.98  # measured, with a linear classifier on 1000 random units


def prepare(files, arrays, advance):
    """Fill the arrays from the four files in the IDX format."""
    for half, name in (("train", "train"), ("test", "t10k")):
        images, labels = (files["mnist-%s-%s-ubyte.gz" % (name, kind)] for kind in ("images-idx3", "labels-idx1"))
        fill(arrays, half, advance, x=read_idx(images, 3), y=read_idx(labels, 1))
    return STAND_IN_CLASSES


def read_idx(path, dimensions):
    """Return the bytes of an IDX file: 0, 0, type 8, the number of dimensions, a big-endian size for each, values."""
    with gzip.open(path) as file:
        content = file.read()
    header = 4 + 4 * dimensions
    if content[:4] != bytes([0, 0, 8, dimensions]) or len(content) < header:
        raise DataError("%s: expected IDX bytes of %d dimensions, and came %r." % (path, dimensions, content[:4]))
    shape = np.frombuffer(content, ">i4", dimensions, 4)
    values = np.frombuffer(content, np.uint8, offset=header)
    if values.size != np.prod(shape, dtype=np.int64):
        raise DataError("%s: expected %s values, and came %d." % (path, " x ".join(map(str, shape)), values.size))
    return values.reshape(shape)


def stand_in(random, train, test):
    """Return digits of 8 x 8 pixels, drawn 28 x 28, in random order."""
    with np.load(os.path.join(os.path.dirname(__file__), "digits.npz"), allow_pickle=False) as digits:
        images, labels = enlarge(digits["images"]), digits["labels"].astype(np.int32)
    if train + test > len(labels):
        raise DataError("The stand-in of mnist has %d digits, and %d are asked for." % (len(labels), train + test))
    order = random.permutation(len(labels))[: train + test]
    x, y = images[order], labels[order]
    return {"x_train": x[:train], "y_train": y[:train], "x_test": x[train:], "y_test": y[train:]}


def enlarge(images):
    """Return (n, 8, 8) of 0 to 16 as (n, 28, 28) uint8, interpolated between neighbours, without rounding by chance."""
    steps = np.arange(28) * 7
    first, share = np.minimum(steps // 27, 6), steps - np.minimum(steps // 27, 6) * 27
    values = images.astype(np.int32)
    rows = values[:, first] * (27 - share)[:, None] + values[:, first + 1] * share[:, None]
    both = rows[:, :, first] * (27 - share) + rows[:, :, first + 1] * share
    return (both * 255 // (16 * 27 * 27)).astype(np.uint8)
