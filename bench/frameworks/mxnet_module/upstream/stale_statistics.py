"""A batch norm's moving statistics are read before the backward pass has moved them: the engine does not wait for it.

So Module.get_params() right after a step returns those of the previous step. Module.fit restores these at the end of an
epoch, and so loses an update of them.

Seen in: mxnet-1.0-module.
"""

import mxnet as mx
import numpy as np

x = mx.sym.BatchNorm(mx.sym.Variable("data"), name="norm")
for _ in range(6):  # so that the backward pass takes a while to come to the first layer
    x = mx.sym.FullyConnected(x, num_hidden=512)
module = mx.mod.Module(mx.sym.SoftmaxOutput(x, name="softmax"), context=mx.cpu())
module.bind(data_shapes=[("data", (256, 100))], label_shapes=[("softmax_label", (256,))])
module.init_params()
module.init_optimizer()
batch = mx.io.DataBatch([mx.nd.ones((256, 100))], [mx.nd.zeros((256,))])
stale = 0
for _ in range(5):
    mx.nd.waitall()
    module.forward_backward(batch)
    module.update()
    early = module.get_params()[1]["norm_moving_mean"].asnumpy()
    mx.nd.waitall()
    late = module._exec_group.execs[0].aux_dict["norm_moving_mean"].asnumpy()
    stale += not np.array_equal(early, late)
print("In %d of 5 steps, the moving mean was that of the previous step." % stale)
if not stale:
    raise SystemExit("It never was: the defect is gone.")
