"""What a model file holds: here, the layers' names and the dropout rates."""

LAYERS = ("hidden1", "hidden2", "head")
DROPOUT = 0.2
