import mxnet as mx


def Model():
    data = mx.sym.Variable("data")  # (batch, 3, 32, 32)

    x = mx.sym.Convolution(data=data, num_filter=50, kernel=(3, 3), pad=(1, 1), name="conv1")
    x = mx.sym.Activation(data=x, act_type="relu")
    x = mx.sym.Convolution(data=x, num_filter=50, kernel=(3, 3), pad=(1, 1), name="conv2")
    x = mx.sym.Activation(data=x, act_type="relu")
    x = mx.sym.Pooling(data=x, pool_type="max", kernel=(2, 2), stride=(2, 2))  # (batch, 50, 16, 16)
    x = mx.sym.Dropout(data=x, p=0.25)

    x = mx.sym.Convolution(data=x, num_filter=100, kernel=(3, 3), pad=(1, 1), name="conv3")
    x = mx.sym.Activation(data=x, act_type="relu")
    x = mx.sym.Convolution(data=x, num_filter=100, kernel=(3, 3), pad=(1, 1), name="conv4")
    x = mx.sym.Activation(data=x, act_type="relu")
    x = mx.sym.Pooling(data=x, pool_type="max", kernel=(2, 2), stride=(2, 2))  # (batch, 100, 8, 8)
    x = mx.sym.Dropout(data=x, p=0.25)

    x = mx.sym.Flatten(data=x)
    x = mx.sym.FullyConnected(data=x, num_hidden=512, name="hidden")
    x = mx.sym.Activation(data=x, act_type="relu")
    x = mx.sym.Dropout(data=x, p=0.5)
    return mx.sym.FullyConnected(data=x, num_hidden=10, name="head")


loss = mx.sym.SoftmaxOutput

OPTIMIZERS = {
    "sgd": lambda module: module.init_optimizer(
        optimizer="sgd", optimizer_params=(("learning_rate", 0.01), ("momentum", 0.9))
    ),
}
