from caffe2.python import brew, core


def conv_norm(model, x, dim_in, dim_out, kernel, is_test, stride=1, pad=0, names=("conv", "norm")):
    conv, norm = names
    x = brew.conv(model, x, conv, dim_in=dim_in, dim_out=dim_out, kernel=kernel, stride=stride, pad=pad)
    return brew.spatial_bn(model, x, norm, dim_out, epsilon=1.001e-5, momentum=0.99, is_test=is_test)


def bottleneck(model, x, dim_in, width, stride, is_test):
    shortcut = x
    if dim_in != 4 * width:
        names = ("shortcut", "shortcut_norm")
        shortcut = conv_norm(model, x, dim_in, 4 * width, 1, is_test, stride, names=names)
    x = conv_norm(model, x, dim_in, width, 1, is_test, stride, names=("conv1", "norm1"))
    x = brew.relu(model, x, x)
    x = conv_norm(model, x, width, width, 3, is_test, pad=1, names=("conv2", "norm2"))
    x = brew.relu(model, x, x)
    x = conv_norm(model, x, width, 4 * width, 1, is_test, names=("conv3", "norm3"))
    x = brew.sum(model, [shortcut, x], "sum")
    return brew.relu(model, x, x)


def stage(model, x, name, dim_in, width, blocks, stride, is_test):
    for block in range(blocks):
        with core.NameScope(name), core.NameScope(str(block)):
            first = block == 0
            x = bottleneck(model, x, dim_in if first else 4 * width, width, stride if first else 1, is_test)
    return x


def Model(model, data, is_test):  # (batch, 3, 224, 224)
    x = conv_norm(model, data, 3, 64, 7, is_test, stride=2, pad=3)
    x = brew.relu(model, x, x)
    x = brew.max_pool(model, x, "pool", kernel=3, stride=2, pad=1)  # (batch, 64, 56, 56)
    x = stage(model, x, "stage1", 64, 64, blocks=3, stride=1, is_test=is_test)
    x = stage(model, x, "stage2", 256, 128, blocks=4, stride=2, is_test=is_test)
    x = stage(model, x, "stage3", 512, 256, blocks=6, stride=2, is_test=is_test)
    x = stage(model, x, "stage4", 1024, 512, blocks=3, stride=2, is_test=is_test)  # (batch, 2048, 7, 7)
    x = brew.average_pool(model, x, "average", global_pooling=True)
    return model.Flatten(x, "features")


loss = None  # inference only

OPTIMIZERS = {}
