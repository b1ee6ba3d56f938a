"""IMDB: film reviews, liked or not

50,000 reviews (Maas et al. 2011) as the word numbers of Keras. 1 begins a review, 2 replaces a word beyond the 30,000
most frequent, and words count from 4. A review is its last 150 numbers, with zeros before a shorter one. These are the
arrays, in the same order, of `keras.datasets.imdb.load_data(num_words=30000)` and `pad_sequences(..., maxlen=150)`.

The stand-in's reviews give an opinion eleven times among words without a meaning. A third of the opinions negate the
opposite ("not good"), so single words show a part of it, and their order the rest. One label in twenty is wrong on
purpose: at most 0.95 is attainable on its test half.
"""

import numpy as np

from bench.data.download import File
from bench.datasets import balanced, fill, halves, integers, mislabel, pad

SOURCE = "https://ai.stanford.edu/~amaas/data/sentiment/"
LICENCE = "not stated; cite Maas et al. 2011"
FILES = (
    File(  # sum: Keras, src/datasets/imdb.py; size: its download
        "imdb.npz",
        17464789,
        "sha256:69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f",
        (
            "https://storage.googleapis.com/tensorflow/tf-keras-datasets/imdb.npz",
            "https://s3.amazonaws.com/text-datasets/imdb.npz",
        ),
    ),
)
LENGTH = 150
WORDS = 30000
START, UNKNOWN, INDEX_FROM = 1, 2, 3
INPUTS = {"x": ("int32", (LENGTH,))}
EXAMPLES = (25000, 25000)
STAND_IN = (4000, 1000)
STAND_IN_CLASSES = ("negative", "positive")
WRONG_PERCENT = 5
ATTAINABLE = 0.95  # by construction

NEGATIONS = (4, 9)  # the word numbers of the stand-in, from and up to
OPINIONS = ((9, 29), (29, 49))  # negative, positive
OTHERS = 49
OPINIONS_IN_REVIEW = 11  # of at least 13 phrases: so many that three epochs of a small set teach a network to read


def prepare(files, arrays, advance):
    """Fill the arrays from Keras' file of word ranks. It holds Python objects: safe only since its checksum fits."""
    with np.load(files["imdb.npz"], allow_pickle=True) as file:
        random = np.random.RandomState(113)  # the order of Keras
        for half in ("train", "test"):
            reviews, labels = file["x_" + half], file["y_" + half]
            order = np.arange(len(reviews))
            random.shuffle(order)
            fill(arrays, half, advance, x=pad((encode(reviews[i]) for i in order), LENGTH), y=labels[order])
    return STAND_IN_CLASSES


def encode(ranks):
    """Return a review's word numbers from its words' ranks by frequency."""
    return [START] + [rank + INDEX_FROM if rank + INDEX_FROM < WORDS else UNKNOWN for rank in ranks]


def stand_in(random, train, test):
    """Return generated reviews of 40 to 150 words."""
    return halves(_reviews, random, train, test)


def _reviews(random, count):
    y = balanced(random, count, 2)
    x = pad((_review(random, label) for label in y), LENGTH)
    return {"x": x, "y": mislabel(random, y, 2, WRONG_PERCENT)}


def _review(random, label):
    """Return the word numbers of one review: phrases of three words, many of them an opinion, two an idle negation."""
    phrases = integers(random, 0, 31, (integers(random, 13, 50), 3, 3)).prod(axis=2) + OTHERS  # frequent words oftener
    chosen = random.permutation(len(phrases))[: OPINIONS_IN_REVIEW + 2]
    opinions = np.full(OPINIONS_IN_REVIEW, label)
    opinions[0] ^= integers(random, 0, 2)
    for phrase, opinion in zip(chosen, opinions):
        is_negated = integers(random, 0, 3) == 0
        phrases[phrase, 1] = integers(random, *OPINIONS[opinion ^ is_negated])
        if is_negated:
            phrases[phrase, 0] = integers(random, *NEGATIONS)
    phrases[chosen[OPINIONS_IN_REVIEW:], 0] = integers(random, *NEGATIONS, size=2)
    return np.concatenate([[START], phrases.ravel()])
