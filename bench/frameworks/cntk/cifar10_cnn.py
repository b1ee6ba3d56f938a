import cntk as C


def Model(x):  # (3, 32, 32)
    with C.layers.default_options(activation=C.relu, pad=True):
        model = C.layers.Sequential([
            C.layers.Convolution((3, 3), 50, name="conv1"),
            C.layers.Convolution((3, 3), 50, name="conv2"),
            C.layers.MaxPooling((2, 2), strides=(2, 2), pad=False),  # (50, 16, 16)
            C.layers.Dropout(0.25),

            C.layers.Convolution((3, 3), 100, name="conv3"),
            C.layers.Convolution((3, 3), 100, name="conv4"),
            C.layers.MaxPooling((2, 2), strides=(2, 2), pad=False),  # (100, 8, 8)
            C.layers.Dropout(0.25),

            C.layers.Dense(512, name="hidden"),  # takes all axes of its input
            C.layers.Dropout(0.5),
            C.layers.Dense(10, activation=None, name="head"),
        ])  # fmt: skip
    return model(x)


loss = C.cross_entropy_with_softmax

OPTIMIZERS = {
    "sgd": lambda parameters: C.momentum_sgd(
        parameters,
        lr=0.01,
        momentum=0.9,
        unit_gain=False,  # by default the gradient would be weighed with 1 - momentum
        minibatch_size=C.learners.IGNORE,  # take the mean of the gradients, and the rate as it is
    ),
}
