VARIABLES = {"JAX_ENABLE_X64": "1"}


def vary(program, source):
    class Double(program):
        def place(self, x, y):
            return super().place(x.astype("float64"), y)

    return Double, source
