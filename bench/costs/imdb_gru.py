"""A step of the GRU for each of 150 words."""

POSITIONS = {"gru": 150, "head": 1}
FIRST = None
