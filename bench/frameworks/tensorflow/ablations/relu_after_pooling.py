import tensorflow as tf

from bench.ablations import changed


def vary(program, source):
    class Model(source.Model):
        def __init__(self):
            super().__init__()
            self.conv2.activation = self.conv4.activation = None

        def call(self, x):  # (batch, 32, 32, 3)
            x = self.conv2(self.conv1(x))
            x = self.dropout1(tf.nn.relu(self.pool(x)))  # (batch, 16, 16, 50)
            x = self.conv4(self.conv3(x))
            x = self.dropout2(tf.nn.relu(self.pool(x)))  # (batch, 8, 8, 100)
            x = self.hidden(self.flatten(x))
            return self.head(self.dropout3(x))

    return program, changed(source, Model=Model)
