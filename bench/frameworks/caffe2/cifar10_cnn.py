from caffe2.python import brew, optimizer


def conv_relu(model, x, name, dim_in, dim_out):
    x = brew.conv(model, x, name, dim_in=dim_in, dim_out=dim_out, kernel=3, pad=1)
    return brew.relu(model, x, x)


def Model(model, data, is_test):  # (batch, 3, 32, 32)
    x = conv_relu(model, data, "conv1", dim_in=3, dim_out=50)
    x = conv_relu(model, x, "conv2", dim_in=50, dim_out=50)
    x = brew.max_pool(model, x, "pool1", kernel=2, stride=2)  # (batch, 50, 16, 16)
    x = brew.dropout(model, x, "dropout1", ratio=0.25, is_test=is_test)

    x = conv_relu(model, x, "conv3", dim_in=50, dim_out=100)
    x = conv_relu(model, x, "conv4", dim_in=100, dim_out=100)
    x = brew.max_pool(model, x, "pool2", kernel=2, stride=2)  # (batch, 100, 8, 8)
    x = brew.dropout(model, x, "dropout2", ratio=0.25, is_test=is_test)

    x = brew.fc(model, x, "hidden", dim_in=100 * 8 * 8, dim_out=512)  # a dense layer flattens its input
    x = brew.relu(model, x, x)
    x = brew.dropout(model, x, "dropout3", ratio=0.5, is_test=is_test)
    return brew.fc(model, x, "head", dim_in=512, dim_out=10)


def loss(model, outputs, label):
    _, loss = model.SoftmaxWithLoss([outputs, label], ["softmax", "loss"])
    return loss


OPTIMIZERS = {
    "sgd": lambda model: optimizer.build_sgd(model, base_learning_rate=0.01, momentum=0.9, nesterov=0),
}
