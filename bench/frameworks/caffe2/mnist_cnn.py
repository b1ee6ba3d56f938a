from caffe2.python import brew, optimizer


def Model(model, data, is_test):  # (batch, 1, 28, 28)
    x = brew.conv(model, data, "conv1", dim_in=1, dim_out=32, kernel=3)
    x = brew.relu(model, x, x)
    x = brew.conv(model, x, "conv2", dim_in=32, dim_out=64, kernel=3)  # (batch, 64, 24, 24)
    x = brew.relu(model, x, x)
    x = brew.max_pool(model, x, "pool", kernel=2, stride=2)  # (batch, 64, 12, 12)
    x = brew.dropout(model, x, "dropout1", ratio=0.25, is_test=is_test)
    x = brew.fc(model, x, "hidden", dim_in=64 * 12 * 12, dim_out=128)  # a dense layer flattens its input
    x = brew.relu(model, x, x)
    x = brew.dropout(model, x, "dropout2", ratio=0.5, is_test=is_test)
    return brew.fc(model, x, "head", dim_in=128, dim_out=10)


def loss(model, outputs, label):
    _, loss = model.SoftmaxWithLoss([outputs, label], ["softmax", "loss"])
    return loss


OPTIMIZERS = {
    "adadelta": lambda model: optimizer.build_adadelta(model, base_learning_rate=1.0, decay=0.95, epsilon=1e-8),
}
