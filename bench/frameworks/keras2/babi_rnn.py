from keras import layers
from keras.models import Model as KerasModel
from keras.optimizers import Adam


def Model():
    story = layers.Input(shape=(552,), dtype="int32")
    encoded_story = layers.Embedding(36, 50, name="story_embedding")(story)  # (batch, 552, 50)
    encoded_story = layers.Dropout(0.3)(encoded_story)

    question = layers.Input(shape=(5,), dtype="int32")
    encoded_question = layers.Embedding(36, 50, name="question_embedding")(question)  # (batch, 5, 50)
    encoded_question = layers.Dropout(0.3)(encoded_question)
    # The gates' default was hard_sigmoid.
    encoded_question = layers.LSTM(50, recurrent_activation="sigmoid", name="question_lstm")(encoded_question)
    encoded_question = layers.RepeatVector(552)(encoded_question)  # the question is added to every word

    merged = layers.add([encoded_story, encoded_question])
    merged = layers.LSTM(50, recurrent_activation="sigmoid", name="story_lstm")(merged)  # (batch, 50)
    merged = layers.Dropout(0.3)(merged)
    answer = layers.Dense(36, activation="softmax", name="head")(merged)
    return KerasModel([story, question], answer)


loss = "categorical_crossentropy"

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: Adam(lr=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
