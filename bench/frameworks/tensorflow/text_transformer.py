import tensorflow as tf
from tensorflow.keras import layers

WORDS, LENGTH, WIDTH = 5000, 64, 128


class Block(layers.Layer):
    def __init__(self):
        super().__init__()
        self.norm1 = layers.LayerNormalization(epsilon=1e-5)
        self.attention = layers.MultiHeadAttention(num_heads=4, key_dim=WIDTH // 4)
        self.norm2 = layers.LayerNormalization(epsilon=1e-5)
        self.expand = layers.Dense(512, activation="gelu")
        self.contract = layers.Dense(WIDTH)

    def call(self, x):
        new = self.norm1(x)
        x = x + self.attention(new, new)
        new = self.expand(self.norm2(x))
        return x + self.contract(new)


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.embedding = layers.Embedding(WORDS, WIDTH)
        self.position = layers.Embedding(LENGTH, WIDTH)
        self.blocks = [Block() for _ in range(2)]
        self.norm = layers.LayerNormalization(epsilon=1e-5)
        self.head = layers.Dense(2)

    def call(self, x):  # (batch, 64)
        x = self.embedding(x) + self.position(tf.range(LENGTH))  # (batch, 64, 128)
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        return self.head(tf.reduce_mean(x, axis=1))


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}

# Our names for Keras'.
LEAVES = {
    "attention.attention_output.kernel": ("attention.out.kernel",),
    "attention.attention_output.bias": ("attention.out.bias",),
}
