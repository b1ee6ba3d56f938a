"""TensorFlow 1, a graph run by a session: how a model file is run, and how its variables map to the canonical layout.

In a model file, `Model(x, training)` adds the network to the graph and returns its outputs, and `loss(y, outputs)`
their loss.
"""

import numpy as np
import tensorflow as tf

from bench.errors import Unsupported

OUT_OF_MEMORY = (tf.errors.ResourceExhaustedError,)

LEAVES = {"gamma": "scale", "beta": "offset", "moving_mean": "mean", "moving_variance": "variance"}
WRAPPERS = ("multi_rnn_cell", "basic_lstm_cell", "gru_cell")  # in a variable's name, and not in the canon's
LEARNING_RATES = ("_lr", "_learning_rate")  # where optimisers keep it until it becomes part of the graph
FORGET_BIAS = 1.0  # an LSTM's default, which is added to its bias at every step instead of stored in it


def devices():
    return ["cpu"]  # the pinned wheel is TensorFlow's CPU build


def configure(device, threads, precision):
    if device != "cpu" or precision != "fp32":
        raise Unsupported("TensorFlow 1 is measured on the CPU in float32, not on the %s in %s." % (device, precision))
    Program.threads = threads


def loaded():
    return {"tensorflow": tf.__version__}


def peak_memory_bytes():
    return None


def _is_lstm(variable):
    return "/basic_lstm_cell/" in variable.op.name


def _name(variable):
    """Return a variable's canonical name; of an LSTM's two kernels, which lie in one, that of the first."""
    parts = [part for part in variable.op.name.split("/") if part not in WRAPPERS]
    # The cells of several layers are called cell_0, cell_1.
    parts = [part[len("cell_") :] if part.startswith("cell_") else part for part in parts]
    return ".".join(parts[:-1] + [LEAVES.get(parts[-1], parts[-1])])


def _recurrent(name):
    return name[: -len("kernel")] + "recurrent_kernel"


def _swapped(gates):
    """Exchange an LSTM's gates: the canon has i, f, g, o, and TensorFlow i, g, f, o."""
    first, second, third, fourth = np.split(gates, 4, axis=-1)
    return np.concatenate([first, third, second, fourth], axis=-1)


def _forget(bias):
    """Return what is added to the bias of TensorFlow's LSTM that is part of the canon's, in the canon's order."""
    added = np.zeros_like(bias)
    added[len(bias) // 4 : len(bias) // 2] = FORGET_BIAS
    return added


def _placeholder(example):
    if isinstance(example, tuple):
        return tuple(_placeholder(each) for each in example)
    is_image = example.ndim == 4  # of any side: parity asks a large network of small ones
    sizes = (None, None, example.shape[3]) if is_image else example.shape[1:]
    return tf.placeholder(example.dtype, (None,) + sizes)


class Program:
    """One model, its loss and its optimiser in a graph of their own, and the session that runs it."""

    threads = 0

    def __init__(self, source, task, mode, optimizer, x):
        self.source = source
        self.optimizer = source.OPTIMIZERS[optimizer] if task == "train" else None
        self.example = x
        self.step = self._train if task == "train" else self._infer
        self.has_dropout = True
        self.scale = 1.0
        self.shapes = {}
        self.session = None

    def _build(self):
        with tf.Graph().as_default() as graph:
            self.x = _placeholder(self.example)
            self.training = tf.placeholder(tf.bool, ())
            self.logits = self._model()
            self.variables = tf.global_variables()
            if self.optimizer:
                self._build_training()
            # One op at a time, with all threads inside it: two pools would compete for the same cores.
            config = tf.ConfigProto(intra_op_parallelism_threads=self.threads, inter_op_parallelism_threads=1)
            self.session = tf.Session(graph=graph, config=config)
            self.session.run(tf.global_variables_initializer())

    def _model(self):
        dropout = tf.layers.dropout
        try:
            if not self.has_dropout:
                tf.layers.dropout = lambda x, *rate, **training: x
            return self.source.Model(self.x, self.training)
        finally:
            tf.layers.dropout = dropout

    def _build_training(self):
        is_sparse = self.source.loss is tf.losses.sparse_softmax_cross_entropy
        self.y = tf.placeholder(tf.int32, (None,)) if is_sparse else tf.placeholder(tf.float32, self.logits.shape)
        self.loss = self.source.loss(self.y, self.logits)
        optimizer = self._scaled(self.optimizer())
        # By default gated: no weight is updated before the gradients that depend on it are there.
        pairs = optimizer.compute_gradients(self.loss)
        # Of an embedding, a row for each word read: the sum of a word's rows is its gradient.
        self.found = [(tf.convert_to_tensor(gradient), variable) for gradient, variable in pairs]
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):  # moving averages
            self.train_op = optimizer.apply_gradients(pairs)

    def _scaled(self, optimizer):
        for name in LEARNING_RATES:
            if hasattr(optimizer, name):
                setattr(optimizer, name, getattr(optimizer, name) * self.scale)
        return optimizer

    def _packed(self, variable, weights):
        """Return what a variable holds of canonical weights."""
        name = _name(variable)
        value = weights[name]
        if not _is_lstm(variable):
            return value.reshape(variable.shape.as_list())
        if name.endswith(".bias"):
            return _swapped(value - _forget(value))
        return _swapped(np.concatenate([value, weights[_recurrent(name)]]))

    def _canonical(self, variable, value, is_gradient=False):
        """Return what a variable, or its gradient, is in the canon: {name: value}."""
        name = _name(variable)
        if not _is_lstm(variable):
            return {name: value.reshape(self.shapes[name])}
        value = _swapped(value)
        if name.endswith(".bias"):
            return {name: value if is_gradient else value + _forget(value)}
        inputs = len(value) - value.shape[1] // 4
        return {name: value[:inputs], _recurrent(name): value[inputs:]}

    def load(self, weights):
        if not self.session:
            self._build()  # not before: rates of dropout and of learning are part of the graph
        self.shapes = {name: value.shape for name, value in weights.items()}
        given = {each.initializer.inputs[1]: self._packed(each, weights) for each in self.variables}
        self.session.run([each.initializer for each in self.variables], given)

    def weights(self):
        found = {}
        for variable, value in zip(self.variables, self.session.run(self.variables)):
            found.update(self._canonical(variable, value))
        return found

    def without_dropout(self):
        self.has_dropout = False

    def scale_learning_rate(self, factor):
        self.scale *= factor

    def place(self, x, y):
        return x, y  # every step feeds NumPy arrays

    def gradients(self, batch):
        outputs, loss, values = self.session.run(
            [self.logits, self.loss, [gradient for gradient, _ in self.found]], self._fed(batch)
        )
        found = {}
        for (_, variable), value in zip(self.found, values):
            found.update(self._canonical(variable, value, is_gradient=True))
        return outputs, float(loss), found

    def _fed(self, batch):
        x, y = batch
        return {self.x: x, self.y: y, self.training: True}

    def outputs(self, batch):
        return self.session.run(self.logits, {self.x: batch[0], self.training: False})

    def _train(self, batch):
        _, loss = self.session.run([self.train_op, self.loss], self._fed(batch))
        return loss  # a NumPy number: the session has waited

    def _infer(self, batch):
        return self.outputs(batch).sum()

    def wait(self, handle):
        return float(handle)
