import cntk as C
import numpy as np


def Model(x, minibatch_size):
    time_constant = -minibatch_size / np.log(0.99)  # in examples: after a minibatch, 0.99 of the average is the old one
    with C.layers.default_options(normalization_time_constant=time_constant, epsilon=1e-3):
        model = C.layers.Sequential([
            C.layers.Dense(256, activation=C.relu, name="hidden1"),
            C.layers.BatchNormalization(name="norm1"),
            C.layers.Dropout(0.5),
            C.layers.Dense(128, activation=C.relu, name="hidden2"),
            C.layers.BatchNormalization(name="norm2"),
            C.layers.Dropout(0.5),
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
