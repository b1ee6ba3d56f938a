"""Stanford Dogs: photographs of 120 breeds

20,580 colour photographs out of ImageNet (Khosla et al. 2011), the breeds of Kaggle's "Dog Breed Identification", in
the authors' own split. Each is resized to 224 x 224, its sides not kept in proportion, with Pillow's bilinear filter.
The stand-in draws 120 textures: five directions, four widths, six colours, on shapes of any form and place, with noise.
One label in ten is wrong on purpose, so at most 0.90 is attainable on its test half.
"""

import io

import numpy as np

from bench.data import imported
from bench.data.download import File
from bench.datasets import KINDS, fill_images, halves, members, rows_of
from bench.datasets.cifar10 import drawn
from bench.errors import DataError

SOURCE = "http://vision.stanford.edu/aditya86/ImageNetDogs/"
LICENCE = "research, not trade (ImageNet); cite Khosla et al. 2011"
FILES = (  # sizes and sums: TensorFlow Datasets, url_checksums/stanford_dogs.txt
    File(
        "stanford-dogs-images.tar",
        793579520,
        "sha256:a443fc2f9a851aa1a7b8e4fa4af94b8459fce2c9f5a2f4dd4669cf9673a4ec58",
        (SOURCE + "images.tar",),
    ),
    File(
        "stanford-dogs-lists.tar",
        481280,
        "sha256:34b47cacd9a98b5d150e084f24d29391c084c55272295ec65c85651bc35f4d6c",
        (SOURCE + "lists.tar",),
    ),
)
SIDE = 224
INPUTS = {"x": ("uint8", (SIDE, SIDE, 3))}
EXAMPLES = (12000, 8580)
PERIODS = (8, 14, 24, 42)
COLORS = ((255, 90, 70), (90, 255, 90), (90, 110, 255), (255, 230, 80), (255, 90, 255), (90, 255, 255))
LOOKS = tuple((kind, period, color) for color in COLORS for period in PERIODS for kind in KINDS)
STAND_IN = (1200, 240)
STAND_IN_CLASSES = tuple("breed %d" % i for i in range(len(LOOKS)))
ATTAINABLE = 0.90  # by construction


def prepare(files, arrays, advance):
    """Fill the arrays with the photographs in the order of the authors' lists."""
    lists, images = files["stanford-dogs-lists.tar"], files["stanford-dogs-images.tar"]
    rows = rows_of({half: read_list(lists, half) for half in ("train", "test")}, arrays)
    breeds = sorted({name.split("/")[0] for name in rows})
    for name, (half, row) in rows.items():
        arrays["y_" + half][row] = breeds.index(name.split("/")[0])
    fill_images([images], r"Images/[^/]+/[^/]+\.jpg", rows, arrays, advance)
    return [breed.split("-", 1)[1].replace("_", " ") for breed in breeds]


def read_list(path, half):
    """Return the photographs of one half, as `n02085620-Chihuahua/n02085620_5927.jpg`."""
    loadmat = imported("scipy.io", "SciPy").loadmat
    for _, content in members(path, half + r"_list\.mat"):
        listed = loadmat(io.BytesIO(content), variable_names=["file_list"])["file_list"]
        return [str(np.ravel(cell)[0]) for cell in listed.ravel()]
    raise DataError("%s: expected %s_list.mat in it, and it is not there." % (path, half))


def stand_in(random, train, test):
    """Return textured shapes; the class is the direction, the width and the colour of the texture."""
    return halves(drawn, random, train, test, SIDE, LOOKS)
