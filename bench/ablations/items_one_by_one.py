"""Batches collected item by item

As PyTorch's DataLoader makes a batch of a TensorDataset: each example is fetched by itself, and then all are stacked.
Without, a batch is one slice of an array.
"""

WORKLOADS = ("mnist_mlp",)
TASKS = ("epochs",)
IS_SAME = True
