"""All of the network trained, not its head alone

The code of "Tensorflow vs. Keras or how to speed up your training for image data sets by factor 10" (2019) freezes
nothing. Each layer has a gradient, and batch norm takes the mean and variance of its batch.
"""

WORKLOADS = ("efficientnet_b3",)
TASKS = ("train",)
IS_SAME = False
