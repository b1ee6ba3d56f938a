from caffe2.python import brew, optimizer


def batch_norm(model, x, name, channels, is_test):
    x = model.ExpandDims(x, name + "_image", dims=[2, 3])  # Caffe2's is of images alone: one of a single pixel
    x = brew.spatial_bn(model, x, name, channels, epsilon=1e-3, momentum=0.99, is_test=is_test)
    return model.Squeeze(x, name + "_vector", dims=[2, 3])


def Model(model, data, is_test):
    x = brew.fc(model, data, "hidden1", dim_in=100, dim_out=256)
    x = brew.relu(model, x, x)
    x = batch_norm(model, x, "norm1", 256, is_test)
    x = brew.dropout(model, x, "dropout1", ratio=0.5, is_test=is_test)
    x = brew.fc(model, x, "hidden2", dim_in=256, dim_out=128)
    x = brew.relu(model, x, x)
    x = batch_norm(model, x, "norm2", 128, is_test)
    x = brew.dropout(model, x, "dropout2", ratio=0.5, is_test=is_test)
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
