import optax
from flax import nnx


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.story_embedding = nnx.Embed(36, 50, rngs=rngs)
        self.dropout1 = nnx.Dropout(0.3, rngs=rngs)
        self.question_embedding = nnx.Embed(36, 50, rngs=rngs)
        self.dropout2 = nnx.Dropout(0.3, rngs=rngs)
        self.question_lstm = nnx.RNN(nnx.OptimizedLSTMCell(50, 50, rngs=rngs), rngs=rngs)
        self.story_lstm = nnx.RNN(nnx.OptimizedLSTMCell(50, 50, rngs=rngs), rngs=rngs)
        self.dropout3 = nnx.Dropout(0.3, rngs=rngs)
        self.head = nnx.Linear(50, 36, rngs=rngs)

    def __call__(self, story, question):  # (batch, 552), (batch, 5)
        story = self.dropout1(self.story_embedding(story))  # (batch, 552, 50)
        question = self.dropout2(self.question_embedding(question))  # (batch, 5, 50)
        (_, last), _ = self.question_lstm(question, return_carry=True)  # (batch, 50): the last output
        x = story + last[:, None]  # the question is added to every word
        (_, last), _ = self.story_lstm(x, return_carry=True)
        return self.head(self.dropout3(last))


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
