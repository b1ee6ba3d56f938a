"""As ResNet50, without its head."""

from bench.costs import resnet50

POSITIONS = {layers: count for layers, count in resnet50.POSITIONS.items() if layers != "head"}
FIRST = resnet50.FIRST
