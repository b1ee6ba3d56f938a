import cntk as C


def conv_norm(x, width, size, strides=1, names=("conv", "norm")):
    conv, norm = names
    is_smaller = x.shape[1] < size  # of the small images that parity asks: CNTK has no pad=True for these
    if is_smaller:
        x = C.pad(x, [(0, 0), (size // 2, size // 2), (size // 2, size // 2)])
    x = C.layers.Convolution((size, size), width, strides=strides, pad=not is_smaller, name=conv)(x)
    return C.layers.BatchNormalization(map_rank=1, epsilon=1.001e-5, name=norm)(x)


def bottleneck(x, width, name, strides=1, projects=False):
    shortcut = x
    if projects:
        names = (name + ".shortcut", name + ".shortcut_norm")
        shortcut = conv_norm(x, 4 * width, 1, strides, names)
    x = C.relu(conv_norm(x, width, 1, strides, (name + ".conv1", name + ".norm1")))
    x = C.relu(conv_norm(x, width, 3, names=(name + ".conv2", name + ".norm2")))
    x = conv_norm(x, 4 * width, 1, names=(name + ".conv3", name + ".norm3"))
    return C.relu(x + shortcut)


def stage(x, width, blocks, strides, name):
    x = bottleneck(x, width, name + ".0", strides, projects=True)
    for block in range(1, blocks):
        x = bottleneck(x, width, "%s.%d" % (name, block))
    return x


def Model(x):  # (3, 224, 224)
    x = C.relu(conv_norm(x, 64, 7, strides=2))
    x = C.layers.MaxPooling((3, 3), strides=2, pad=True)(x)  # (64, 56, 56)
    x = stage(x, 64, blocks=3, strides=1, name="stage1")
    x = stage(x, 128, blocks=4, strides=2, name="stage2")
    x = stage(x, 256, blocks=6, strides=2, name="stage3")
    x = stage(x, 512, blocks=3, strides=2, name="stage4")  # (2048, 7, 7)
    return C.reshape(C.layers.GlobalAveragePooling()(x), 2048)


loss = None  # inference only

OPTIMIZERS = {}
