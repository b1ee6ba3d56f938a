"""Data sets: downloads, prepared arrays and photographs."""

import contextlib
import os
import shutil
from typing import Iterator


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
