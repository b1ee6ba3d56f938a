"""Batch norm without a scale, or with a frozen one, gives its trained offset no gradient, and says nothing.

Seen in: paddle.
"""

import paddle
from paddle import nn

x = paddle.ones([4, 3, 2, 2])
for attribute in (False, paddle.ParamAttr(trainable=False)):
    norm = nn.BatchNorm2D(3, weight_attr=attribute)
    norm(x).sum().backward()  # each of the 16 numbers of a channel adds 1 to its offset's gradient
    print("weight_attr=%s: the offset's gradient is %s, and should be 16." % (attribute, norm.bias.grad))
    if norm.bias.grad is not None:
        raise SystemExit("It has one: the defect is gone.")
