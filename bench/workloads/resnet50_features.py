"""ResNet-50 inference (features)

ResNet50 (version 1, as in the workload resnet50), cut after its average pooling and run forward only. It gives 2048
numbers per image, for another classifier to learn from: table 3 of the Rosetta Stone comparison of 2018.
"""

from bench.workloads.resnet50 import PARITY_BATCH, batch, parity_batch, trunk  # noqa: F401 - the same question

ORDER = 12
PARAMETERS = 23_587_712  # as Keras Applications counts it without its top
BATCH_SIZES = (32,)
OPTIMIZERS = {}  # inference only
LOSS = None
DROPOUT = ()


def weights(random):
    """Return the canonical weights."""
    return trunk(random)
