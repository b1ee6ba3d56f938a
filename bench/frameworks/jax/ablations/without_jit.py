def vary(program, source):
    class Plain(program):
        def __init__(self, *about):
            super().__init__(*about)
            self.step = self._plain

        def _plain(self, batch):
            return self.train_step(self.model, self.optimizer, *batch)

    return Plain, source
