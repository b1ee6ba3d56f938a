import mxnet as mx


def Model():
    data = mx.sym.Variable("data")  # (batch, 150)
    x = mx.sym.Embedding(data=data, input_dim=30000, output_dim=125, name="embedding")
    cell = mx.rnn.GRUCell(num_hidden=100, prefix="gru_")  # a FusedRNNCell needs cuDNN
    outputs, _ = cell.unroll(length=150, inputs=x, layout="NTC", merge_outputs=False)
    return mx.sym.FullyConnected(data=outputs[-1], num_hidden=2, name="head")


loss = mx.sym.SoftmaxOutput

OPTIMIZERS = {
    # MXNet's epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta2^t), which is 1e-7 at step 10.
    "adam": lambda module: module.init_optimizer(
        optimizer="adam",
        optimizer_params=(("learning_rate", 0.001), ("beta1", 0.9), ("beta2", 0.999), ("epsilon", 1e-8)),
    ),
}
