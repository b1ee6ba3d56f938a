"""VGG-16

Configuration D of Simonyan and Zisserman (2014, arXiv:1409.1556) as in Keras Applications. Thirteen 3x3 convolutions in
five blocks, each ended by 2x2 max-pooling, and two dense layers of 4096 without dropout. The head has 120 classes, as
in the dog-breed comparison of 2017. Most of its weights are in the first dense layer.
"""

import numpy as np

from bench.problem import SGD, SOFTMAX_CROSS_ENTROPY, Adam, convolution, dense, images, labels, merge

ORDER = 17
PARAMETERS = 134_752_184  # 135 million, as the comparison counts them
BATCH_SIZES = (4, 16)
OPTIMIZERS = {
    "sgd": SGD(learning_rate=0.01, momentum=0.9),
    "adam": Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-7),
}
LOSS = SOFTMAX_CROSS_ENTROPY
DATASET = "dog_breeds"
EPOCHS = 10  # of the source
DROPOUT = ()
BLOCKS = (("block1", 2, 64), ("block2", 2, 128), ("block3", 3, 256), ("block4", 3, 512), ("block5", 3, 512))
PARITY_BATCH = 1  # 20 steps on more would cost many minutes in each environment
PARITY_PATCH = 32
PARITY_LEARNING_RATE_SCALE = 0.01  # from random weights the usual one diverges within ten steps


def weights(random, blocks=BLOCKS):
    """Return the canonical weights of a VGG with these `blocks`."""
    layers = []
    inputs = 3
    for block, convolutions, outputs in blocks:
        for index in range(convolutions):
            layers.append(convolution(random, "%s.%d" % (block, index), 3, inputs, outputs))
            inputs = outputs
    layers.append(dense(random, "hidden1", (7, 7, 512), 4096))
    layers.append(dense(random, "hidden2", 4096, 4096))
    # A ReLU halves the variance of a signal, and would leave the biases alone to decide the outputs: kernels make up
    # for it (He et al. 2015, arXiv:1502.01852).
    for layer in layers:
        for name in layer:
            layer[name] *= np.float32(np.sqrt(2) if name.endswith(".kernel") else 0.2)
    layers.append(dense(random, "head", 4096, 120))
    return merge(*layers)


def batch(random, size):
    """Return x (size, 224, 224, 3) float32 and y (size,) int32."""
    return images(random, size, 224, 3), labels(random, size, 120)


def parity_batch(random):
    """Return a small batch for the parity gate: a patch of noise in the middle of images that are 0.

    The first dense layer takes no smaller image. Noise all over the image makes millions of maxima and ReLUs. Rounding
    flips a few of them in nearly every image, and none would be left to compare gradients on.
    """
    x, y = batch(random, PARITY_BATCH)
    margin = (x.shape[1] - PARITY_PATCH) // 2
    return np.pad(x[:, margin:-margin, margin:-margin], ((0, 0), (margin, margin), (margin, margin), (0, 0))), y
