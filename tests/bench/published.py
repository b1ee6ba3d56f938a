"""Small files in the formats of the published data sets, and a way to let a data set be made of them."""

import gzip
import io
import tarfile

import numpy as np
from PIL import Image


def idx(array):
    header = bytes([0, 0, 8, array.ndim]) + b"".join(size.to_bytes(4, "big") for size in array.shape)
    return gzip.compress(header + array.astype(np.uint8).tobytes())


def tar(mode, contents):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:" + mode) as output:
        for name, content in contents:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            output.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def link(name, target):
    """Return an archive with nothing in it but a symbolic link."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as output:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = tarfile.SYMTYPE, target
        output.addfile(member)
    return buffer.getvalue()


def image(pixels, kind):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, kind)
    return buffer.getvalue()


def small(monkeypatch, server, module, contents, **stated):
    """Let a data set's files be small ones of the server's, with as many examples as they have."""
    monkeypatch.setattr(module, "FILES", tuple(server.publish(content, name) for name, content in contents.items()))
    for word, value in stated.items():
        monkeypatch.setattr(module, word, value)
