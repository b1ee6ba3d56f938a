"""Read a kept parity answer, whose file is checked first, and kept sketches of initial weights."""

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
NAMES = {"gradients": "gradient_names", "weights": "weight_names"}  # the array with a name for each tensor


def sound_answer(path: str) -> Answer:
    """Return a kept answer; raises ParityError for any other file.

    A contributor may send a link, a few bytes that unpack to gigabytes, or arrays of another kind or shape.
    """
    try:
        given = _opened(path)
    except ParityError:
        raise
    except Exception as error:  # noqa: BLE001 - for another file, NumPy and zipfile raise more than they document
        raise ParityError("not a parity answer (%s)" % type(error).__name__) from None
    _check(given)
    return given


def _opened(path: str) -> Answer:
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise ParityError("expected a file, got a link or something else")
    with zipfile.ZipFile(path) as file:
        unpacked_bytes = sum(member.file_size for member in file.infolist())
    if unpacked_bytes > ANSWER_BYTES:
        raise ParityError("expected at most %d bytes unpacked, got %d" % (ANSWER_BYTES, unpacked_bytes))
    return answer.read(path)


def _check(given: Answer) -> None:
    about = given["about"]
    if not isinstance(about, dict) or any(not isinstance(about.get(word), str) for word in ("problem", "proof")):
        raise ParityError("expected `about` to name problem and proof, got something else")
    present = {name for name in SHAPES if name in given}
    unknown = set(given) - present - {"about"} - {NAMES[name] for name in present if name in NAMES}
    if unknown or not present:
        raise ParityError("expected arrays of %s, got %s" % (", ".join(SHAPES), ascii(sorted(unknown))[:80] or "none"))
    for name in sorted(present):
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

    Those of large networks are kept in `starts.npz`, because it takes seconds to draw 144 million numbers. They are
    drawn again if the question has changed.
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
