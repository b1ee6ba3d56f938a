"""Photographs of 300 x 300; nothing is padded, and pooling halves what a convolution gives."""

POSITIONS = {
    "conv1": 74 * 74,
    "conv2": 35 * 35,
    "conv3": 15 * 15,
    "head": 1,
}
FIRST = "conv1"
