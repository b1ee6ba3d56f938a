import torch
import torch.nn.functional as F

from bench.ablations import changed


def vary(program, source):
    class Model(source.Model):
        def forward(self, x):  # (batch, 3, 32, 32)
            x = F.relu(self.conv1(x))
            x = self.dropout1(F.relu(F.max_pool2d(self.conv2(x), 2)))  # (batch, 50, 16, 16)
            x = F.relu(self.conv3(x))
            x = self.dropout2(F.relu(F.max_pool2d(self.conv4(x), 2)))  # (batch, 100, 8, 8)
            x = torch.flatten(x, 1)
            x = self.dropout3(F.relu(self.hidden(x)))
            return self.head(x)

    return program, changed(source, Model=Model)
