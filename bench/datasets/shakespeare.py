"""Tiny Shakespeare: the next character of plays

A megabyte of Shakespeare's plays in one text, chosen by Karpathy (2015) for char-rnn, as bytes. An example is 128
characters in a row, and its target the character after each. The examples of a half follow each other without a gap.
The first nine tenths are for training, as in nanoGPT.

All of the stand-in's sentences have one form, "The old king loves the young queens.", and its words differ in their
first letters. Chance decides the adjectives, nouns and verbs, and the singular or plural. A verb agrees with the noun
before it. A reader can know 86 characters of 100, and fewer at the beginning of an example.
"""

import numpy as np

from bench.data.download import File
from bench.datasets import fill, halves, integers

SOURCE = "https://github.com/karpathy/char-rnn"
LICENCE = "MIT (char-rnn); Shakespeare's text is in the public domain"
FILES = (
    File(  # sum and size: TensorFlow Datasets, datasets/tiny_shakespeare/checksums.tsv
        "tiny_shakespeare.txt",
        1115394,
        "sha256:86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
        ("https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",),
    ),
)
LENGTH = 128
TRAIN_BYTES = 1003854  # nine tenths, rounded down
INPUTS = {"x": ("int32", (LENGTH,))}
TARGET = ("int32", (LENGTH,))
EXAMPLES = (7842, 871)
STAND_IN = (1000, 200)
STAND_IN_CLASSES = tuple(chr(byte) if 32 < byte < 127 else "byte %d" % byte for byte in range(256))
ATTAINABLE = 0.86  # by construction, in the midst of an example
GUESSING = 0.15  # with a space

ADJECTIVES = ("bold", "cold", "dark", "fair", "glad", "noble", "old", "young")
NOUNS = ("brother", "cousin", "daughter", "father", "king", "lord", "mother", "queen")
VERBS = ("admire", "beat", "call", "fear", "hate", "love", "praise", "warn")


def prepare(files, arrays, advance):
    """Fill the arrays from the text."""
    with open(files["tiny_shakespeare.txt"], "rb") as file:
        text = file.read()
    for half, part in (("train", text[:TRAIN_BYTES]), ("test", text[TRAIN_BYTES:])):
        fill(arrays, half, advance, **windows(part))
    return STAND_IN_CLASSES


def windows(text):
    """Return x (examples, 128): int32 bytes in a row, and y: the byte after each; a shorter rest is left out."""
    values = np.frombuffer(text, np.uint8).astype(np.int32)
    size = (len(values) - 1) // LENGTH * LENGTH
    return {"x": values[:size].reshape(-1, LENGTH), "y": values[1 : size + 1].reshape(-1, LENGTH)}


def stand_in(random, train, test):
    """Return windows of generated sentences."""
    return halves(_windows, random, train, test)


def _windows(random, count):
    text = "".join(_sentences(random, count * LENGTH + 1))
    return {part: rows[:count] for part, rows in windows(text.encode("ascii")).items()}


def _sentences(random, size):
    """Yield sentences of `size` characters or more together."""
    while size > 0:
        who, whom, verb = _group(random), _group(random), VERBS[integers(random, 0, len(VERBS))]
        sentence = "The %s %s the %s.\n" % (who, verb if who.endswith("s") else verb + "s", whom)
        size -= len(sentence)
        yield sentence


def _group(random):
    """Return an adjective and a noun, of one or of many."""
    adjective, noun, many = (integers(random, 0, count) for count in (len(ADJECTIVES), len(NOUNS), 2))
    return ADJECTIVES[adjective] + " " + NOUNS[noun] + "s" * int(many)
