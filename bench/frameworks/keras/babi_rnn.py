import keras
from keras import layers


def Model():
    inputs = (keras.Input((552,), dtype="int32"), keras.Input((5,), dtype="int32"))
    story = layers.Embedding(36, 50, name="story_embedding")(inputs[0])  # (batch, 552, 50)
    story = layers.Dropout(0.3)(story)
    question = layers.Embedding(36, 50, name="question_embedding")(inputs[1])  # (batch, 5, 50)
    question = layers.Dropout(0.3)(question)
    question = layers.LSTM(50, name="question_lstm")(question)  # (batch, 50): the last output
    question = layers.Reshape((1, 50))(question)
    x = layers.Add()([story, question])  # the question is added to every word
    x = layers.LSTM(50, name="story_lstm")(x)  # (batch, 50)
    x = layers.Dropout(0.3)(x)
    return keras.Model(inputs, layers.Dense(36, name="head")(x))


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
