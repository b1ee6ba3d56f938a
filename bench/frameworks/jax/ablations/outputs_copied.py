import numpy as np
from flax import nnx


def _train_step(loss_of):
    def objective(model, inputs, y):
        outputs = model(*inputs)
        return loss_of(outputs, y), outputs

    gradient = nnx.value_and_grad(objective, has_aux=True)

    def train_step(model, optimizer, inputs, y):
        (loss, outputs), gradients = gradient(model, inputs, y)
        optimizer.update(model, gradients)
        return loss, outputs

    return train_step


def vary(program, source):
    class Copying(program):
        def __init__(self, *about):
            super().__init__(*about)
            self.train_step = _train_step(source.loss)

        def _train(self, batch):
            loss, outputs = super()._train(batch)
            np.asarray(outputs)
            return loss

    return Copying, source
