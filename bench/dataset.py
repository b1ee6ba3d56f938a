"""Read a data set: prepared arrays from the cache folder, or a stand-in that needs nothing but a seed.

`bench/datasets/<name>.py` states a set. `bench/data/prepare.py` (`nox -s data -- NAME`) writes the real one into the
cache folder as .npy files and a manifest. Every environment reads the same arrays with NumPy alone.
"""

import importlib
import json
import os
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from bench.errors import DataError, DefinitionError, MissingDataError

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "datasets")
MANIFEST = "manifest.json"
MUST_STATE = ("SOURCE", "LICENCE", "FILES", "INPUTS", "EXAMPLES", "prepare", "STAND_IN", "STAND_IN_CLASSES",
              "ATTAINABLE", "stand_in")  # fmt: skip
DEFAULTS = {"PREPARATION": 1, "TARGET": ("int32", ()), "METRIC": "accuracy"}

Input = Union[np.ndarray, Tuple[np.ndarray, ...]]


class Dataset(NamedTuple):
    """What a network is trained on (first axis: examples) and tested on; x is a tuple where it has several inputs."""

    name: str
    x_train: Input
    y_train: np.ndarray
    x_test: Input
    y_test: np.ndarray
    classes: List[str]  # by class number, or by column of y


def names() -> List[str]:
    """Return the data sets' names, the smallest download first."""
    entries = [entry[:-3] for entry in os.listdir(FOLDER) if entry.endswith(".py") and not entry.startswith("_")]
    return sorted(entries, key=lambda name: (sum(file.size for file in definition(name).FILES), name))


def definition(name: str) -> Any:
    """Return the module that states a data set; raises DefinitionError when there is none or it is incomplete."""
    path = os.path.join(FOLDER, name + ".py")
    if name.startswith("_") or not os.path.exists(path):
        raise DefinitionError("There is no data set %r; choose from: %s." % (name, ", ".join(names())))
    module = importlib.import_module("bench.datasets." + name)
    missing = [word for word in MUST_STATE if not hasattr(module, word)]
    if missing:
        raise DefinitionError("%s: a data set must state %s." % (path, ", ".join(missing)))
    for word in set(DEFAULTS).difference(vars(module)):
        setattr(module, word, DEFAULTS[word])
    return module


def title(name: str) -> str:
    """Return a data set's title: the first line of its docstring."""
    return str(definition(name).__doc__).strip().splitlines()[0]


def guessing(name: str) -> float:
    """Return the score without learning: of one answer for all examples, or of any order of them (an area of 0.5)."""
    module = definition(name)
    is_area = module.METRIC != "accuracy"
    return 0.5 if is_area else float(getattr(module, "GUESSING", 1 / len(module.STAND_IN_CLASSES)))


def tested_on(name: str, is_stand_in: bool, examples: Optional[int]) -> int:
    """Return how many examples a run is scored on: the test half, or its part where `examples` are trained on."""
    module = definition(name)
    whole = (module.STAND_IN if is_stand_in else module.EXAMPLES)[1]
    return int(min(whole, _tests(examples)) if examples else whole)


