import mxnet as mx


def batch_norm(data, name):
    # By default MXNet's scale is fixed at 1.
    return mx.sym.BatchNorm(data=data, fix_gamma=False, eps=1e-3, momentum=0.99, name=name)


def Model():
    data = mx.sym.Variable("data")
    x = mx.sym.FullyConnected(data=data, num_hidden=256, name="hidden1")
    x = mx.sym.Activation(data=x, act_type="relu")
    x = batch_norm(x, name="norm1")
    x = mx.sym.Dropout(data=x, p=0.5)
    x = mx.sym.FullyConnected(data=x, num_hidden=128, name="hidden2")
    x = mx.sym.Activation(data=x, act_type="relu")
    x = batch_norm(x, name="norm2")
    x = mx.sym.Dropout(data=x, p=0.5)
    return mx.sym.FullyConnected(data=x, num_hidden=10, name="head")


loss = mx.sym.SoftmaxOutput

OPTIMIZERS = {
    # MXNet's epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta2^t), which is 1e-7 at step 10.
    "adam": lambda module: module.init_optimizer(
        optimizer="adam",
        optimizer_params=(("learning_rate", 0.001), ("beta1", 0.9), ("beta2", 0.999), ("epsilon", 1e-8)),
    ),
}
