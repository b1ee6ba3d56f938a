import tensorflow as tf


def vary(program, source):
    class Forgetful(program):
        def _forward_backward(self, batch):
            x, y = batch
            with tf.GradientTape() as tape:
                outputs = self.model(x)
                loss = self.source.loss(y, outputs)
            return outputs, loss, tape.gradient(loss, self.model.trainable_variables)

    return Forgetful, source
