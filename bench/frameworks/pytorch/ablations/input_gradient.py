def vary(program, source):
    class Asking(program):
        def place(self, x, y):
            inputs, y = super().place(x, y)
            return [each.requires_grad_() for each in inputs], y

        def _train(self, batch):
            for each in batch[0]:
                each.grad = None
            return super()._train(batch)

    return Asking, source
