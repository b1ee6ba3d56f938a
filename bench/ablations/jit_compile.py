"""jit_compile=True in Keras

The switch that Keras' guide names for speed: XLA on TensorFlow and JAX, which has it on by default, and `torch.compile`
on PyTorch.
"""

WORKLOADS = ("mnist_mlp",)
TASKS = ("train", "fit")
IS_SAME = True
