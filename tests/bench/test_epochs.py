"""Training over a data set: every example once an epoch in the seed's order, scores that mean something."""

import collections
from types import SimpleNamespace

import numpy as np
import pytest

from bench import registry
from bench.problem import MEAN_SQUARED_ERROR, SIGMOID_CROSS_ENTROPY, SOFTMAX_CROSS_ENTROPY
from bench.worker import epochs

CLASSES = 4


class Recorder:
    """A program that remembers what it was shown, and answers that each example's class is its first number."""

    def __init__(self):
        self.seen, self.fitted, self.batch_sizes = [], [], set()

    def place(self, x, y):
        self.batch_sizes.add(len(y))
        return x, y

    def step(self, batch):
        self.seen.append(batch[0][:, 1].tolist())
        return len(self.seen)

    def wait(self, handle):
        return float(handle)

    def fit(self, x, y, batch_size):
        self.fitted.append(x[:, 1].tolist())
        return 0.5

    def outputs(self, batch):
        return np.eye(CLASSES)[batch[0][:, 0].astype(int)]


PROBLEM = SimpleNamespace(LOSS=SOFTMAX_CROSS_ENTROPY, batch=lambda _, size: (np.zeros((size, 2)), np.zeros(size)))


def data(count=23):
    y = np.arange(count) % CLASSES
    x = np.stack([y, np.arange(count)], axis=1).astype(np.float32)
    return SimpleNamespace(x_train=x, y_train=y, x_test=x[:7], y_test=np.where(np.arange(7) < 5, y[:7], y[:7] + 1))


def train(epochs_, problem=PROBLEM, seed=1, *, own=False, program=None):
    """Train over 23 examples in batches of 5; return the program, and what was found."""
    program = program or Recorder()
    return program, epochs.train(program, problem, data(), 5, epochs_, seed, own)


def joined(lists):
    return [item for each in lists for item in each]


def test_each_epoch_shows_each_example_at_most_once_in_an_order_drawn_from_the_seed():
    program, found = train(3)
    again, other = train(3)[0], train(3, seed=2)[0]
    assert program.seen == again.seen != other.seen
    assert (found.steps_per_epoch, len(found.losses)) == (4, 12)
    for epoch in range(3):
        shown = joined(program.seen[4 * epoch : 4 * epoch + 4])
        assert len(set(shown)) == len(shown) == 20
    assert program.seen[:4] != program.seen[4:8]


def test_the_frameworks_own_loop_gets_the_same_order():
    (by_hand, _), (own, found) = train(2), train(2, own=True)
    assert own.fitted == [joined(by_hand.seen[:4]), joined(by_hand.seen[4:])]
    assert found.first_step_s is None
    assert found.losses == [0.5, 0.5]


def test_the_last_batch_of_an_evaluation_is_filled_up_and_counted_once():
    program, found = train(1)
    assert program.batch_sizes == {5}
    assert found.test_scores == [pytest.approx(5 / 7)]


