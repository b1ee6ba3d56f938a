"""Without jax.jit

Every operation of a step is dispatched by itself, as in a program whose author never wrapped the step in `jax.jit`.
"""

WORKLOADS = ("mnist_mlp", "mnist_cnn")
TASKS = ("train",)
IS_SAME = True
