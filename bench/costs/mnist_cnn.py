"""Images of 28 x 28; no padding."""

POSITIONS = {"conv1": 26 * 26, "conv2": 24 * 24, "hidden": 1, "head": 1}
FIRST = "conv1"