def test_training_examples_are_drawn_anew_each_epoch_and_test_examples_never():
    def for_training(random, x):
        return x + [0, 100 * random.randint(1, 1000)]

    def for_test(x):
        return (x + [1, 0]) % [CLASSES, 100]

    program, found = train(2, SimpleNamespace(**vars(PROBLEM), for_training=for_training, for_test=for_test))
    shown = [joined(program.seen[:4]), joined(program.seen[4:])]
    assert all(min(values) >= 100 and len({value // 100 for value in values}) == 1 for values in shown)
    assert shown[0][0] // 100 != shown[1][0] // 100
    assert found.test_scores == [pytest.approx(2 / 7)] * 2  # the two that are wrong as they are stored


def test_an_epoch_whose_inputs_are_large_is_made_in_parts_of_the_same_batches(monkeypatch):
    sizes = []
    problem = SimpleNamespace(**vars(PROBLEM), for_training=lambda _, x: sizes.append(len(x)) or x)
    whole, expected = train(2, problem)
    monkeypatch.setattr(epochs, "PART_BYTES", 2 * 5 * 16)  # two batches of five examples, each of two float64
    in_parts, found = train(2, problem)
    assert in_parts.seen == whole.seen
    assert (found.losses, found.test_scores) == (expected.losses, expected.test_scores)
    train(2, problem, own=True)
    assert sizes == [20, 20, 10, 10, 10, 10, 20, 20]


def test_fewer_examples_than_a_batch_are_an_error_that_counts_them():
    with pytest.raises(ValueError, match="23 examples do not fill one batch of 24"):
        epochs.train(Recorder(), PROBLEM, data(), 24, 1, 1, False)


def test_pixels_become_numbers_from_0_to_1_in_the_networks_shape():
    flat = epochs.readers(registry.workload("mnist_mlp"))[1](np.full((2, 28, 28), 255, np.uint8))
    assert (flat.shape, flat.dtype) == ((2, 784), np.float32)
    assert flat.max() == 1.0
    grey = epochs.readers(registry.workload("cifar10_cnn"))[1](np.full((2, 32, 32), 51, np.uint8))
    assert grey.shape == (2, 32, 32, 3)
    assert np.allclose(grey, 0.2)
    assert epochs.readers(registry.workload("imdb_gru"))[1](np.ones((2, 150), np.int32)).dtype == np.int32


def test_the_area_under_the_curve_is_the_share_of_pairs_in_order():
    values, labels = np.array([0.1, 0.4, 0.35, 0.8]), np.array([0, 0, 1, 1])
    assert epochs.area_under_curve(values, labels) == pytest.approx(0.75)
    assert epochs.area_under_curve(np.ones(4), labels) == pytest.approx(0.5)
    assert epochs.area_under_curve(values, np.zeros(4)) == 0.5


def test_each_loss_has_its_score():
    y = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    labels, values = SimpleNamespace(LOSS=SIGMOID_CROSS_ENTROPY), SimpleNamespace(LOSS=MEAN_SQUARED_ERROR)
    assert (epochs.score(labels, y - 0.5, y), epochs.score(values, y, y)) == (1.0, 1.0)
    assert epochs.score(values, np.full_like(y, 0.5), y) == pytest.approx(0.0)


class Clock:
    """Advances only by the seconds that it is asked to spend."""

    def __init__(self):
        self.now_s = 0.0

    def perf_counter(self):
        return self.now_s

    def spend(self, seconds, result):
        self.now_s += seconds
        return result


def test_neither_evaluation_nor_the_choice_of_examples_is_in_the_time_of_an_epoch(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(epochs, "time", clock)

    class Slow(Recorder):
        def step(self, batch):
            return clock.spend(1.0, super().step(batch))

        def outputs(self, batch):
            return clock.spend(100.0, super().outputs(batch))

    problem = SimpleNamespace(**vars(PROBLEM), for_training=lambda _, x: clock.spend(1000.0, x))
    _, found = train(2, problem, program=Slow())
    assert found.epoch_s == [4.0, 4.0]
    assert found.evaluation_s == [200.0, 200.0]  # seven examples to test on are two batches of five
    assert found.first_step_s == 1.0


LARGE = 100_000_000  # parameters, which take seconds to draw


@pytest.mark.parametrize("workload", [
    pytest.param(name, marks=[pytest.mark.nightly] * (registry.workload(name).PARAMETERS > LARGE))
    for name in registry.workload_names()
])  # fmt: skip
def test_training_starts_from_the_stated_kernels_and_from_what_is_usual_otherwise(workload):
    stated = registry.workload(workload).weights(np.random.RandomState(0))
    start = epochs.starting_weights(stated)
    assert list(start) == list(stated)
    recurrent = [value.shape for name, value in stated.items() if name.endswith("recurrent_kernel")]
    is_lstm = any(outputs == 4 * units for units, outputs in recurrent)
    usual = {"bias": {0.0, 1.0} if is_lstm else {0.0},
             "recurrent_bias": {0.0}, "offset": {0.0}, "mean": {0.0}, "scale": {1.0}, "variance": {1.0}}  # fmt: skip
    found = collections.defaultdict(set)
    for name, value in start.items():
        assert (value.dtype, value.shape) == (np.float32, stated[name].shape)
        leaf = name.rsplit(".", 1)[-1]
        if leaf in ("kernel", "recurrent_kernel", "table"):
            assert value is stated[name]
        else:
            found[leaf].update(np.unique(value).tolist())
    assert found == {leaf: usual[leaf] for leaf in found}
