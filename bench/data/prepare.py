"""Prepare real data sets in the cache folder: download, decode, write arrays and a manifest.

In a data folder:

- `downloads/<file>`: as published; `<file>.partial` is incomplete
- `<name>.partial/`: arrays that are being written; removed if that fails
- `<name>/manifest.json`: contents, source, shapes and SHA-256 sums
- `<name>/x_train.npy` and others: read by bench/dataset.py in every environment
"""

import contextlib
import errno
import json
import os
import shutil
import sys
import time
from typing import Any, Callable, Dict, Mapping, Tuple

import numpy as np

from bench import dataset
from bench.data import download, whole
from bench.driver.lock import locked
from bench.errors import DataError, SpaceError
from bench.files import now
from bench.units import duration, size

HELP = """Prepare real data sets, or list them: sizes, licences, and what is here.

  List them without a download: nox -s data.
  Download and prepare two of them: nox -s data -- mnist cifar10.
  Download 45 GB to another disk: nox -s data -- --folder /big/disk chestxray14.

Without Nox: python -m bench data ... in an interpreter with NumPy. dog_breeds and chestxray14 also need the packages
of bench/datasets/requirements.txt. The prepared arrays are read with NumPy alone, in every environment.

An interrupted download resumes when the same command is given again. Each file is checked against its published
checksum, even if you put it into FOLDER/downloads by hand. A stand-in needs no preparation: every data set has one,
generated from a seed without a network.
"""
DOWNLOADS = "downloads"  # in a data folder: the files as published
Say = Callable[[str], None]


def _source(name: str) -> Dict[str, str]:
    module = dataset.definition(name)
    return {"name": name, "title": dataset.title(name), "source": module.SOURCE, "licence": module.LICENCE}


def _bytes(name: str, folder: str) -> Tuple[int, int, int]:
    """Return the sizes of a set's download, of what is missing of it, and of the arrays."""
    files, arrays = dataset.definition(name).FILES, dataset.statement(name).values()
    missing = sum(download.missing_bytes(file, os.path.join(folder, DOWNLOADS)) for file in files)
    prepared = sum(int(np.prod(shape, dtype=np.int64)) * np.dtype(kind).itemsize for shape, kind in arrays)
    return sum(file.size for file in files), missing, prepared


def state(name: str, folder: str) -> str:
    """Return in a few words how much of a set is in the folder."""
    with contextlib.suppress(DataError):
        dataset.load(name, folder)
        return "ready"
    if os.path.exists(os.path.join(folder, name, dataset.MANIFEST)):
        return "to be prepared again"
    total, left, _ = _bytes(name, folder)
    return "-" if left == total else "downloaded" if not left else "%d %% downloaded" % (100 * (total - left) // total)


def describe(name: str, folder: str) -> Mapping[str, Any]:
    """Return a set as a row of the list that `python -m bench data` prints."""
    total, _, prepared = _bytes(name, folder)
    return dict(_source(name), download_bytes=total, prepared_bytes=prepared, state=state(name, folder),
                examples=list(dataset.definition(name).EXAMPLES))  # fmt: skip


def prepare(name: str, folder: str, offline: bool = False, force: bool = False, say: Say = print) -> None:
    """Download and prepare a real data set in the folder, unless it is ready.

    Raises a DataError (bench/errors.py) with what to do; then nothing that looks complete is left.
    """
    place, downloads = os.path.join(folder, name), os.path.join(folder, DOWNLOADS)
    with locked(folder, "Another process is preparing data in %s. Wait for it, or end it." % folder):
        if state(name, folder) == "ready" and not force:
            say("%s: ready in %s" % (name, place))
            return
        begun, (_, left, arrays) = time.monotonic(), _bytes(name, folder)
        say("%(name)s: %(title)s\n  from %(source)s; licence: %(licence)s" % _source(name))
        say(
            "  %s to download, %s of arrays to write, into %s; the download is kept in %s, and may be deleted "
            "afterwards" % (size(left), size(arrays), folder, downloads)
        )
        free = shutil.disk_usage(folder).free
        if free < left + arrays:
            raise SpaceError(
                "%s: expected %s of free space for %s, and there are %s. Make room, or choose another folder with "
                "--folder or BENCH_DATA." % (folder, size(left + arrays), name, size(free))
            )
        sums = {file.name: download.fetch(file, downloads, offline) for file in dataset.definition(name).FILES}
        with whole(place) as partial:
            _write(name, partial, downloads, sums)
        say("%s: ready in %s after %s" % (name, place, duration(time.monotonic() - begun)))


def _write(name: str, folder: str, downloads: str, sums: Dict[str, str]) -> None:
    """Write the arrays of a set and their manifest; `sums` has the SHA-256 of each downloaded file."""
    module, stated = dataset.definition(name), dataset.statement(name)
    arrays = {key: _mapped(os.path.join(folder, key + ".npy"), *stated[key]) for key in stated}
    with download.Progress("preparing " + name, sum(module.EXAMPLES), "examples") as progress:
        classes = module.prepare({file: os.path.join(downloads, file) for file in sums}, arrays, progress.advance)
    for array in arrays.values():
        array.flush()
    tools = {"python": sys.version.split()[0], "numpy": np.__version__}
    if "PIL" in sys.modules:  # an image decoder may round otherwise than another
        tools["pillow"] = sys.modules["PIL"].__version__
    manifest = dict(
        _source(name), preparation=module.PREPARATION, prepared=now(), tools=tools, classes=list(classes),
        files=[{"name": file.name, "bytes": file.size, "checksum": file.checksum, "sha256": sums[file.name]}
               for file in module.FILES],
        arrays={key: {"file": key + ".npy", "shape": list(shape), "dtype": dtype,
                      "sha256": download.digests(os.path.join(folder, key + ".npy"), "sha256")[0]}
                for key, (shape, dtype) in stated.items()},
    )  # fmt: skip
    with open(os.path.join(folder, dataset.MANIFEST), "w") as file:
        json.dump(manifest, file, indent=1)


def _mapped(path: str, shape: Tuple[int, ...], dtype: str) -> "np.memmap[Any, Any]":
    """Return a new .npy file as an array, with its room on the disk reserved: a full disk would kill the process."""
    array: np.memmap[Any, Any] = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)
    if hasattr(os, "posix_fallocate"):
        with open(path, "r+b") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, os.path.getsize(path))
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                raise SpaceError(
                    "%s: no space left for %s. Make room, or choose another folder with --folder or BENCH_DATA."
                    % (path, size(os.path.getsize(path)))
                ) from None
    return array
