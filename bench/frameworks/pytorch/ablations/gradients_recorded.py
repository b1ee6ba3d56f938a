def vary(program, source):
    class Recording(program):
        def _infer(self, batch):
            return self.run(*batch[0]).sum()

    return Recording, source
