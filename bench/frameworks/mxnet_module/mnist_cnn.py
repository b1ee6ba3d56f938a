import mxnet as mx


def Model():
    data = mx.sym.Variable("data")  # (batch, 1, 28, 28)
    x = mx.sym.Convolution(data=data, num_filter=32, kernel=(3, 3), name="conv1")
    x = mx.sym.Activation(data=x, act_type="relu")
    x = mx.sym.Convolution(data=x, num_filter=64, kernel=(3, 3), name="conv2")  # (batch, 64, 24, 24)
    x = mx.sym.Activation(data=x, act_type="relu")
    x = mx.sym.Pooling(data=x, pool_type="max", kernel=(2, 2), stride=(2, 2))  # (batch, 64, 12, 12)
    x = mx.sym.Dropout(data=x, p=0.25)
    x = mx.sym.Flatten(data=x)
    x = mx.sym.FullyConnected(data=x, num_hidden=128, name="hidden")
    x = mx.sym.Activation(data=x, act_type="relu")
    x = mx.sym.Dropout(data=x, p=0.5)
    return mx.sym.FullyConnected(data=x, num_hidden=10, name="head")


loss = mx.sym.SoftmaxOutput

OPTIMIZERS = {
    # MXNet's has no learning rate, which is as good as the stated 1.
    "adadelta": lambda module: module.init_optimizer(
        optimizer="adadelta", optimizer_params=(("rho", 0.95), ("epsilon", 1e-8))
    ),
}
