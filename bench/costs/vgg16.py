"""Images of 224 x 224, halved after each block."""

POSITIONS = {
    "block1.*": 224 * 224,
    "block2.*": 112 * 112,
    "block3.*": 56 * 56,
    "block4.*": 28 * 28,
    "block5.*": 14 * 14,
    "hidden*": 1,
    "head": 1,
}
FIRST = "block1.0"
