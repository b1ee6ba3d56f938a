from caffe2.python import brew, optimizer


def Model(model, data, is_test):
    x = brew.fc(model, data, "hidden1", dim_in=784, dim_out=512)
    x = brew.relu(model, x, x)
    x = brew.dropout(model, x, "dropout1", ratio=0.2, is_test=is_test)
    x = brew.fc(model, x, "hidden2", dim_in=512, dim_out=512)
    x = brew.relu(model, x, x)
    x = brew.dropout(model, x, "dropout2", ratio=0.2, is_test=is_test)
    return brew.fc(model, x, "head", dim_in=512, dim_out=10)


def loss(model, outputs, label):
    _, loss = model.SoftmaxWithLoss([outputs, label], ["softmax", "loss"])
    return loss


OPTIMIZERS = {
    # epsilon is added under the root: 1e-20 there is the workload's 1e-10 outside it.
    "rmsprop": lambda model: optimizer.build_rms_prop(
        model, base_learning_rate=0.001, decay=0.9, momentum=0.0, epsilon=1e-20
    ),
}
