import mxnet as mx


def Model():
    data = mx.sym.Variable("data")
    x = mx.sym.FullyConnected(data=data, num_hidden=512, name="hidden1")
    x = mx.sym.Activation(data=x, act_type="relu")
    x = mx.sym.Dropout(data=x, p=0.2)
    x = mx.sym.FullyConnected(data=x, num_hidden=512, name="hidden2")
    x = mx.sym.Activation(data=x, act_type="relu")
    x = mx.sym.Dropout(data=x, p=0.2)
    return mx.sym.FullyConnected(data=x, num_hidden=10, name="head")


loss = mx.sym.SoftmaxOutput

OPTIMIZERS = {
    # MXNet adds epsilon under the root: 1e-10 outside it is its square there, as long as the one or the other decides.
    "rmsprop": lambda module: module.init_optimizer(
        optimizer="rmsprop",
        optimizer_params=(("learning_rate", 0.001), ("gamma1", 0.9), ("epsilon", 1e-20)),
    ),
}
