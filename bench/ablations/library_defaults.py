"""RMSprop as the library has it by default

The stated one is Keras' of 2017, with a rate of 0.001 and rho 0.9. PyTorch's has a rate of 0.01 and alpha 0.99.
"""

WORKLOADS = ("mnist_mlp",)
TASKS = ("epochs",)
IS_SAME = False
