import cntk as C


def Model(x):  # (1, 28, 28)
    with C.layers.default_options(activation=C.relu):
        model = C.layers.Sequential([
            C.layers.Convolution((3, 3), 32, name="conv1"),
            C.layers.Convolution((3, 3), 64, name="conv2"),  # (64, 24, 24)
            C.layers.MaxPooling((2, 2), strides=(2, 2)),  # (64, 12, 12)
            C.layers.Dropout(0.25),
            C.layers.Dense(128, name="hidden"),  # takes all axes of its input
            C.layers.Dropout(0.5),
            C.layers.Dense(10, activation=None, name="head"),
        ])  # fmt: skip
    return model(x)


loss = C.cross_entropy_with_softmax

OPTIMIZERS = {
    "adadelta": lambda parameters: C.adadelta(
        parameters,
        lr=1.0,
        rho=0.95,
        epsilon=1e-8,
        minibatch_size=C.learners.IGNORE,  # take the mean of the gradients, and the rate as it is
    ),
}
