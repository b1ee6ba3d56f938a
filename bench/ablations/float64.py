"""In float64 by accident

NumPy's arrays are float64 unless one says otherwise. What is done about the error that follows makes the whole step so:
`model.double()` in PyTorch, `jax_enable_x64` in JAX.
"""

WORKLOADS = ("mnist_mlp", "mnist_cnn")
TASKS = ("train",)
IS_SAME = True
