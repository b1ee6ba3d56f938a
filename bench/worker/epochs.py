"""Train over a data set epoch by epoch, and measure time, loss and score.

All frameworks get the same initial weights and the same examples in the same order, drawn in NumPy, so that curves are
comparable. An epoch's time includes the transfer of batches to the device. Evaluation is timed separately.
"""

import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from bench.dataset import take
from bench.problem import SIGMOID_CROSS_ENTROPY, SOFTMAX_CROSS_ENTROPY

PART_BYTES = 2**30  # of inputs prepared at once; all of ChestX-ray14's take 52 GB as float32


class Epochs(NamedTuple):
    """Measurements of one run over a data set: durations in seconds, and the test score after each epoch."""

    first_step_s: Optional[float]  # of the first epoch; None if the framework's own loop hides its steps
    steps_per_epoch: int
    epoch_s: List[float]
    evaluation_s: List[float]
    losses: List[float]  # one per step, or one mean per epoch from the framework's own loop
    score: str
    test_scores: List[float]
    loss_first: float
    loss_last: float


def readers(problem: Any) -> Tuple[Callable[..., Any], Callable[[Any], Any]]:
    """Return two functions that turn stored examples into a network's inputs.

    The first, for training, takes (random, examples) and applies the workload's `for_training`. The second, for the
    test, takes (examples) and applies `for_test`. Examples are an array or a tuple of arrays. Images are uint8 and
    become float32 from 0 to 1 in the input's shape; words stay int32.
    """
    wanted = problem.batch(np.random.RandomState(0), 1)[0]
    for_training = getattr(problem, "for_training", lambda _, examples: examples)
    for_test = getattr(problem, "for_test", lambda examples: examples)

    def inputs(x):
        if isinstance(x, tuple):
            return tuple(_input(value, None) for value in x)
        return _input(x, wanted.shape[1:])

    return lambda random, x: inputs(for_training(random, x)), lambda x: inputs(for_test(x))


def _input(value, shape):
    value = np.asarray(value)
    if value.dtype == np.uint8:
        value = value.astype(np.float32) / 255
    if shape is None or value.shape[1:] == shape:
        return value
    if value.ndim == 3 and len(shape) == 3 and shape[-1] == 3:  # a grey image for a network with three channels
        value = np.repeat(value[..., None], 3, axis=-1)
    return value.reshape((len(value),) + shape)


def score(problem: Any, outputs: np.ndarray, y: np.ndarray) -> float:
    """Return the score of outputs (examples, ..., classes): accuracy, area under the ROC curve, or R squared."""
    if problem.LOSS == SOFTMAX_CROSS_ENTROPY:
        return float(np.mean(outputs.argmax(-1) == y))
    if problem.LOSS == SIGMOID_CROSS_ENTROPY:
        return float(np.mean([area_under_curve(outputs[:, i], y[:, i]) for i in range(y.shape[1])]))
    return float(1 - np.square(outputs - y).sum() / np.square(y - y.mean(0)).sum())


def score_name(problem: Any) -> str:
    """Return the name of the score that `score` computes for a workload's loss."""
    return {SOFTMAX_CROSS_ENTROPY: "accuracy", SIGMOID_CROSS_ENTROPY: "area under the curve"}.get(
        problem.LOSS, "R squared"
    )


def area_under_curve(values: np.ndarray, labels: np.ndarray) -> float:
    """Return the probability that a positive's value exceeds a negative's, ties counted half (Mann and Whitney 1947).

    Returns 0.5 if positives or negatives are missing.
    """
    positives, negatives = values[labels > 0.5], np.sort(values[labels <= 0.5])
    if not len(positives) or not len(negatives):
        return 0.5
    below = np.searchsorted(negatives, positives, "left") + np.searchsorted(negatives, positives, "right")
    return float(below.mean() / 2 / len(negatives))


