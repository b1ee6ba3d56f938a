"""DenseNet-121

DenseNet-121 as in Keras Applications (Huang et al. 2016, arXiv:1608.06993). Batch norm and ReLU come before each
convolution but the first, without biases. Batch norm has epsilon 1.001e-5 and momentum 0.99. The head has 14 labels,
each true or false. It is table 2 of the Rosetta Stone comparison of 2018, on one device.
"""

from bench.datasets import crops
from bench.problem import SIGMOID_CROSS_ENTROPY, Adam, batch_norm, dense, images, kernel, merge, open_relus

ORDER = 14
PARAMETERS = 7_051_854  # 7,037,504 in Keras Applications without its top, and a head of 1024 x 14 + 14
BATCH_SIZES = (32,)
OPTIMIZERS = {"adam": Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-7)}
LOSS = SIGMOID_CROSS_ENTROPY
DATASET = "chestxray14"
EPOCHS = 5  # of the source's notebooks, at 64 a GPU and from pretrained weights
DROPOUT = ()
BATCH_NORM = {"epsilon": 1.001e-5, "momentum": 0.99}
GROWTH = 32
BLOCKS = (6, 12, 24, 16)
PARITY_BATCH = 8
SIDE = 224
PARITY_SIDE = 64  # even; gradients at 224 would cost minutes


def _convolution(random, name, size, inputs, outputs):
    return {name + ".kernel": kernel(random, size, size, inputs, outputs)}


def _layer(random, name, inputs):
    """Return one dense layer: 1x1 to 4 * GROWTH, 3x3 to GROWTH."""
    return merge(
        batch_norm(random, name + ".norm1", inputs),
        _convolution(random, name + ".conv1", 1, inputs, 4 * GROWTH),
        batch_norm(random, name + ".norm2", 4 * GROWTH),
        _convolution(random, name + ".conv2", 3, 4 * GROWTH, GROWTH),
    )


def weights(random):
    """Return the canonical weights; 83,648 of them are moving statistics."""
    layers = [_convolution(random, "conv", 7, 3, 64), batch_norm(random, "norm", 64)]
    channels = 64
    for number, depth in enumerate(BLOCKS, 1):
        if number > 1:  # between two blocks a transition halves the channels and the sides
            name = "transition%d" % (number - 1)
            layers.append(batch_norm(random, name + ".norm", channels))
            layers.append(_convolution(random, name + ".conv", 1, channels, channels // 2))
            channels //= 2
        for index in range(depth):
            layers.append(_layer(random, "block%d.%d" % (number, index), channels))
            channels += GROWTH
    layers.append(batch_norm(random, "final_norm", channels))
    layers.append(dense(random, "head", channels, 14))
    return open_relus(merge(*layers), 3)


def batch(random, size, side=SIDE):
    """Return x (size, side, side, 3) float32 and y (size, 14) float32, zeros and ones."""
    return images(random, size, side, 3), random.randint(0, 2, (size, 14)).astype("float32")


def parity_batch(random):
    """Return a small batch for the parity gate; the network takes any side."""
    return batch(random, PARITY_BATCH, PARITY_SIDE)


def for_training(random, x):
    """Return a crop of 224 at a random place of each X-ray (examples, 264, 264), half of them mirrored."""
    return crops(x, random.randint(0, x.shape[1] - SIDE + 1, (len(x), 2)), random.randint(0, 2, len(x)), SIDE)


def for_test(x):
    """Return the middle 224 x 224 of each X-ray."""
    margin = (x.shape[1] - SIDE) // 2
    return x[:, margin : margin + SIDE, margin : margin + SIDE]
