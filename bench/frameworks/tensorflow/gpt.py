import tensorflow as tf
from tensorflow.keras import layers

BYTES, LENGTH, WIDTH = 256, 128, 384


class Block(layers.Layer):
    def __init__(self):
        super().__init__()
        self.norm1 = layers.LayerNormalization(epsilon=1e-5)
        self.attention = layers.MultiHeadAttention(num_heads=6, key_dim=WIDTH // 6)
        self.norm2 = layers.LayerNormalization(epsilon=1e-5)
        self.expand = layers.Dense(4 * WIDTH, activation="gelu")
        self.contract = layers.Dense(WIDTH)

    def call(self, x):
        new = self.norm1(x)
        x = x + self.attention(new, new, use_causal_mask=True)
        new = self.expand(self.norm2(x))
        return x + self.contract(new)


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.embedding = layers.Embedding(BYTES, WIDTH)
        self.position = layers.Embedding(LENGTH, WIDTH)
        self.blocks = [Block() for _ in range(6)]
        self.norm = layers.LayerNormalization(epsilon=1e-5)

    def call(self, x):  # (batch, 128)
        x = self.embedding(x) + self.position(tf.range(LENGTH))  # (batch, 128, 384)
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        return tf.matmul(x, self.embedding.embeddings, transpose_b=True)  # (batch, 128, 256)


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-8 at step 10.
    "adamw": lambda: tf.keras.optimizers.AdamW(
        learning_rate=1e-3, beta_1=0.9, beta_2=0.99, epsilon=3e-9, weight_decay=0.1
    ),
}

# Our names for Keras'.
LEAVES = {
    "attention.attention_output.kernel": ("attention.out.kernel",),
    "attention.attention_output.bias": ("attention.out.bias",),
}
