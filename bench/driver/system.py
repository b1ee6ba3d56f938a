"""Which Debian packages a row or a mode needs and the system lacks: a program on the PATH, or a shared library."""

import functools
import os
import shutil
import subprocess
import sys
from typing import Dict, Optional

LOAD = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
VARIABLES = {"g++": "CXX"}  # a framework that compiles takes the compiler of this variable, if it is set


@functools.lru_cache(maxsize=None)
def _is_there(item):
    """Say whether a shared library (libopenblas.so) can be loaded, or a program (g++) is on the PATH."""
    if ".so" not in item:
        return shutil.which(os.environ.get(VARIABLES.get(item, ""), item)) is not None
    return subprocess.call([sys.executable, "-c", LOAD, item], stderr=subprocess.DEVNULL) == 0


def missing(needs: Dict[str, str]) -> Optional[str]:
    """Return what is missing of {Debian package: program or library}, with the command that installs it, or None."""
    absent = [package for package, item in needs.items() if not _is_there(item)]
    if not absent:
        return None
    files = " and ".join(needs[package] for package in absent)
    return "the system has no %s: apt-get install %s" % (files, " ".join(absent))
