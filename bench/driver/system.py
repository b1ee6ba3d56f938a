"""Find the Debian packages that an environment or a mode needs and the system lacks."""

import functools
import os
import shutil
import subprocess
import sys
from typing import Dict, Optional

LOAD = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
VARIABLES = {"g++": "CXX"}  # the compiler that frameworks use, if this variable is set


@functools.lru_cache(maxsize=None)
def _is_there(item):
    """Return whether a shared library (libopenblas.so) can be loaded, or a program (g++) is on the PATH."""
    if ".so" not in item:
        return shutil.which(os.environ.get(VARIABLES.get(item, ""), item)) is not None
    return subprocess.call([sys.executable, "-c", LOAD, item], stderr=subprocess.DEVNULL) == 0


def missing(needs: Dict[str, str]) -> Optional[str]:
    """Return what the system lacks of {Debian package: program or library}, with the install command, or None."""
    absent = [package for package, item in needs.items() if not _is_there(item)]
    if not absent:
        return None
    files = " and ".join(needs[package] for package in absent)
    return "the system lacks %s: run apt-get install %s" % (files, " ".join(absent))
