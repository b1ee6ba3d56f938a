"""VGG-19

Configuration E of Simonyan and Zisserman (2014, arXiv:1409.1556) as in Keras Applications. Sixteen 3x3 convolutions in
five blocks, each ended by 2x2 max-pooling, and two dense layers of 4096 without dropout. The head has 120 classes, as
in the dog-breed comparison of 2017. Most of its weights are in the first dense layer.
"""

from bench.workloads.vgg16 import (  # noqa: F401 - the same question
    BATCH_SIZES,
    DATASET,
    DROPOUT,
    EPOCHS,
    LOSS,
    OPTIMIZERS,
    PARITY_BATCH,
    PARITY_LEARNING_RATE_SCALE,
    batch,
    parity_batch,
)
from bench.workloads.vgg16 import weights as vgg

ORDER = 18
PARAMETERS = 140_061_880  # 140 million, as the comparison counts them
BLOCKS = (("block1", 2, 64), ("block2", 2, 128), ("block3", 4, 256), ("block4", 4, 512), ("block5", 4, 512))


def weights(random):
    """Return the canonical weights."""
    return vgg(random, BLOCKS)
