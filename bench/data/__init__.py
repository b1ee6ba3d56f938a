"""Data sets: downloads, prepared arrays and photographs."""

import contextlib
import importlib
import os
import shutil
from typing import Any, Iterator

from bench.errors import MissingDataError


@contextlib.contextmanager
def whole(folder: str) -> Iterator[str]:
    """Give an empty folder to write into; on success it replaces `folder`, otherwise it is removed."""
    partial = folder + ".partial"
    shutil.rmtree(partial, ignore_errors=True)
    os.makedirs(partial)
    try:
        yield partial
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(partial, folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def imported(module: str, package: str) -> Any:
    """Return a module of a package that data sets need; raises MissingDataError if it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingDataError(
            "%s is not installed, and data is prepared with it. Use nox -s data -- NAME or nox -s bench, or "
            "pip install -r bench/datasets/requirements.txt" % package
        ) from None
