"""Labels one-hot

The loss gets a row of zeros and a one for each example, and multiplies where a class number would only pick.
"""

WORKLOADS = ("mnist_mlp",)
TASKS = ("train",)
IS_SAME = True
