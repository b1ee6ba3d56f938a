import torch.nn.functional as F


def vary(program, source):
    class OneHot(program):
        def place(self, x, y):
            inputs, y = super().place(x, y)
            return inputs, F.one_hot(y, self.model.head.out_features).float()

    return OneHot, source
