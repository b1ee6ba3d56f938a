"""Images of 300 x 300; a stage strides in the depthwise convolution of its first block."""

POSITIONS = {
    "*.squeeze": 1,
    "*.excite": 1,
    "trunk.stem": 150 * 150,
    "trunk.stage1.*": 150 * 150,
    "trunk.stage2.0.expand": 150 * 150,
    "trunk.stage2.*": 75 * 75,
    "trunk.stage3.0.expand": 75 * 75,
    "trunk.stage3.*": 38 * 38,
    "trunk.stage4.0.expand": 38 * 38,
    "trunk.stage[45].*": 19 * 19,
    "trunk.stage6.0.expand": 19 * 19,
    "trunk.stage[67].*": 10 * 10,
    "trunk.top": 10 * 10,
    "head": 1,
}
FIRST = "head"
FROZEN = "trunk.*"
