"""Dense layers alone: each kernel once an example."""

POSITIONS = {"*": 1}
FIRST = "hidden1"
