"""Keras 2 on CNTK 2: its libraries, threads and gradients."""

import ctypes
import os
import re

import numpy as np

from bench.errors import Unsupported

# CNTK's wheel asks for OpenMPI 1.10 by these names, and no system has it any more. One process calls none of its
# functions but those that 4.1, the last release with bindings for C++, still has.
WANTED = {"libmpi.so.12": "libmpi.so.40", "libmpi_cxx.so.1": "libmpi_cxx.so.40"}


def _link_libraries(folder):
    """Make links to the system's OpenMPI by the names that CNTK wants, in a folder that the loader looks into.

    The loader reads LD_LIBRARY_PATH when a process starts, so framework.toml sets it, and the folder is there by then.
    """
    for wanted, found in WANTED.items():
        try:
            ctypes.CDLL(found, mode=ctypes.RTLD_GLOBAL)
        except OSError:
            raise Unsupported("CNTK 2.7 needs OpenMPI's %s: apt-get install libopenmpi3" % found) from None
        with open("/proc/self/maps") as file:
            path = re.search(r"/\S*/%s\S*" % re.escape(found), file.read()).group()
        link = os.path.join(folder, wanted)
        partial = "%s.%d" % (link, os.getpid())  # another process may make it at the same time
        os.symlink(path, partial)
        os.replace(partial, link)


_link_libraries(os.environ["LD_LIBRARY_PATH"])

import cntk  # noqa: E402 - it needs those links
from keras import backend as K  # noqa: E402

OUT_OF_MEMORY = ()  # a RuntimeError like any other
IMAGES = "channels_first"  # CNTK's own; with channels last, Keras transposes before and after every convolution


def configure(threads):
    cntk.try_set_default_device(cntk.cpu())
    cntk.cntk_py.set_max_num_cputhreads(threads)


def loaded():
    return {"cntk": cntk.__version__}


def turned(kernel):
    return kernel


def backward(model, variables):
    """Return what takes a batch, and returns [outputs, loss, a gradient for each variable] in training mode.

    CNTK's are not part of the graph: what K.gradients returns are placeholders for its trainer.
    """
    wanted = [model.output.output, model.total_loss.output]

    def compute(values):
        K.set_learning_phase(1)
        feed = dict(zip(model.inputs + model.targets + model.sample_weights, values))
        feed = {variable: feed[variable].astype(np.float32) for variable in model.total_loss.arguments}
        found, results = model.total_loss.grad(feed, wrt=variables, outputs=wanted)
        return [results[each] for each in wanted] + [found[variable] for variable in variables]

    return compute
