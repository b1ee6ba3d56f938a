from flax import nnx

from bench.ablations import changed


def vary(program, source):
    class Model(source.Model):
        def __call__(self, x):  # (batch, 32, 32, 3)
            x = nnx.relu(self.conv1(x))
            x = nnx.max_pool(self.conv2(x), (2, 2), strides=(2, 2))
            x = self.dropout1(nnx.relu(x))  # (batch, 16, 16, 50)
            x = nnx.relu(self.conv3(x))
            x = nnx.max_pool(self.conv4(x), (2, 2), strides=(2, 2))
            x = self.dropout2(nnx.relu(x))  # (batch, 8, 8, 100)
            x = x.reshape(x.shape[0], -1)
            x = self.dropout3(nnx.relu(self.hidden(x)))
            return self.head(x)

    return program, changed(source, Model=Model)
