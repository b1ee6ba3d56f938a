"""Images of 32 x 32; the second convolution of each pair is not padded."""

POSITIONS = {
    "conv1": 32 * 32,
    "conv2": 30 * 30,
    "conv3": 15 * 15,
    "conv4": 13 * 13,
    "hidden": 1,
    "head": 1,
}
FIRST = "conv1"
