import paddle
import paddle.nn.functional as F
from paddle import nn

GROWTH = 32


class DenseLayer(nn.Layer):
    def __init__(self, inputs):
        super().__init__()
        self.norm1 = batch_norm(inputs)
        self.conv1 = nn.Conv2D(inputs, 4 * GROWTH, 1, bias_attr=False)
        self.norm2 = batch_norm(4 * GROWTH)
        self.conv2 = nn.Conv2D(4 * GROWTH, GROWTH, 3, padding=1, bias_attr=False)

    def forward(self, x):
        new = self.conv1(F.relu(self.norm1(x)))
        new = self.conv2(F.relu(self.norm2(new)))
        return paddle.concat([x, new], axis=1)


class Transition(nn.Layer):
    def __init__(self, inputs):
        super().__init__()
        self.norm = batch_norm(inputs)
        self.conv = nn.Conv2D(inputs, inputs // 2, 1, bias_attr=False)

    def forward(self, x):
        x = self.conv(F.relu(self.norm(x)))
        return F.avg_pool2d(x, 2)


def batch_norm(channels):
    return nn.BatchNorm2D(channels, epsilon=1.001e-5, momentum=0.99)


def block(inputs, depth):
    return nn.Sequential(*(DenseLayer(inputs + index * GROWTH) for index in range(depth)))


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(3, 64, 7, stride=2, padding=3, bias_attr=False)
        self.norm = batch_norm(64)
        self.block1 = block(64, depth=6)
        self.transition1 = Transition(256)
        self.block2 = block(128, depth=12)
        self.transition2 = Transition(512)
        self.block3 = block(256, depth=24)
        self.transition3 = Transition(1024)
        self.block4 = block(512, depth=16)
        self.final_norm = batch_norm(1024)
        self.head = nn.Linear(1024, 14)

    def forward(self, x):  # (batch, 3, 224, 224)
        x = F.relu(self.norm(self.conv(x)))
        x = F.max_pool2d(x, 3, stride=2, padding=1)  # (batch, 64, 56, 56)
        x = self.transition1(self.block1(x))  # (batch, 128, 28, 28)
        x = self.transition2(self.block2(x))  # (batch, 256, 14, 14)
        x = self.transition3(self.block3(x))  # (batch, 512, 7, 7)
        x = F.relu(self.final_norm(self.block4(x)))  # (batch, 1024, 7, 7)
        x = x.mean(axis=[2, 3])
        return self.head(x)


loss = F.binary_cross_entropy_with_logits

OPTIMIZERS = {
    "adam": lambda parameters: paddle.optimizer.Adam(1e-3, beta1=0.9, beta2=0.999, epsilon=1e-7, parameters=parameters),
}
