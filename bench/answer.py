"""Answer a parity question: what one program computes from the canonical weights and batches, as a small file.

A program answers alone, in its own process, in float32 on the CPU, in the mode that will be measured. In inference it
gives its outputs. In training, with dropout at rate 0, it gives its outputs and every gradient on BATCHES batches, with
the workload's first optimiser. It also gives the losses and weights of 20 optimiser steps.

A large tensor travels as a sketch of WIDTH numbers: its elements with random signs, summed into WIDTH sums (a
Johnson-Lindenstrauss projection). The sketch of a difference is the difference of the sketches. Its norm estimates the
tensor's norm to about 18 % (1 / sqrt(2 * WIDTH)), which is enough: real bugs exceed the tolerances a hundredfold. No
element can change unseen.

What `answer_training` and `answer_inference` use of this file is part of every proof's hash: an edit of that asks every
environment for new answers.
"""

import json
import os
from typing import Any, Dict, Mapping

import numpy as np

from bench import registry
from bench.errors import DefinitionError
from bench.problem import SOFTMAX_CROSS_ENTROPY

STEPS = 20  # on as many distinct batches: memorising one would end in a chaos of tiny losses
BATCHES = 8  # rounding flips a ReLU or a maximum that is nearly tied in some of them; a bug shows in all
WIDTH = 16
TOKENS = 16

Answer = Dict[str, Any]  # arrays by name, and `about`: hashes of its question and proof, versions


def sketch(value: np.ndarray) -> np.ndarray:
    """Return WIDTH float32 numbers that stand for a tensor; equal shapes give comparable sketches."""
    flat = np.asarray(value, np.float64).ravel()
    padded = np.zeros(-(-flat.size // WIDTH) * WIDTH)
    padded[: flat.size] = flat
    if flat.size > WIDTH:
        padded *= np.random.RandomState(flat.size % (2**31)).randint(0, 2, padded.size) * 2 - 1
    return padded.reshape(-1, WIDTH).sum(0).astype(np.float32)


def sketches(tensors: Dict[str, np.ndarray]) -> np.ndarray:
    """Return (tensors, WIDTH) sketches in the order of the sorted names."""
    return np.stack([sketch(tensors[name]) for name in sorted(tensors)])


def comparable(outputs: np.ndarray, problem: Any) -> np.ndarray:
    """Return float32 outputs; before a softmax less their mean: logits and log-probabilities then agree."""
    outputs = np.asarray(outputs, np.float64)
    if problem.LOSS == SOFTMAX_CROSS_ENTROPY:
        outputs = outputs - outputs.mean(-1, keepdims=True)
    return outputs.astype(np.float32)


def _weights(problem):
    """Return the canonical weights; raises DefinitionError unless they are as many numbers as PARAMETERS says."""
    weights = problem.weights(np.random.RandomState(0))
    count = sum(value.size for value in weights.values())
    if count != problem.PARAMETERS:
        raise DefinitionError("PARAMETERS is %d, and weights() makes %d numbers" % (problem.PARAMETERS, count))
    return weights


def _batches(program, problem, count):
    random = np.random.RandomState(1)
    return [program.place(*registry.parity_batch(problem, random)) for _ in range(count)]


def answer_inference(program: Any, problem: Any) -> Dict[str, np.ndarray]:
    """Let a freshly built inference program answer `problem`: `outputs` (BATCHES, batch, classes)."""
    program.load(_weights(problem))
    outputs = [program.outputs(batch) for batch in _batches(program, problem, BATCHES)]
    return {"outputs": np.stack([comparable(given, problem) for given in outputs])}


def answer_training(program: Any, problem: Any, has_gradients: bool) -> Dict[str, np.ndarray]:
    """Let a freshly built training program answer the workload `problem`.

    Returns `losses` (STEPS,), `weights` (tensors, WIDTH) and `weight_names`. Where `has_gradients`, also what depends
    on no optimizer: `outputs` (BATCHES, batch, classes), `loss` (BATCHES,), `gradients` (BATCHES, tensors, WIDTH) and
    `gradient_names`.
    """
    weights = _weights(problem)
    program.without_dropout()
    program.scale_learning_rate(getattr(problem, "PARITY_LEARNING_RATE_SCALE", 1.0))
    program.load(weights)
    batches = _batches(program, problem, STEPS)
    found = _gradients(program, problem, weights, batches[:BATCHES]) if has_gradients else {}
    losses = [program.wait(program.step(batch)) for batch in batches]
    is_undetermined = getattr(problem, "is_undetermined", None)
    trained = {
        name: value for name, value in program.weights().items() if not (is_undetermined and is_undetermined(name))
    }
    steps = {"losses": np.array(losses, np.float32), "weights": sketches(trained)}
    return dict(found, weight_names=np.array(sorted(trained)), **steps)


def _gradients(program, problem, weights, batches):
    outputs, loss, gradients = [], [], []
    for batch in batches:
        given = program.gradients(batch)
        outputs.append(comparable(given[0], problem))
        loss.append(given[1])
        gradients.append(sketches(given[2]))
        program.load(weights)  # the forward pass has moved the batch norms' statistics
    return {
        "outputs": np.stack(outputs),
        "loss": np.array(loss, np.float32),
        "gradients": np.stack(gradients),
        "gradient_names": np.array(sorted(given[2])),
    }


def answer_outputs(program: Any, problem: Any, task: str) -> Dict[str, np.ndarray]:
    """Let a freshly built program give its `outputs` alone, in training with dropout at rate 0: (BATCHES, batch, ...).

    In a lower precision nothing else compares: 20 steps make of its rounding what they like.
    """
    if task == "infer":
        return answer_inference(program, problem)
    weights = _weights(problem)
    program.without_dropout()
    program.load(weights)
    outputs = []
    for batch in _batches(program, problem, BATCHES):
        outputs.append(comparable(program.gradients(batch)[0], problem))  # no sketch is made of what nobody compares
        program.load(weights)  # the forward pass has moved the batch norms' statistics
    return {"outputs": np.stack(outputs)}


def thinned(arrays: Dict[str, np.ndarray]) -> Dict[str, np.ndarray]:
    """Return an answer that is small enough to keep: of outputs for each token, those of every TOKENS-th.

    The last among them, which hears all before it; the loss beside them is a mean over all.
    """
    outputs = arrays.get("outputs")
    return arrays if outputs is None or outputs.ndim < 4 else dict(arrays, outputs=outputs[:, :, ::-TOKENS])


def save(path: str, arrays: Dict[str, np.ndarray], about: Mapping[str, object]) -> None:
    """Write an answer and what it is about (proof hash, environment, versions) to one compressed file."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = path + ".partial.npz"
    np.savez_compressed(temporary, about=np.array(json.dumps(about, sort_keys=True)), **arrays)
    os.replace(temporary, path)


def read(path: str) -> Answer:
    """Read an answer: its arrays by name, and `about`."""
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    arrays["about"] = json.loads(str(arrays["about"]))
    return arrays
