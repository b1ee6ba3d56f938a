import cntk as C


def GRU(units):
    """Return a step of cuDNN's GRU, whose reset gate acts after the recurrent product, with its two biases.

    C.layers.GRU has the reset gate before the product, and C.optimized_rnnstack, which is cuDNN's, runs on a GPU alone.
    """
    kernel = C.parameter((C.InferredDimension, 3 * units), init=C.glorot_uniform(), name="gru.kernel")
    recurrent_kernel = C.parameter((units, 3 * units), init=C.glorot_uniform(), name="gru.recurrent_kernel")
    bias = C.parameter(3 * units, init=0, name="gru.bias")
    recurrent_bias = C.parameter(3 * units, init=0, name="gru.recurrent_bias")

    def split(stacked):
        return [C.slice(stacked, -1, gate * units, (gate + 1) * units) for gate in range(3)]

    def step(h, x):
        x_z, x_r, x_c = split(C.times(x, kernel) + bias)
        h_z, h_r, h_c = split(C.times(h, recurrent_kernel) + recurrent_bias)
        z = C.sigmoid(x_z + h_z)
        r = C.sigmoid(x_r + h_r)
        return z * h + (1 - z) * C.tanh(x_c + r * h_c)

    return step


def Model(x):  # a sequence of 150 words
    # On a CPU, Adam cannot take the sparse gradient that C.layers.Embedding has of one-hot words; gather's is dense.
    table = C.parameter((30000, 125), init=C.glorot_uniform(), name="embedding.table")
    words = C.reshape(C.gather(table, x), 125)
    last = C.layers.Fold(GRU(100))(words)
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
