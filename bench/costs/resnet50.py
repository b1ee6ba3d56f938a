"""Images of 224 x 224; a stage strides in its first convolution and in its shortcut."""

POSITIONS = {
    "conv": 112 * 112,
    "stage1.*": 56 * 56,
    "stage2.*": 28 * 28,
    "stage3.*": 14 * 14,
    "stage4.*": 7 * 7,
    "head": 1,
}
FIRST = "conv"
