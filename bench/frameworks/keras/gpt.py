import keras
from keras import layers, ops

BYTES, LENGTH, WIDTH = 256, 128, 384


class PositionEmbedding(layers.Embedding):
    """Adds a learned vector to each position."""

    def call(self, x):  # (batch, length, width)
        return x + super().call(ops.arange(x.shape[1]))

    def compute_output_shape(self, input_shape):
        return input_shape


def block(x, name):
    new = layers.LayerNormalization(epsilon=1e-5, name=f"{name}_norm1")(x)
    attention = layers.MultiHeadAttention(num_heads=6, key_dim=WIDTH // 6, name=f"{name}_attention")
    x = layers.Add()([x, attention(new, new, use_causal_mask=True)])
    new = layers.LayerNormalization(epsilon=1e-5, name=f"{name}_norm2")(x)
    new = layers.Dense(4 * WIDTH, activation="gelu", name=f"{name}_expand")(new)
    new = layers.Dense(WIDTH, name=f"{name}_contract")(new)
    return layers.Add()([x, new])


def Model():
    inputs = keras.Input((LENGTH,), dtype="int32")
    embedding = layers.ReversibleEmbedding(BYTES, WIDTH, name="embedding")
    x = embedding(inputs)  # (batch, 128, 384)
    x = PositionEmbedding(LENGTH, WIDTH, name="position")(x)
    for index in range(6):
        x = block(x, f"blocks_{index}")
    x = layers.LayerNormalization(epsilon=1e-5, name="norm")(x)
    return keras.Model(inputs, embedding(x, reverse=True))  # (batch, 128, 256)


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-8 at step 10.
    "adamw": lambda: keras.optimizers.AdamW(
        learning_rate=1e-3, beta_1=0.9, beta_2=0.99, epsilon=3e-9, weight_decay=0.1
    ),
}

# Our names for Keras'.
LEAVES = {
    "attention.attention_output.kernel": ("attention.out.kernel",),
    "attention.attention_output.bias": ("attention.out.bias",),
}
