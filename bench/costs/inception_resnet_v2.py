"""Images of 224 x 224; where a block halves, its last convolutions stride without padding."""

POSITIONS = {
    "stem1.*": 111 * 111,
    "stem[23].*": 109 * 109,
    "stem4.*": 54 * 54,
    "stem5.*": 52 * 52,
    "mixed_5b.*": 25 * 25,
    "block35.*": 25 * 25,
    "mixed_6a.branch3x3dbl.[01].*": 25 * 25,
    "mixed_6a.*": 12 * 12,
    "block17.*": 12 * 12,
    "mixed_7a.*.0.*": 12 * 12,
    "mixed_7a.branch3x3dbl.1.*": 12 * 12,
    "mixed_7a.*": 5 * 5,
    "block8.*": 5 * 5,
    "conv_7b.*": 5 * 5,
    "head": 1,
}
FIRST = "stem1.conv"
