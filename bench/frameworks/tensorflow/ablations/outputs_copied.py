def vary(program, source):
    class Copying(program):
        def __init__(self, *about):
            super().__init__(*about)
            self.train_step, self.step = self.step, self._copied

        def _train(self, batch):
            outputs, loss, gradients = self._forward_backward(batch)
            self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))
            return loss, outputs

        def _copied(self, batch):
            loss, outputs = self.train_step(batch)
            outputs.numpy()
            return loss

    return Copying, source
