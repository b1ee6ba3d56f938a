"""As VGG16: more convolutions, and the same sides."""

from bench.costs.vgg16 import FIRST, POSITIONS  # noqa: F401 - the same network