def _tests(examples: int) -> int:
    return max(1, examples // 5)


def default_folder() -> str:
    """Return the folder of data sets: BENCH_DATA, or a folder of this project in the user's cache folder."""
    caches = {"darwin": "~/Library/Caches", "win32": os.environ.get("LOCALAPPDATA", "~/AppData/Local")}
    cache = caches.get(sys.platform) or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder = os.environ.get("BENCH_DATA") or os.path.join(cache, "rosetta-bench")
    return os.path.abspath(os.path.expanduser(folder))


def statement(name: str) -> Dict[str, Tuple[Tuple[int, ...], str]]:
    """Return the shape and type of each array of the real set, by the array's name."""
    module = definition(name)
    arrays = {}
    for half, count in zip(("train", "test"), module.EXAMPLES):
        for part, (dtype, shape) in dict(module.INPUTS, y=module.TARGET).items():
            arrays["%s_%s" % (part, half)] = ((count,) + shape, dtype)
    return arrays


def load(
    name: str,
    folder: Optional[str] = None,
    stand_in: bool = False,
    examples: Optional[Tuple[int, int]] = None,
    seed: int = 0,
) -> Dataset:
    """Return a prepared data set (mapped into memory, not read), or its stand-in.

    `examples` (training, test) and `seed` are the stand-in's. Raises MissingDataError when the set is not prepared, and
    DataError when what is there is damaged or was prepared by another version.
    """
    module = definition(name)
    if stand_in:
        arrays = module.stand_in(np.random.RandomState(seed), *(examples or module.STAND_IN))
        return _assemble(name, arrays, list(module.STAND_IN_CLASSES))
    folder = folder or default_folder()
    manifest = _manifest(name, folder)
    arrays = {key: _open(name, folder, key, row) for key, row in manifest["arrays"].items()}
    return _assemble(name, arrays, manifest["classes"])


def cut(data: Dataset, examples: int) -> Dataset:
    """Return `examples` of the training half, and a fifth as many to test on, drawn at random from a fixed seed.

    Raises DataError when there are not so many.
    """
    if examples > len(data.y_train):
        raise DataError("%s has %d examples to train on, and %d are asked for." % (
            data.name, len(data.y_train), examples))  # fmt: skip
    random = np.random.RandomState(0)
    train = np.sort(random.permutation(len(data.y_train))[:examples])
    test = np.sort(random.permutation(len(data.y_test))[: _tests(examples)])
    return data._replace(
        x_train=take(data.x_train, train), y_train=data.y_train[train],
        x_test=take(data.x_test, test), y_test=data.y_test[test],
    )  # fmt: skip


def take(x: Input, rows: Any) -> Input:
    """Return rows of an array, or of each of a tuple of arrays."""
    return tuple(value[rows] for value in x) if isinstance(x, tuple) else x[rows]


def _assemble(name: str, arrays: Dict[str, np.ndarray], classes: List[str]) -> Dataset:
    def x(half: str) -> Input:
        parts = tuple(arrays["%s_%s" % (part, half)] for part in definition(name).INPUTS)
        return parts if len(parts) > 1 else parts[0]

    return Dataset(name, x("train"), arrays["y_train"], x("test"), arrays["y_test"], classes)


def _command(name: str, folder: str) -> str:
    where = "" if folder == default_folder() else " --folder %s" % folder
    return "nox -s data -- {0}{1}  (or: python -m bench data {0}{1})".format(name, where)


def _manifest(name: str, folder: str) -> Any:
    """Return what was written when a set was prepared; raises as `load` does."""
    path, expected = os.path.join(folder, name, MANIFEST), definition(name).PREPARATION
    if not os.path.exists(path):
        raise MissingDataError(
            "The data set %r is not prepared: expected %s. Get it with: %s. Its stand-in needs no download."
            % (name, path, _command(name, folder))
        )
    with open(path) as file:
        manifest = json.load(file)
    if manifest["preparation"] != expected:
        raise DataError(
            "%s: expected preparation %s of %s, and came %s. Prepare it again with: %s."
            % (path, expected, name, manifest["preparation"], _command(name, folder))
        )
    return manifest


def _open(name: str, folder: str, key: str, row: Any) -> np.ndarray:
    path = os.path.join(folder, name, row["file"])
    expected = "%s: expected %s of %s %s, and " % (path, key, row["dtype"], row["shape"])
    advice = ". Prepare it again with: %s --force" % _command(name, folder)
    try:
        array: np.ndarray = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise DataError("%sit cannot be read: %s%s" % (expected, error, advice)) from None
    if list(array.shape) != row["shape"] or str(array.dtype) != row["dtype"]:
        raise DataError("%scame %s %s%s" % (expected, array.dtype, array.shape, advice))
    return array
