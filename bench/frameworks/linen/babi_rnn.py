import optax
from flax import linen as nn


class Model(nn.Module):
    @nn.compact
    def __call__(self, story, question, train):  # (batch, 552), (batch, 5)
        story = nn.Embed(36, 50, name="story_embedding")(story)  # (batch, 552, 50)
        story = nn.Dropout(0.3, deterministic=not train)(story)
        question = nn.Embed(36, 50, name="question_embedding")(question)  # (batch, 5, 50)
        question = nn.Dropout(0.3, deterministic=not train)(question)
        question_lstm = nn.RNN(nn.OptimizedLSTMCell(50, name="question_lstm"), return_carry=True)
        story_lstm = nn.RNN(nn.OptimizedLSTMCell(50, name="story_lstm"), return_carry=True)
        (_, last), _ = question_lstm(question)  # (batch, 50): the last output
        x = story + last[:, None]  # the question is added to every word
        (_, last), _ = story_lstm(x)
        x = nn.Dropout(0.3, deterministic=not train)(last)
        return nn.Dense(36, name="head")(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
