"""Image features with ResNet50

ResNet50 (version 1, as in the workload resnet50), cut after its average pooling and run forward only: 2048 numbers per
image, for another classifier to learn from: table 3 of the Rosetta Stone comparison of 2018.
"""

from bench.problem import batch_norm, convolution, images, labels, merge

ORDER = 17
PARAMETERS = 23_587_712  # as Keras Applications counts it without its top
BATCH_SIZES = (32,)
OPTIMIZERS = {}  # inference only
LOSS = None
DROPOUT = ()
BATCH_NORM = {"epsilon": 1.001e-5}
STAGES = (("stage1", 3, 64), ("stage2", 4, 128), ("stage3", 6, 256), ("stage4", 3, 512))
PARITY_BATCH = 8
PARITY_SIDE = 64  # even


def _normed(random, convolution_name, norm_name, size, inputs, outputs):
    return merge(
        convolution(random, convolution_name, size, inputs, outputs),
        batch_norm(random, norm_name, outputs),
    )


def _block(random, name, inputs, width, projects):
    """Return one bottleneck: 1x1 to `width`, 3x3, 1x1 to 4 * `width`, and a 1x1 shortcut where shapes change."""
    outputs = 4 * width
    return merge(
        _normed(random, name + ".conv1", name + ".norm1", 1, inputs, width),
        _normed(random, name + ".conv2", name + ".norm2", 3, width, width),
        _normed(random, name + ".conv3", name + ".norm3", 1, width, outputs),
        _normed(random, name + ".shortcut", name + ".shortcut_norm", 1, inputs, outputs) if projects else {},
    )


def weights(random):
    """Return the canonical weights; 53,120 of them are moving statistics."""
    layers = [_normed(random, "conv", "norm", 7, 3, 64)]
    inputs = 64
    for stage, blocks, width in STAGES:
        for index in range(blocks):
            layers.append(_block(random, "%s.%d" % (stage, index), inputs, width, projects=index == 0))
            inputs = 4 * width
    return merge(*layers)


def batch(random, size, side=224):
    """Return x (size, side, side, 3) float32 and y (size,) int32, which nothing reads."""
    return images(random, size, side, 3), labels(random, size, 1000)


def parity_batch(random):
    """Return a small batch for the parity gate; the network takes any side."""
    return batch(random, PARITY_BATCH, PARITY_SIDE)
