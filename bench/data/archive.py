"""Read archives without unpacking them: no path of an archive ever names a file on the disk."""

import io
import re
import tarfile
from typing import Iterator, Tuple

import numpy as np

from bench.errors import DataError, MissingDataError


def members(path: str, pattern: str) -> Iterator[Tuple[str, bytes]]:
    """Yield the name and content of each file in a tar archive whose whole name matches, in the archive's order."""
    try:
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                if member.isfile() and re.match(pattern + "$", member.name):
                    yield member.name, archive.extractfile(member).read()
    except (tarfile.TarError, EOFError, OSError) as error:
        raise DataError("%s: expected a tar archive, and it cannot be read: %s." % (path, error)) from None


def picture(content: bytes, side: int, mode: str, name: str) -> np.ndarray:
    """Return an image file's picture as (side, side) uint8 in mode "L" (grey), (side, side, 3) in "RGB"."""
    try:
        from PIL import Image
    except ImportError:
        raise MissingDataError(
            "Images are read with Pillow, which is not here. Use `nox -s data -- NAME`, or "
            "pip install -r bench/datasets/requirements.txt"
        ) from None
    try:
        with Image.open(io.BytesIO(content)) as image:
            return np.asarray(image.convert(mode).resize((side, side), Image.BILINEAR))
    except (OSError, ValueError) as error:
        raise DataError("%s: expected an image, and it cannot be read: %s." % (name, error)) from None
