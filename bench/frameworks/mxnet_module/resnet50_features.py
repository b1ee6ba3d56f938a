import mxnet as mx


def conv_norm(data, num_filter, kernel, name="", stride=(1, 1), pad=(0, 0), names=("conv", "norm")):
    conv, norm = (name + each for each in names)
    x = mx.sym.Convolution(data=data, num_filter=num_filter, kernel=kernel, stride=stride, pad=pad, name=conv)
    # By default MXNet's scale is fixed at 1.
    return mx.sym.BatchNorm(data=x, fix_gamma=False, eps=1.001e-5, momentum=0.99, name=norm)


def relu(data):
    return mx.sym.Activation(data=data, act_type="relu")


def bottleneck(data, width, stride, projects, name):
    shortcut = data
    if projects:
        names = ("shortcut", "shortcut_norm")
        shortcut = conv_norm(data, 4 * width, (1, 1), name, stride=stride, names=names)
    x = relu(conv_norm(data, width, (1, 1), name, stride=stride, names=("conv1", "norm1")))
    x = relu(conv_norm(x, width, (3, 3), name, pad=(1, 1), names=("conv2", "norm2")))
    x = conv_norm(x, 4 * width, (1, 1), name, names=("conv3", "norm3"))
    return relu(x + shortcut)


def stage(data, width, blocks, stride, name):
    x = bottleneck(data, width, stride, projects=True, name=name + ".0.")
    for block in range(1, blocks):
        x = bottleneck(x, width, (1, 1), projects=False, name="%s.%d." % (name, block))
    return x


def Model():
    data = mx.sym.Variable("data")  # (batch, 3, 224, 224)
    x = relu(conv_norm(data, 64, (7, 7), stride=(2, 2), pad=(3, 3)))
    x = mx.sym.Pooling(data=x, pool_type="max", kernel=(3, 3), stride=(2, 2), pad=(1, 1))  # (batch, 64, 56, 56)
    x = stage(x, 64, blocks=3, stride=(1, 1), name="stage1")
    x = stage(x, 128, blocks=4, stride=(2, 2), name="stage2")
    x = stage(x, 256, blocks=6, stride=(2, 2), name="stage3")
    x = stage(x, 512, blocks=3, stride=(2, 2), name="stage4")  # (batch, 2048, 7, 7)
    x = mx.sym.Pooling(data=x, pool_type="avg", kernel=(7, 7), global_pool=True)
    return mx.sym.Flatten(data=x)


loss = None  # inference only

OPTIMIZERS = {}
