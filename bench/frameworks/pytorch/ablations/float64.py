def vary(program, source):
    class Double(program):
        def __init__(self, *about):
            super().__init__(*about)
            self.model.double()

        def place(self, x, y):
            return super().place(x.astype("float64"), y)

    return Double, source
