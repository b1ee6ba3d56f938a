"""Stand-ins look like the real sets, are the same everywhere, and can be learned as well as they say."""

import collections
import functools
import hashlib

import numpy as np
import pytest

from bench import dataset, errors
from bench.datasets import babi, crops, imdb

SIZES = {"mnist": (1437, 360), "dog_breeds": (720, 240), "chestxray14": (240, 120)}  # enough to learn from, quickly


@functools.cache
def stand_in(name):
    return dataset.load(name, stand_in=True, examples=SIZES.get(name))


def attainable(data):
    return dataset.definition(data.name).ATTAINABLE


def parts(x):
    return x if isinstance(x, tuple) else (x,)


@pytest.mark.parametrize("name", dataset.names())
def test_a_stand_in_has_the_types_and_shapes_of_the_real_set(name):
    data, module = stand_in(name), dataset.definition(name)
    train, test = SIZES.get(name, module.STAND_IN)
    for x, y, count in ((data.x_train, data.y_train, train), (data.x_test, data.y_test, test)):
        stated = [(kind, (count, *shape)) for kind, shape in (*module.INPUTS.values(), module.TARGET)]
        assert [(str(array.dtype), array.shape) for array in (*parts(x), y)] == stated
    assert (data.y_train.max() if module.METRIC == "accuracy" else data.y_train.shape[1] - 1) < len(data.classes)


DIGESTS = {
    "shakespeare": "153709a43caf5bd5",
    "mnist": "be48829966a7da26",
    "imdb": "9ba31507de2c51fb",
    "babi": "85d36bcc6891f4e3",
    "babi_qa1": "71447e4c0dca06ed",
    "cifar10": "51babcc8cc5a0ea0",
    "dog_breeds": "82107cc10e03265f",
    "chestxray14": "6849564ef11ff6db",
}  # the same with NumPy 1.16 on Python 3.6 and NumPy 2.4 on Python 3.11


def digest(name):
    data = dataset.load(name, stand_in=True, examples=(12, 6), seed=5)
    total = hashlib.sha256()
    for array in (*parts(data.x_train), data.y_train, *parts(data.x_test), data.y_test):
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()[:16]


@pytest.mark.parametrize("name", dataset.names())
def test_a_seed_gives_the_same_stand_in_on_every_numpy(name):
    assert digest(name) == DIGESTS[name]


