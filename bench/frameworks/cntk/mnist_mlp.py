import cntk as C


def Model(x):
    with C.layers.default_options(activation=C.relu):
        model = C.layers.Sequential([
            C.layers.Dense(512, name="hidden1"),
            C.layers.Dropout(0.2),
            C.layers.Dense(512, name="hidden2"),
            C.layers.Dropout(0.2),
            C.layers.Dense(10, activation=None, name="head"),
        ])  # fmt: skip
    return model(x)


loss = C.cross_entropy_with_softmax


def rmsprop(parameters, learning_rate, rho, epsilon):
    """Return the RMSprop of Hinton's lecture: C.rmsprop adapts its steps to the gradients' signs besides.

    A universal learner is given the sum of a batch's gradients: epsilon is as much less of their mean, and either way
    far below a gradient that is not 0.
    """
    rate = C.constant(learning_rate)

    def update(parameters, gradients):
        squares = [C.constant(0, shape=parameter.shape) for parameter in parameters]
        updates = []
        for parameter, gradient, square in zip(parameters, gradients, squares):
            new = C.assign(square, rho * square + (1 - rho) * gradient * gradient)
            updates.append(C.assign(parameter, parameter - rate * gradient / (C.sqrt(new) + epsilon)))
        return C.combine(updates)

    learner = C.universal(update, parameters)
    learner.rate = rate
    return learner


OPTIMIZERS = {
    "rmsprop": lambda parameters: rmsprop(parameters, learning_rate=0.001, rho=0.9, epsilon=1e-10),
}
