"""LSTM on bAbI questions

An LSTM of 50 units reads the question. Its last output is added to every word of the story; a second LSTM reads the
story, then a class per word. It is the Keras example `babi_rnn.py` of 2017 at its default task, QA2 of bAbI (Weston et
al. 2015, arXiv:1502.05698). The longest story has 552 words. Words are embedded in 50 numbers; dropout 0.3.
"""

from bench.problem import SOFTMAX_CROSS_ENTROPY, Adam, dense, labels, lstm, merge, small

ORDER = 10
PARAMETERS = 45_836
BATCH_SIZES = (32,)
# The defaults of Keras 2.0.8: its 1e-8 is Kingma and Ba's epsilon-hat, which is an epsilon of 1e-7 at step 10.
OPTIMIZERS = {"adam": Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-7)}
LOSS = SOFTMAX_CROSS_ENTROPY
DATASET = "babi"
EPOCHS = 40  # of the source
DROPOUT = (0.3, 0.3, 0.3)
PARITY_BATCH = 8
WORDS = 36  # word 0 fills short stories up


def weights(random):
    """Return the canonical weights."""
    return merge(
        {"story_embedding.table": small(random, WORDS, 50), "question_embedding.table": small(random, WORDS, 50)},
        lstm(random, "question_lstm", 50, 50),
        lstm(random, "story_lstm", 50, 50),
        dense(random, "head", 50, WORDS),
    )


def batch(random, size):
    """Return x, the story (size, 552) int32 and the question (size, 5) int32, and y (size,) int32."""
    story, question = (random.randint(1, WORDS, (size, words)).astype("int32") for words in (552, 5))
    return (story, question), labels(random, size, WORDS)
