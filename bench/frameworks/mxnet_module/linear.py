import mxnet as mx


def Model():
    data = mx.sym.Variable("data")
    x = mx.sym.FullyConnected(data=data, num_hidden=128, name="hidden")
    x = mx.sym.Activation(data=x, act_type="relu")
    return mx.sym.FullyConnected(data=x, num_hidden=10, name="head")


loss = mx.sym.SoftmaxOutput

OPTIMIZERS = {
    # MXNet's epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta2^t), which is 1e-7 at step 10.
    "adam": lambda module: module.init_optimizer(
        optimizer="adam",
        optimizer_params=(("learning_rate", 0.001), ("beta1", 0.9), ("beta2", 0.999), ("epsilon", 1e-8)),
    ),
}
