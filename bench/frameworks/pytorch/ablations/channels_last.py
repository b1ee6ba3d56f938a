import torch


def vary(program, source):
    class Last(program):
        def __init__(self, *about):
            super().__init__(*about)
            self.how = self.how._replace(layout=torch.channels_last)
            self.model.to(memory_format=torch.channels_last)

    return Last, source
