from caffe2.python import brew, optimizer


def Model(model, data, is_test):
    x = brew.fc(model, data, "hidden", dim_in=100, dim_out=128)
    x = brew.relu(model, x, x)
    return brew.fc(model, x, "head", dim_in=128, dim_out=10)


def loss(model, outputs, label):
    _, loss = model.SoftmaxWithLoss([outputs, label], ["softmax", "loss"])
    return loss


def adam(model):
    optimizer.build_adam(model, base_learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8)
    # Caffe2 counts a step before Adam adds 1 to their number: its first correction is of the second step
    # (upstream/adam.py). Counted after the updates, it is the stated one.
    model.net.Proto().op.sort(key=lambda operator: operator.type == "AtomicIter")


OPTIMIZERS = {
    # epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta2^t), which is 1e-7 at step 10.
    "adam": adam,
}
