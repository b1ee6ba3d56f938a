"""Bring real data sets into the cache folder: download, decode, write arrays and a manifest; whole or not at all.

<folder>/downloads/<file>          as published; `.partial` while it comes
<folder>/<name>.partial/           arrays being written; removed when that fails
<folder>/<name>/manifest.json      what, from where, which shapes and SHA-256 sums
<folder>/<name>/x_train.npy, ...   read by bench/dataset.py in every environment
"""

import contextlib
import errno
import json
import os
import shutil
import sys
import time
from typing import Any, Callable, Dict, Tuple

import numpy as np

from bench import dataset
from bench.data import download, whole
from bench.driver.lock import Lock
from bench.driver.progress import Progress, duration, size
from bench.errors import DataError, SpaceError
from bench.files import now

HELP = """Prepare real data sets, or list them: sizes, licences, and what is here.

  nox -s data                          list them; nothing is downloaded
  nox -s data -- mnist cifar10         download and prepare these two
  nox -s data -- --folder /big/disk chestxray14
                                       45 GB: it comes only when it is named

Without Nox: python -m bench data ... in an interpreter with NumPy; dog_breeds and chestxray14 also need what
bench/datasets/requirements.txt lists. The prepared arrays are read with NumPy alone, in every environment.

An interrupted download goes on when the same command is given again. Each file is checked against its published
checksum, one that you put into FOLDER/downloads by hand as well. Nothing needs to be prepared for a stand-in: every
data set has one, generated from a seed, that needs no network.
"""
Say = Callable[[str], None]


def downloads_folder(folder: str) -> str:
    """Return where a data folder keeps the files as they were published."""
    return os.path.join(folder, "downloads")


def prepared_bytes(name: str) -> int:
    """Return how much room a set's arrays take."""
    arrays = dataset.statement(name).values()
    return sum(int(np.prod(shape, dtype=np.int64)) * np.dtype(kind).itemsize for shape, kind in arrays)


def _source(name: str) -> Dict[str, Any]:
    module = dataset.definition(name)
    return {"name": name, "title": dataset.title(name), "source": module.SOURCE, "licence": module.LICENCE}


def _left(name: str, folder: str) -> int:
    files = dataset.definition(name).FILES
    return sum(download.missing_bytes(file, downloads_folder(folder)) for file in files)


def state(name: str, folder: str) -> str:
    """Return in a word or two what of a set is in the folder."""
    with contextlib.suppress(DataError):
        dataset.load(name, folder)
        return "ready"
    if os.path.exists(os.path.join(folder, name, dataset.MANIFEST)):
        return "to be prepared again"
    total, left = sum(file.size for file in dataset.definition(name).FILES), _left(name, folder)
    return "-" if left == total else "downloaded" if not left else "%d %% downloaded" % (100 * (total - left) // total)


def describe(name: str, folder: str) -> Dict[str, Any]:
    """Return a set as a row of the list that `python -m bench data` prints."""
    module = dataset.definition(name)
    return dict(
        _source(name),
        download_bytes=sum(file.size for file in module.FILES),
        prepared_bytes=prepared_bytes(name),
        examples=list(module.EXAMPLES),
        state=state(name, folder),
    )


def prepare(name: str, folder: str, offline: bool = False, force: bool = False, say: Say = print) -> None:
    """Make sure that a real data set lies in the folder, ready to be read.

    Raises a DataError (bench/errors.py) that says what to do; then nothing that looks complete is left.
    """
    module, place, downloads = dataset.definition(name), os.path.join(folder, name), downloads_folder(folder)
    with Lock(folder, "Another process is preparing data in %s. Wait for it, or end it." % folder):
        if state(name, folder) == "ready" and not force:
            say("%s: ready in %s" % (name, place))
            return
        begun, left, arrays = time.monotonic(), _left(name, folder), prepared_bytes(name)
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
        sums = {file.name: download.fetch(file, downloads, offline) for file in module.FILES}
        with whole(place) as partial:
            _write(name, partial, downloads, sums)
        say("%s: ready in %s after %s" % (name, place, duration(time.monotonic() - begun)))


def _write(name: str, folder: str, downloads: str, sums: Dict[str, str]) -> None:
    """Write the arrays of a set and their manifest; `sums` has the SHA-256 of each downloaded file."""
    module, stated = dataset.definition(name), dataset.statement(name)
    arrays = {key: _mapped(os.path.join(folder, key + ".npy"), *stated[key]) for key in stated}
    with Progress("preparing " + name, sum(module.EXAMPLES), unit="examples") as progress:
        classes = module.prepare({each: os.path.join(downloads, each) for each in sums}, arrays, progress.advance)
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


def _mapped(path: str, shape: Tuple[int, ...], dtype: str) -> np.ndarray:
    """Return a new .npy file as an array, with its room on the disk reserved: a full disk would kill the process."""
    array = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)
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
