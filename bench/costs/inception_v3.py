"""Images of 224 x 224; where a block halves, its last convolutions stride without padding."""

POSITIONS = {
    "stem1.*": 111 * 111,
    "stem[23].*": 109 * 109,
    "stem4.*": 54 * 54,
    "stem5.*": 52 * 52,
    "mixed[012].*": 25 * 25,
    "mixed3.branch3x3dbl.[01].*": 25 * 25,
    "mixed3.*": 12 * 12,
    "mixed[4567].*": 12 * 12,
    "mixed8.branch3x3.1.*": 5 * 5,
    "mixed8.branch7x7x3.3.*": 5 * 5,
    "mixed8.*": 12 * 12,
    "mixed9.*": 5 * 5,
    "mixed10.*": 5 * 5,
    "head": 1,
}
FIRST = "stem1.conv"
