import paddle
import paddle.nn.functional as F
from paddle import nn


def convs(inputs, outputs, count):
    first = nn.Conv2D(inputs, outputs, 3, padding=1)
    return nn.LayerList([first, *(nn.Conv2D(outputs, outputs, 3, padding=1) for _ in range(count - 1))])


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.block1 = convs(3, 64, count=2)
        self.block2 = convs(64, 128, count=2)
        self.block3 = convs(128, 256, count=3)
        self.block4 = convs(256, 512, count=3)
        self.block5 = convs(512, 512, count=3)
        self.hidden1 = nn.Linear(512 * 7 * 7, 4096)
        self.hidden2 = nn.Linear(4096, 4096)
        self.head = nn.Linear(4096, 120)

    def forward(self, x):  # (batch, 3, 224, 224)
        for block in (self.block1, self.block2, self.block3, self.block4, self.block5):
            for conv in block:
                x = F.relu(conv(x))
            x = F.max_pool2d(x, 2)
        x = paddle.flatten(x, 1)  # (batch, 25088), from (batch, 512, 7, 7)
        x = F.relu(self.hidden1(x))
        x = F.relu(self.hidden2(x))
        return self.head(x)


loss = F.cross_entropy

OPTIMIZERS = {
    "sgd": lambda parameters: paddle.optimizer.Momentum(0.01, momentum=0.9, parameters=parameters),
    "adam": lambda parameters: paddle.optimizer.Adam(1e-3, beta1=0.9, beta2=0.999, epsilon=1e-7, parameters=parameters),
}
