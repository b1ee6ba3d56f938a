import tensorflow as tf
from tensorflow.keras import layers


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.story_embedding = layers.Embedding(36, 50)
        self.dropout1 = layers.Dropout(0.3)
        self.question_embedding = layers.Embedding(36, 50)
        self.dropout2 = layers.Dropout(0.3)
        self.question_lstm = layers.LSTM(50)
        self.story_lstm = layers.LSTM(50)
        self.dropout3 = layers.Dropout(0.3)
        self.head = layers.Dense(36)
        self((tf.keras.Input((552,), dtype="int32"), tf.keras.Input((5,), dtype="int32")))  # makes the weights

    def call(self, x):
        story, question = x  # (batch, 552), (batch, 5)
        story = self.dropout1(self.story_embedding(story))  # (batch, 552, 50)
        question = self.dropout2(self.question_embedding(question))  # (batch, 5, 50)
        question = self.question_lstm(question)  # (batch, 50): the last output
        x = story + question[:, tf.newaxis]  # the question is added to every word
        x = self.story_lstm(x)  # (batch, 50)
        return self.head(self.dropout3(x))


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


class Adam(tf.keras.optimizers.Adam):
    def update_step(self, gradient, variable, learning_rate):
        # The gradient of an embedding has a row for each word read, and Adam would square the rows of a word that is
        # read twice one by one, instead of their sum.
        super().update_step(tf.convert_to_tensor(gradient), variable, learning_rate)


OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
