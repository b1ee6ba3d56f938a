"""ResNet-50

Version 1 as in Keras Applications (He et al. 2015, arXiv:1512.03385). The stride of a stage is in its first 1x1
convolution, and convolutions have a bias. Batch norm uses epsilon 1.001e-5 and momentum 0.99. The head has 120 classes,
as in the dog-breed comparison of 2017.
"""

from bench.problem import SGD, SOFTMAX_CROSS_ENTROPY, Adam, batch_norm, convolution, dense, images, labels, merge

ORDER = 11
PARAMETERS = 23_833_592  # 23,587,712 in Keras Applications without its top, and a head of 2048 x 120 + 120
BATCH_SIZES = (4, 16)
OPTIMIZERS = {
    "sgd": SGD(learning_rate=0.01, momentum=0.9),
    "adam": Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-7),
}
LOSS = SOFTMAX_CROSS_ENTROPY
DATASET = "dog_breeds"
EPOCHS = 10  # of the source
DROPOUT = ()
BATCH_NORM = {"epsilon": 1.001e-5, "momentum": 0.99}
STAGES = (("stage1", 3, 64), ("stage2", 4, 128), ("stage3", 6, 256), ("stage4", 3, 512))
PARITY_BATCH = 8
PARITY_SIDE = 32  # even; gradients at 224 would cost minutes
# From random weights the first convolution's gradient is so steep that usual steps make training chaotic: float32
# rounding then grows beyond 1 % of the loss within 20 steps, and right frameworks would seem to disagree.
PARITY_LEARNING_RATE_SCALE = 1e-3


def _normed(random, convolution_name, norm_name, size, inputs, outputs):
    return merge(
        convolution(random, convolution_name, size, inputs, outputs),
        batch_norm(random, norm_name, outputs),
    )


def _block(random, name, inputs, width, projects):
    """Return one bottleneck: 1x1 to `width`, 3x3, 1x1 to 4 * `width`, and a 1x1 shortcut where shapes change."""
    outputs = 4 * width
    block = merge(
        _normed(random, name + ".conv1", name + ".norm1", 1, inputs, width),
        _normed(random, name + ".conv2", name + ".norm2", 3, width, width),
        _normed(random, name + ".conv3", name + ".norm3", 1, width, outputs),
        _normed(random, name + ".shortcut", name + ".shortcut_norm", 1, inputs, outputs) if projects else {},
    )
    # Small last scales keep the gradient from growing a thousandfold through the blocks (Goyal et al. 2017,
    # arXiv:1706.02677, start them at 0): float32 and float64 then agree to 1e-5 instead of 1e-2.
    block[name + ".norm3.scale"] *= 0.2
    return block


def trunk(random):
    """Return the weights up to the average pooling; 53,120 of them are moving statistics."""
    layers = [_normed(random, "conv", "norm", 7, 3, 64)]
    inputs = 64
    for stage, blocks, width in STAGES:
        for index in range(blocks):
            layers.append(_block(random, "%s.%d" % (stage, index), inputs, width, projects=index == 0))
            inputs = 4 * width
    return merge(*layers)


def weights(random):
    """Return the canonical weights."""
    return merge(trunk(random), dense(random, "head", 2048, 120))


def batch(random, size, side=224):
    """Return x (size, side, side, 3) float32 and y (size,) int32."""
    return images(random, size, side, 3), labels(random, size, 120)


def parity_batch(random):
    """Return a small batch for the parity gate; the network takes any side."""
    return batch(random, PARITY_BATCH, PARITY_SIDE)


def is_undetermined(name):
    """Say whether training leaves a weight to chance.

    A bias before a batch norm cancels: its gradient is rounding noise, which Adam scales up to whole steps, and the
    moving mean follows it. Their gradients and their effect on outputs and losses are compared all the same.
    """
    return name.endswith(".mean") or (name.endswith(".bias") and name != "head.bias")
