"""The NumPy framework with faults: each mode is one, and befalls a process in the middle of what it measures."""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np

from bench import registry

if os.environ.get("FAULTY_IMPORT"):
    raise ImportError("libfaulty.so.1: cannot open shared object file")

sound = registry.load_module(os.path.join(registry.ROOT, "tests", "numpy_framework", "numpy", "adapter.py"), "sound")

OUT_OF_MEMORY, configure, loaded, peak_memory_bytes = (
    sound.OUT_OF_MEMORY, sound.configure, sound.loaded, sound.peak_memory_bytes,
)  # fmt: skip

# Only what is measured has a compiler cache of its case; a probe and a parity answer have not.
IS_MEASURED = os.path.basename(os.path.dirname(os.environ.get("FAULTY_CACHE", ""))) == "cache"
if IS_MEASURED and os.environ.get("FAULTY_LOG"):
    with open(os.environ.get("FAULTY_LOG"), "a") as log:
        log.write("measured\n")


def devices():
    return ["gpu", "cpu"] if os.environ.get("FAULTY_GPU") and not IS_MEASURED else ["cpu"]


class Program(sound.Program):
    def __init__(self, source, task, mode, optimizer, x):
        if mode == "broken-build":
            raise RuntimeError("no kernel image is available for execution on the device")
        super().__init__(source, task, mode, optimizer, x)

    def _train(self, batch):
        if self.mode == "broken-step":
            raise RuntimeError("the compiler failed at the first step")
        return super()._train(batch)

    def _fail(self):
        fault = FAULTS.pop(self.mode, None)
        if fault:
            fault()


def _device_lost():
    raise RuntimeError("CUDA error: GPU is lost")


def _garbage():
    noise = np.random.RandomState(0).bytes(1 << 20)
    for descriptor in (1, 2):
        for _ in range(4):
            os.write(descriptor, noise)


def _garbage_and_crash():
    _garbage()
    os._exit(77)


def _child(seconds, **options):
    code = f"import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep({seconds})"
    subprocess.Popen([sys.executable, "-S", "-c", code], **options)


def _zombies():
    for _ in range(3):
        if os.fork() == 0:
            os._exit(0)  # nobody waits for it
    _child(3600)
    _child(3600, start_new_session=True)


def _hang():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _zombies()
    time.sleep(3600)


def _killed():
    os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does when memory runs out


def _memory():
    """Meet the limit that a container or a batch system sets."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    np.ones(1 << 40)


def _real_time_signal():
    os.kill(os.getpid(), signal.SIGRTMIN + 1)


def _segfault():
    ctypes.string_at(0)


def _strange_error():
    raise ValueError("\x1b[31m\udcff\u2028" + 10000 * "x")


FAULTS = {
    "device-lost": _device_lost,
    "garbage": _garbage,
    "garbage-and-crash": _garbage_and_crash,
    "hang": _hang,
    "killed": _killed,
    "memory": _memory,
    "real-time-signal": _real_time_signal,
    "segfault": _segfault,
    "strange-error": _strange_error,
    "zombies": _zombies,
}
