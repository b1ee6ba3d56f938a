import cntk as C


def Model(x):
    model = C.layers.Sequential([
        C.layers.Dense(128, activation=C.relu, name="hidden"),
        C.layers.Dense(10, name="head"),
    ])  # fmt: skip
    return model(x)


loss = C.cross_entropy_with_softmax

OPTIMIZERS = {
    # CNTK's epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta2^t), which is 1e-7 at step 10.
    "adam": lambda parameters: C.adam(
        parameters,
        lr=0.001,
        momentum=0.9,
        unit_gain=True,
        variance_momentum=0.999,
        epsilon=1e-8,
        minibatch_size=C.learners.IGNORE,  # take the mean of the gradients, and the rates as they are
    ),
}
