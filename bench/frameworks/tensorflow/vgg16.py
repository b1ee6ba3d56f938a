import tensorflow as tf
from tensorflow.keras import layers


def convs(filters, count):
    return [layers.Conv2D(filters, 3, padding="same", activation="relu") for _ in range(count)]


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.block1 = convs(64, count=2)
        self.block2 = convs(128, count=2)
        self.block3 = convs(256, count=3)
        self.block4 = convs(512, count=3)
        self.block5 = convs(512, count=3)
        self.pool = layers.MaxPooling2D(2)
        self.flatten = layers.Flatten()
        self.hidden1 = layers.Dense(4096, activation="relu")
        self.hidden2 = layers.Dense(4096, activation="relu")
        self.head = layers.Dense(120)

    def call(self, x):  # (batch, 224, 224, 3)
        for block in (self.block1, self.block2, self.block3, self.block4, self.block5):
            for conv in block:
                x = conv(x)
            x = self.pool(x)
        x = self.flatten(x)  # (batch, 25088), from (batch, 7, 7, 512)
        x = self.hidden1(x)
        x = self.hidden2(x)
        return self.head(x)


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    "sgd": lambda: tf.keras.optimizers.SGD(learning_rate=0.01, momentum=0.9),
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
