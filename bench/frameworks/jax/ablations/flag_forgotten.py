def vary(program, source):
    class Forgetful(program):
        def __init__(self, *about):
            super().__init__(*about)
            self.model.eval()

    return Forgetful, source