def spectrum(images, most, block):
    """Return the power of waves of up to `most` periods, summed over blocks, wherever they begin: (n, features)."""
    step = 2 if images.shape[1] > 200 else 1
    grey = (images[..., 1] if images.ndim == 4 else images)[:, ::step, ::step].astype(np.float32)
    power = np.abs(np.fft.fft2(grey - grey.mean(axis=(1, 2), keepdims=True))) ** 2
    quarters = np.stack([power[:, :most, :most], power[:, : -most - 1 : -1, :most]], axis=1)
    pooled = quarters.reshape(len(images), 2, most // block, block, most // block, block).sum(axis=(3, 5))
    return np.log(pooled.reshape(len(images), -1) + 1)


def colors(images):
    """Return quantiles of the differences between the colours: (n, features)."""
    pixels = images.reshape(len(images), -1, 3)
    values = pixels[:, :: max(pixels.shape[1] // 2000, 1)].astype(np.float32)
    differences = [values[:, :, i] - values[:, :, i - 1] for i in range(3)]
    quantiles = np.quantile(differences, np.linspace(0.02, 0.98, 13), axis=2)  # (13, 3, n)
    return quantiles.transpose(2, 0, 1).reshape(len(images), -1)


def ridge(train, targets, test, strength):
    """Fit linear scores for each column of the targets; return those of the test half."""
    mean, spread = train.mean(axis=0), train.std(axis=0) + 1e-6
    a, b = (np.hstack([(half - mean) / spread, np.ones((len(half), 1))]) for half in (train, test))
    return b @ np.linalg.solve(a.T @ a + strength * np.eye(a.shape[1]), a.T @ targets)


def accuracy(data, scores):
    return float((scores.argmax(axis=1) == data.y_test).mean())


def learned(data, features, codes, strength):
    """Learn each class's code from features with a linear model; return the test half's score for each class."""
    return ridge(features(data.x_train), codes[data.y_train], features(data.x_test), strength) @ codes.T


def code(column):
    """Return a one-hot row for each class by one property of its look."""
    return np.array([[value == other for other in dict.fromkeys(column)] for value in column], float)


def chance(data):
    """The accuracy of always answering the most frequent class."""
    return np.bincount(data.y_train.ravel()).max() / data.y_train.size


@pytest.mark.parametrize("name", [each for each in dataset.names() if dataset.definition(each).METRIC == "accuracy"])
def test_guessing_is_worth_what_the_most_frequent_class_gives(name):
    assert chance(stand_in(name)) == pytest.approx(dataset.guessing(name), abs=0.03)


@pytest.mark.parametrize("examples", [None, 8, 640, 1437])
def test_so_many_examples_are_tested_on(examples):
    data = stand_in("mnist")
    tested = dataset.cut(data, examples).y_test if examples else data.y_test
    assert dataset.tested_on("mnist", True, examples) == len(tested)


def area(scores, truth):
    """Return the area under the ROC curve: how often a true example has a higher score than a false one."""
    ranks = scores.argsort().argsort() + 1
    count = truth.sum()
    return (ranks[truth].sum() - count * (count + 1) / 2) / (count * (len(truth) - count))


def random_units(images):
    """Return what 1000 fixed random units see of the images, so that a linear classifier can bend."""
    flat = images.reshape(len(images), -1) / 255.0
    random = np.random.RandomState(1)
    return np.maximum(flat @ random.standard_normal((flat.shape[1], 1000)) / 8 + random.standard_normal(1000), 0)


def test_the_digits_can_be_learned():
    data = stand_in("mnist")
    assert chance(data) < 0.15
    assert accuracy(data, learned(data, random_units, np.eye(10), 100.0)) >= attainable(data) - 0.01


@pytest.mark.parametrize(("name", "most", "block"), [("cifar10", 16, 2), ("dog_breeds", 32, 4)])
def test_the_drawn_classes_can_be_learned_up_to_their_wrong_labels(name, most, block):
    data = stand_in(name)
    kinds, periods, tints = (code(column) for column in zip(*dataset.definition(name).LOOKS, strict=True))
    waves = functools.partial(spectrum, most=most, block=block)
    scores = learned(data, waves, np.hstack([kinds, periods]), 100.0) + learned(data, colors, tints, 300.0)
    assert chance(data) < 0.15
    assert attainable(data) - 0.05 <= accuracy(data, scores) <= attainable(data) + 0.01


def test_the_patches_can_be_learned_up_to_their_wrong_labels():
    data = stand_in("chestxray14")
    waves = functools.partial(spectrum, most=40, block=2)
    scores = ridge(waves(data.x_train), data.y_train, waves(data.x_test), 1000.0)
    areas = [area(scores[:, i], data.y_test[:, i] == 1) for i in range(14)]
    assert attainable(data) - 0.05 <= np.mean(areas) <= attainable(data) + 0.03
    assert 0.2 < data.y_train.mean() < 0.35


def opinions(reviews):
    """Return how often each of the stand-in's words of opinion occurs alone, and after a negation: (n, 80)."""
    low, high = imdb.OPINIONS[0][0], imdb.OPINIONS[1][1]
    is_negated = (reviews[:, :-1] >= imdb.NEGATIONS[0]) & (reviews[:, :-1] < imdb.NEGATIONS[1])
    words = np.arange(low, high)[:, None, None]
    alone, negated = ((reviews[:, 1:] == words) & mask for mask in (~is_negated, is_negated))
    return np.concatenate([alone.sum(axis=2), negated.sum(axis=2)]).T.astype(float)


def test_reviews_can_be_learned_by_pairs_of_words_and_much_less_by_words():
    data = stand_in("imdb")

    def single(reviews):
        return opinions(reviews) @ np.tile(np.eye(40), (2, 1))

    by_pairs, by_words = (accuracy(data, learned(data, seen, np.eye(2), 10.0)) for seen in (opinions, single))
    assert chance(data) < 0.53
    assert attainable(data) - 0.03 <= by_pairs <= attainable(data) + 0.005
    assert by_words < by_pairs - 0.1


def read(data, half):
    """Return each story's sentences, its question's words and its answer, as text."""
    x, y = (data.x_train, data.y_train) if half == "train" else (data.x_test, data.y_test)
    for story, question, answer in zip(*x, y, strict=True):
        text = " ".join(data.classes[word] for word in story if word)
        asked = [data.classes[word] for word in question if word]
        yield [sentence.split() for sentence in text.split(" .") if sentence], asked, data.classes[answer]


def answer(sentences, asked):
    """Answer by reading: who is where, who holds what, and where it was left."""
    at = {}
    for sentence in sentences:
        person, word = sentence[0], sentence[-1]
        is_taken = " ".join(sentence[1:-1]) in babi.TAKES
        at[person if word in babi.PLACES else word] = (
            word if word in babi.PLACES else person if is_taken else at[person]
        )
    return at.get(at[asked], at[asked])


def hints(sentences, asked):
    """Return which place is named last, and which last by who had to do with the asked word last: (12,)."""
    person = [sentence for sentence in sentences if asked in sentence][-1][0]
    moves = [sentence for sentence in sentences if sentence[-1] in babi.PLACES]
    picked = [moves[-1], [sentence for sentence in moves if sentence[0] == person][-1]]
    return np.concatenate([[sentence[-1] == place for place in babi.PLACES] for sentence in picked]).astype(float)


@pytest.mark.parametrize("name", ["babi", "babi_qa1"])
def test_every_question_has_the_one_answer_that_reading_gives(name):
    data = stand_in(name)
    for half in ("train", "test"):
        assert all(answer(story, asked[-2]) == truth for story, asked, truth in read(data, half))
    assert attainable(data) == 1.0
    assert chance(data) < 0.25


@pytest.mark.parametrize(("name", "least"), [("babi", 0.8), ("babi_qa1", 0.99)])
def test_answers_can_be_learned_from_who_moved_last(name, least):
    data = stand_in(name)
    seen = {
        half: np.array([hints(story, asked[-2]) for story, asked, _ in read(data, half)]) for half in ("train", "test")
    }
    assert accuracy(data, ridge(seen["train"], np.eye(len(data.classes))[data.y_train], seen["test"], 10.0)) >= least


def endings(x, y, longest):
    """Yield (the last characters of what was read, the next one) at each place, for each length up to `longest`."""
    for read, following in zip(x.astype(np.uint8), y, strict=True):
        for i, character in enumerate(following):
            yield [bytes(read[max(i + 1 - length, 0) : i + 1]) for length in range(longest, 0, -1)], character


def guessed(data, longest):
    """Return how often the next character is the one that most often follows what was read, as far back as is known."""
    counts = collections.defaultdict(collections.Counter)
    for texts, character in endings(data.x_train, data.y_train, longest):
        for text in set(texts):
            counts[text][character] += 1
    best = {text: counter.most_common(1)[0][0] for text, counter in counts.items()}
    found = [
        next((best[text] for text in texts if text in best), ord(" ")) == character
        for texts, character in endings(data.x_test, data.y_test, longest)
    ]
    return np.reshape(found, data.y_test.shape)


def test_characters_can_be_guessed_by_reading_back_and_much_less_by_pairs():
    data = stand_in("shakespeare")
    assert np.array_equal(data.x_train[:, 1:], data.y_train[:, :-1])
    by_reading, by_pairs = (guessed(data, longest) for longest in (18, 1))
    assert attainable(data) - 0.02 <= by_reading.mean() <= attainable(data) + 0.005
    assert attainable(data) - 0.01 <= by_reading[:, 32:].mean() <= attainable(data) + 0.01
    assert by_pairs.mean() < 0.6


def test_crops_are_where_they_are_asked_and_mirrored_where_they_are_asked():
    images = np.arange(2 * 6 * 6).reshape(2, 6, 6)
    found = crops(images, np.array([[0, 2], [1, 1]]), np.array([0, 1]), 4)
    assert np.array_equal(found[0], images[0, :4, 2:])
    assert np.array_equal(found[1], images[1, 1:5, 1:5][:, ::-1])


def test_a_cut_set_holds_examples_of_it_the_same_each_time():
    whole = dataset.load("babi", stand_in=True, examples=(60, 30))
    first, again = dataset.cut(whole, 20), dataset.cut(whole, 20)
    assert len(first.y_train) == len(first.x_train[0]) == len(first.x_train[1]) == 20
    assert len(first.y_test) == 4
    assert np.array_equal(first.x_train[0], again.x_train[0])
    rows = {(*story, *question, answer) for story, question, answer in zip(*whole.x_train, whole.y_train, strict=True)}
    assert {(*s, *q, a) for s, q, a in zip(*first.x_train, first.y_train, strict=True)} <= rows


def test_more_examples_than_there_are_is_an_error_that_says_both_numbers():
    with pytest.raises(errors.DataError, match=r"60 examples.*61 are asked"):
        dataset.cut(dataset.load("babi", stand_in=True, examples=(60, 30)), 61)
