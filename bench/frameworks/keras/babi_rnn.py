import keras
from keras import layers


def Model():
    story = keras.Input((552,), dtype="int32")
    question = keras.Input((5,), dtype="int32")
    words = layers.Embedding(36, 50, name="story_embedding")(story)  # (batch, 552, 50)
    words = layers.Dropout(0.3)(words)
    asked = layers.Embedding(36, 50, name="question_embedding")(question)  # (batch, 5, 50)
    asked = layers.Dropout(0.3)(asked)
    asked = layers.LSTM(50, name="question_lstm")(asked)  # (batch, 50): the last output
    asked = layers.RepeatVector(552)(asked)  # (batch, 552, 50)
    x = layers.Add()([words, asked])
    x = layers.LSTM(50, name="story_lstm")(x)  # (batch, 50)
    x = layers.Dropout(0.3)(x)
    return keras.Model((story, question), layers.Dense(36, name="head")(x))


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
