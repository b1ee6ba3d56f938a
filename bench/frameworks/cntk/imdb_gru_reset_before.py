import cntk as C


def Model(x):  # a sequence of 150 words
    # On a CPU, Adam cannot take the sparse gradient that C.layers.Embedding has of one-hot words; gather's is dense.
    table = C.parameter((30000, 125), init=C.glorot_uniform(), name="embedding.table")
    words = C.reshape(C.gather(table, x), 125)
    last = C.layers.Fold(C.layers.GRU(100, name="gru"))(words)
    return C.layers.Dense(2, name="head")(last)


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
