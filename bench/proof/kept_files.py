"""Read what is kept for parity: an answer, whose file is checked first, and sketches of initial weights."""

import functools
import os
import stat
import zipfile
from typing import Dict

import numpy as np

from bench import answer, registry
from bench.errors import ParityError
from bench.proof.parity import Answer

STARTS = os.path.join(registry.HERE, "proof", "starts.npz")
ANSWER_BYTES = 1 << 26  # unpacked; the largest published has 2 MB
SHAPES = {"loss": 1, "gradients": 3, "losses": 1, "weights": 2, "outputs": None}  # dimensions; of outputs any number
NAMES = {"gradients": "gradient_names", "weights": "weight_names"}  # one for each tensor


def sound_answer(path: str) -> Answer:
    """Return a kept answer, whoever gave it; raises ParityError for a file that is none.

    It may be anybody's: a link, a few bytes that unpack to gigabytes, or arrays of another kind or shape than compared.
    """
    problem, given = None, {}
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            problem = "expected a file, got a link or something else"
        elif _unpacked_bytes(path) > ANSWER_BYTES:
            problem = "expected at most %d bytes unpacked, got %d" % (ANSWER_BYTES, _unpacked_bytes(path))
        else:
            given = answer.read(path)
    except Exception as error:  # noqa: BLE001 - a file that is none makes NumPy and zipfile raise more than they state
        problem = "not a parity answer (%s)" % type(error).__name__
    if problem:
        raise ParityError(problem)
    _check_answer(given)
    return given


def _unpacked_bytes(path: str) -> int:
    with zipfile.ZipFile(path) as file:
        return sum(member.file_size for member in file.infolist())


def _check_answer(given: Answer) -> None:
    about = given["about"]
    if not isinstance(about, dict) or any(not isinstance(about.get(word), str) for word in ("problem", "proof")):
        raise ParityError("expected `about` to name problem and proof, got something else")
    held = {name for name in SHAPES if name in given}
    unknown = set(given) - held - {"about"} - {NAMES[name] for name in held if name in NAMES}
    if unknown or not held:
        raise ParityError("expected arrays of %s, got %s" % (", ".join(SHAPES), ascii(sorted(unknown))[:80] or "none"))
    for name in sorted(held):
        array, dimensions = given[name], SHAPES[name]
        if array.dtype.kind != "f" or not array.size or array.ndim != (dimensions or max(1, array.ndim)):
            raise ParityError("expected numbers of %s dimensions in %s, got %s of shape %s" % (
                dimensions or "some", name, array.dtype, array.shape))  # fmt: skip
        if name in NAMES:
            names = given.get(NAMES[name], np.zeros(0))
            if names.dtype.kind != "U" or names.shape != array.shape[-2:-1]:
                raise ParityError("expected a name for each tensor of %s" % name)


@functools.lru_cache(maxsize=None)
def starts(workload: str, problem: str) -> Dict[str, np.ndarray]:
    """Return {name: sketch (WIDTH,)} of a workload's initial weights in parity, given the hash of its question.

    Those of large networks are kept in `starts.npz`, because to draw 144 million numbers takes seconds. They are used
    while the question is the one that they were made of, and drawn otherwise.
    """
    with np.load(STARTS, allow_pickle=False) as kept:
        key = workload + ".problem"
        if key in kept.files and str(kept[key]) == problem:
            return dict(zip(kept[workload + ".names"].tolist(), kept[workload + ".sketches"]))
    return drawn_starts(workload)


def drawn_starts(workload: str) -> Dict[str, np.ndarray]:
    """Draw a workload's initial weights, and return the sketch of each."""
    weights = registry.workload(workload).weights(np.random.RandomState(0))
    return {name: answer.sketch(value) for name, value in sorted(weights.items())}


def write_starts(problems: Dict[str, str]) -> None:
    """Write the sketches of some workloads, given the hash of each one's question."""
    arrays = {}
    for workload, problem in problems.items():
        sketches = drawn_starts(workload)
        arrays[workload + ".problem"] = np.array(problem)
        arrays[workload + ".names"] = np.array(list(sketches))
        arrays[workload + ".sketches"] = np.stack(list(sketches.values()))
    np.savez_compressed(STARTS, **arrays)
