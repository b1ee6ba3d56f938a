import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Model(eqx.Module):
    story_embedding: eqx.nn.Embedding
    dropout1: eqx.nn.Dropout
    question_embedding: eqx.nn.Embedding
    dropout2: eqx.nn.Dropout
    question_lstm: eqx.nn.LSTMCell
    story_lstm: eqx.nn.LSTMCell
    dropout3: eqx.nn.Dropout
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 5)
        self.story_embedding = eqx.nn.Embedding(36, 50, key=keys[0])
        self.dropout1 = eqx.nn.Dropout(0.3)
        self.question_embedding = eqx.nn.Embedding(36, 50, key=keys[1])
        self.dropout2 = eqx.nn.Dropout(0.3)
        self.question_lstm = eqx.nn.LSTMCell(50, 50, key=keys[2])
        self.story_lstm = eqx.nn.LSTMCell(50, 50, key=keys[3])
        self.dropout3 = eqx.nn.Dropout(0.3)
        self.head = eqx.nn.Linear(50, 36, key=keys[4])

    def __call__(self, story, question, state, key):  # (552,), (5,): one example, of a batch by jax.vmap
        keys = jax.random.split(key, 3)
        story = self.dropout1(jax.vmap(self.story_embedding)(story), key=keys[0])  # (552, 50)
        question = self.dropout2(jax.vmap(self.question_embedding)(question), key=keys[1])  # (5, 50)
        x = story + last_output(self.question_lstm, question)  # the question is added to every word
        x = self.dropout3(last_output(self.story_lstm, x), key=keys[2])
        return self.head(x), state


def last_output(cell, x):
    zeros = jnp.zeros(cell.hidden_size)
    (hidden, _), _ = jax.lax.scan(lambda carry, x: (cell(x, carry), None), (zeros, zeros), x)
    return hidden


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
