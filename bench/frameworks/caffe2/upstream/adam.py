"""Caffe2's Adam corrects its first step as if it were the second: the step is counted before Adam adds 1 to the count.

Seen in: caffe2-1.0.
"""

import numpy as np
from caffe2.python import model_helper, optimizer, workspace
from caffe2.python.modeling.initializers import Initializer

RATE = 0.001

model = model_helper.ModelHelper("adam")
weight = model.create_param("weight", [1], Initializer("ConstantFill", value=0.0))
loss = model.net.SumElements(weight, "loss")  # whose gradient is 1
model.AddGradientOperators([loss])
optimizer.build_adam(model, base_learning_rate=RATE, beta1=0.9, beta2=0.999, epsilon=1e-8)
workspace.RunNetOnce(model.param_init_net)
workspace.CreateNet(model.net)
workspace.RunNet(model.net)
moved = -workspace.FetchBlob("weight")[0]

as_second = RATE * np.sqrt(1 - 0.999**2) / (1 - 0.9**2) * 0.1 / np.sqrt(0.001)
print("Adam's first step is %.6f by its definition, %.6f here, %.6f if it were the second." % (RATE, moved, as_second))
if abs(moved - RATE) < 0.01 * RATE:
    raise SystemExit("It is corrected as the first: the defect is gone.")