def starting_weights(weights: Dict[str, np.ndarray]) -> Dict[str, np.ndarray]:
    """Return the initial weights for training over data: kernels and tables as stated, the rest at usual values.

    Biases become 0 (an LSTM's forget gate 1), batch norms the identity. Parity's own values serve its comparison: they
    keep ReLUs open, and a deep network would learn from them like a linear one.
    """
    usual = {"bias": np.round, "recurrent_bias": np.round, "offset": np.zeros_like, "scale": np.ones_like,
             "mean": np.zeros_like, "variance": np.ones_like}  # fmt: skip
    return {name: usual.get(name.rsplit(".", 1)[-1], np.asarray)(value) for name, value in weights.items()}


def _outputs(program, for_test, x, y, batch_size):
    """Return the outputs of all examples; the last batch is padded, because another size would compile again."""
    found = []
    for begin in range(0, len(y), batch_size):
        rows = np.minimum(np.arange(begin, begin + batch_size), len(y) - 1)
        found.append(program.outputs(program.place(for_test(take(x, rows)), y[rows])))
    return np.concatenate(found)[: len(y)]


def _by_hand(program, x, y, batch_size):
    """Train one epoch step by step; return (seconds of the first step, losses). Losses are fetched at the end."""
    begin = time.perf_counter()
    handles, first_step_s = [], 0.0
    for start in range(0, len(y) - batch_size + 1, batch_size):
        rows = slice(start, start + batch_size)
        handles.append(program.step(program.place(take(x, rows), y[rows])))
        if start == 0:
            program.wait(handles[0])
            first_step_s = time.perf_counter() - begin
    return first_step_s, [program.wait(handle) for handle in handles]


def _parts(order, batch_size, example_bytes):
    """Return an epoch's order in parts of whole batches, whose inputs take about PART_BYTES."""
    size = batch_size * max(1, PART_BYTES // (batch_size * example_bytes))
    return [order[begin : begin + size] for begin in range(0, len(order), size)]


def _shuffled(random, examples, _):
    return random.permutation(examples)


def train(program: Any, problem: Any, data: Any, batch_size: int, epochs: int, seed: int, is_own_loop: bool) -> Epochs:
    """Train `epochs` epochs of `data` (x_train, y_train, x_test, y_test); score the test set after each.

    The workload's `for_training(random, x)` and `for_test(x)` crop and mirror images identically for every framework.
    They run untimed: before an epoch, and between the parts of one with large inputs. A framework's own loop gets all
    inputs at once. Examples that do not fill a batch are dropped. Raises ValueError if a batch is larger than the data.
    """
    y, y_test = data.y_train, data.y_test
    for_training, for_test = readers(problem)
    steps = len(y) // batch_size
    if not steps:
        raise ValueError("%d examples do not fill one batch of %d" % (len(y), batch_size))
    random, inputs = np.random.RandomState(seed), problem.batch(np.random.RandomState(0), 1)[0]
    example_bytes = sum(each.nbytes for each in inputs) if isinstance(inputs, tuple) else inputs.nbytes
    found = Epochs(None, steps, [], [], [], score_name(problem), [], 0.0, 0.0)
    for epoch in range(epochs):
        order = getattr(program, "order", _shuffled)(random, len(y), batch_size)[: steps * batch_size]
        epoch_s, losses = 0.0, []  # type: Tuple[float, List[float]]
        for part in [order] if is_own_loop else _parts(order, batch_size, example_bytes):
            x_now, y_now = for_training(random, take(data.x_train, part)), y[part]
            begin = time.perf_counter()
            if is_own_loop:
                losses.append(program.fit(x_now, y_now, batch_size))
            else:
                first_step_s, own = _by_hand(program, x_now, y_now, batch_size)
                found = found if losses or epoch else found._replace(first_step_s=first_step_s)
                losses += own
            epoch_s += time.perf_counter() - begin
        trained = time.perf_counter()
        outputs = _outputs(program, for_test, data.x_test, y_test, batch_size)
        found.evaluation_s.append(time.perf_counter() - trained)
        found.epoch_s.append(epoch_s)
        found.losses.extend(float("%.6g" % loss) for loss in losses)  # hundreds of thousands would make a long line
        found.test_scores.append(score(problem, outputs, y_test))
    return found._replace(loss_first=found.losses[0], loss_last=found.losses[-1])
