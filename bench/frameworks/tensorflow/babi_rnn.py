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

    def call(self, x):
        story, question = x  # (batch, 552), (batch, 5)
        story = self.dropout1(self.story_embedding(story))  # (batch, 552, 50)
        question = self.dropout2(self.question_embedding(question))  # (batch, 5, 50)
        question = self.question_lstm(question)  # (batch, 50): the last output
        x = story + question[:, tf.newaxis]  # the question is added to every word
        x = self.story_lstm(x)  # (batch, 50)
        return self.head(self.dropout3(x))


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
