from caffe2.python import brew, gru_cell, optimizer
from caffe2.python.modeling.initializers import Initializer


def embedding(model, words, name, vocabulary, width):
    """Look up rows of a table with a dense gradient: of a sparse one, Adam moves no word that the batch lacks."""
    table = model.create_param(name + "/table", [vocabulary, width], Initializer("GaussianFill", std=0.05))
    return model.net.Gather([table, words], name, dense_gradient=True)


def Model(model, data, is_test):  # (batch, 150)
    x = brew.transpose(model, data, "steps", axes=(1, 0))
    x = embedding(model, model.FlattenToVec(x, "words"), "embedding", 30000, 125)  # a dense gradient wants a vector
    x, _ = model.net.Reshape(x, ["sequence", "embedding_shape"], shape=[150, -1, 125])

    start = model.param_init_net.ConstantFill([], "start", shape=[100], value=0.0)
    _, last = gru_cell.GRU(
        model, x, None, [start], dim_in=125, dim_out=100, scope="gru",
        outputs_with_grads=[1], forward_only=bool(is_test), linear_before_reset=True,
    )  # fmt: skip
    return brew.fc(model, model.Squeeze(last, "last", dims=[0]), "head", dim_in=100, dim_out=2)


def loss(model, outputs, label):
    _, loss = model.SoftmaxWithLoss([outputs, label], ["softmax", "loss"])
    return loss


def adam(model):
    optimizer.build_adam(model, base_learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8)
    # Caffe2 counts a step before Adam adds 1 to their number: its first correction is of the second step
    # (upstream/adam.py). Counted after the updates, it is the stated one.
    model.net.Proto().op.sort(key=lambda operator: operator.type == "AtomicIter")


OPTIMIZERS = {
    # epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta2^t), which is 1e-7 at step 10.
    "adam": adam,
}
