"""Images of 224 x 224; a transition convolves before it halves."""

POSITIONS = {
    "conv": 112 * 112,
    "block1.*": 56 * 56,
    "transition1.conv": 56 * 56,
    "block2.*": 28 * 28,
    "transition2.conv": 28 * 28,
    "block3.*": 14 * 14,
    "transition3.conv": 14 * 14,
    "block4.*": 7 * 7,
    "head": 1,
}
FIRST = "conv"
