"""Bring real data sets into the cache folder: download, decode, write arrays and a manifest; whole or not at all.

<folder>/downloads/<file>          as published; `.partial` while it comes
<folder>/<name>.partial/           arrays being written; removed when that fails
<folder>/<name>/manifest.json      what, from where, which shapes and SHA-256 sums
<folder>/<name>/x_train.npy, ...   read by bench/dataset.py in every environment
"""

import contextlib
import errno
import hashlib
import json
import os
import shutil
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np

from bench import dataset
from bench.data import download
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
    try:
        dataset.load(name, folder)
    except DataError:
        pass
    else:
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
    module = dataset.definition(name)
    with Lock(folder, "Another process is preparing data in %s. Wait for it, or end it." % folder):
        if state(name, folder) == "ready" and not force:
            say("%s: ready in %s" % (name, os.path.join(folder, name)))
            return
        begun = time.monotonic()
        _announce(name, folder, say)
        _check_space(name, folder)
        downloads = downloads_folder(folder)
        sums = {file.name: download.fetch(file, downloads, offline) for file in module.FILES}
        with _whole(os.path.join(folder, name)) as partial:
            classes = _write(name, partial, {file.name: os.path.join(downloads, file.name) for file in module.FILES})
            _write_manifest(name, partial, classes, sums)
        say("%s: ready in %s after %s" % (name, os.path.join(folder, name), duration(time.monotonic() - begun)))


def _announce(name: str, folder: str, say: Say) -> None:
    say("%(name)s: %(title)s\n  from %(source)s; licence: %(licence)s" % _source(name))
    say(
        "  %s to download, %s of arrays to write, into %s; the download is kept in %s, and may be deleted afterwards"
        % (size(_left(name, folder)), size(prepared_bytes(name)), folder, downloads_folder(folder))
    )


def _check_space(name: str, folder: str) -> None:
    needed, free = _left(name, folder) + prepared_bytes(name), shutil.disk_usage(folder).free
    if free < needed:
        raise SpaceError(
            "%s: expected %s of free space for %s, and there are %s. Make room, or choose another folder with --folder "
            "or BENCH_DATA." % (folder, size(needed), name, size(free))
        )


@contextlib.contextmanager
def _whole(folder: str) -> Iterator[str]:
    """Give an empty folder to write into; it takes its name when all went well, and goes when not."""
    partial = folder + ".partial"
    shutil.rmtree(partial, ignore_errors=True)
    os.makedirs(partial)
    try:
        yield partial
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(partial, folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _write(name: str, folder: str, files: Dict[str, str]) -> List[str]:
    """Write the arrays of a set; return its classes."""
    module = dataset.definition(name)
    arrays = {
        key: _mapped(os.path.join(folder, key + ".npy"), shape, dtype)
        for key, (shape, dtype) in dataset.statement(name).items()
    }
    with Progress("preparing " + name, sum(module.EXAMPLES), unit="examples") as progress:
        classes = module.prepare(files, arrays, progress.advance)
    for array in arrays.values():
        array.flush()
    return list(classes)


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


def _sha256(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for chunk in iter(lambda: file.read(download.CHUNK), b""):
            digest.update(chunk)
    return digest.hexdigest()


def _tools() -> Dict[str, str]:
    """Return the versions that decide what the arrays hold: an image decoder may round otherwise than another."""
    known = {"python": sys.version.split()[0], "numpy": np.__version__}
    return dict(known, pillow=sys.modules["PIL"].__version__) if "PIL" in sys.modules else known


def _write_manifest(name: str, folder: str, classes: List[str], sums: Dict[str, str]) -> None:
    module = dataset.definition(name)
    arrays = {
        key: {"file": key + ".npy", "shape": list(shape), "dtype": dtype,
              "sha256": _sha256(os.path.join(folder, key + ".npy"))}
        for key, (shape, dtype) in dataset.statement(name).items()
    }  # fmt: skip
    files = [
        {"name": file.name, "bytes": file.size, "checksum": file.checksum, "sha256": sums[file.name]}
        for file in module.FILES
    ]
    manifest = dict(
        _source(name), preparation=module.PREPARATION, prepared=now(), tools=_tools(), classes=classes, files=files,
        arrays=arrays,
    )  # fmt: skip
    with open(os.path.join(folder, dataset.MANIFEST), "w") as file:
        json.dump(manifest, file, indent=1)
