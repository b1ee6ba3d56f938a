"""A step of each LSTM for each of 48 times."""

POSITIONS = {"lstm.*": 48, "head": 1}
FIRST = "lstm.0"
