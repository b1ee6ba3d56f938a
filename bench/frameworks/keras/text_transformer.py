import keras
from keras import layers, ops

WORDS, LENGTH, WIDTH = 5000, 64, 128


class PositionEmbedding(layers.Embedding):
    """Adds a learned vector to each position."""

    def call(self, x):  # (batch, length, width)
        return x + super().call(ops.arange(x.shape[1]))

    def compute_output_shape(self, input_shape):
        return input_shape


def block(x, name):
    new = layers.LayerNormalization(epsilon=1e-5, name=f"{name}_norm1")(x)
    new = layers.MultiHeadAttention(num_heads=4, key_dim=WIDTH // 4, name=f"{name}_attention")(new, new)
    x = layers.Add()([x, new])
    new = layers.LayerNormalization(epsilon=1e-5, name=f"{name}_norm2")(x)
    new = layers.Dense(512, activation="gelu", name=f"{name}_expand")(new)
    new = layers.Dense(WIDTH, name=f"{name}_contract")(new)
    return layers.Add()([x, new])


def Model():
    inputs = keras.Input((LENGTH,), dtype="int32")
    x = layers.Embedding(WORDS, WIDTH, name="embedding")(inputs)  # (batch, 64, 128)
    x = PositionEmbedding(LENGTH, WIDTH, name="position")(x)
    for index in range(2):
        x = block(x, f"blocks_{index}")
    x = layers.LayerNormalization(epsilon=1e-5, name="norm")(x)
    x = layers.GlobalAveragePooling1D()(x)
    return keras.Model(inputs, layers.Dense(2, name="head")(x))


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}

# Our names for Keras'.
LEAVES = {
    "attention.attention_output.kernel": ("attention.out.kernel",),
    "attention.attention_output.bias": ("attention.out.bias",),
}
