"""Images of 32 x 32, halved once before the second pair; padded."""

POSITIONS = {
    "conv1": 32 * 32,
    "conv2": 32 * 32,
    "conv3": 16 * 16,
    "conv4": 16 * 16,
    "hidden": 1,
    "head": 1,
}
FIRST = "conv1"
