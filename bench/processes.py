"""Start one worker in an environment's interpreter, wait for it within a time limit, and leave no process behind."""

import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from typing import Any, Callable, Dict, List, Optional, Set

from bench import registry
from bench.worker import TAIL, without_paths

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")  # set alike for all
LISTENED = (  # how the names begin of variables that change a step's time by CUDA, a numeric library or Python itself
    "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS", "CUBLAS", "CUDNN_", "NVIDIA_TF32_OVERRIDE", "DNNL_",
    "ONEDNN_", "MKL_", "OPENBLAS_", "BLIS_", "OMP_", "GOMP_", "KMP_", "XLA_", "MALLOC_", "LD_PRELOAD", "PYTHONDEVMODE",
    "PYTHONMALLOC", "PYTHONTRACEMALLOC",
)  # fmt: skip
GRACE_S = 2.0  # between asking a process tree to end and killing it

_running: Set["subprocess.Popen[bytes]"] = set()


def variables(environment: registry.Environment, threads: int, cache: str) -> Dict[str, str]:
    """Return the process environment: the row's own variables over the user's, threads set alike for all."""
    values = {key: value for key, value in os.environ.items() if key not in ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")}
    for name in THREADS:
        values[name] = str(threads)
    values.update({key: fill(value, threads, cache) for key, value in environment.variables.items()})
    values["PYTHONPATH"] = registry.ROOT
    values["PYTHONHASHSEED"] = "0"
    return values


def inherited(environment: registry.Environment) -> Dict[str, str]:
    """Return the user's own variables that reach a worker and that the framework, or what is under it, listens to."""
    starts = LISTENED + tuple(environment.listens)
    own = THREADS + tuple(environment.variables)
    return {name: without_paths(value)[:200] for name, value in sorted(os.environ.items())
            if name.startswith(starts) and name not in own}  # fmt: skip


def fill(value: str, threads: int, cache: str) -> str:
    """Put the thread count and the case's cache folder into a variable of framework.toml."""
    return value.replace("{cache}", cache).replace("{threads}", str(threads))


def end_tree(process: "subprocess.Popen[bytes]") -> None:
    """End a worker and all it has started: its whole process group, first politely, then for good."""
    if os.name != "posix":
        process.kill()
        process.wait()
        return
    for signal_, grace_s in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, signal_)
        except ProcessLookupError:
            break
        try:
            process.wait(grace_s)
        except subprocess.TimeoutExpired:
            continue
        if signal_ == signal.SIGTERM:
            continue  # the leader is gone; its children may have ignored the request
    process.wait()


def _tail(path: str) -> Optional[str]:
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - 4 * TAIL))
        return without_paths(file.read().decode("utf-8", "replace"))[-TAIL:] or None


def _ended(code, output, timeout_s, timed_out):
    """Return the status of a worker that left no reply."""
    if timed_out:
        status, reason = "timeout", "no result within %d s, and ended" % timeout_s
    elif code is not None and code < 0:
        name = signal.Signals(-code).name
        hint = "; the kernel ends processes so when memory runs out" if name == "SIGKILL" else ""
        status, reason = "killed", "the process was ended by %s%s" % (name, hint)
    else:
        status, reason = "failed", "the process ended with exit code %s and no result" % code
    return {"status": status, "reason": reason, "error_tail": _tail(output)}


def call(
    python: str, environment: registry.Environment, request: Dict[str, Any], timeout_s: float, cache: str
) -> Dict[str, Any]:
    """Serve `request` in a fresh process of `python`; return the reply with `duration_s`, whatever happens to it.

    A reply always has `status`, `reason` and `error_tail`. On an interrupt the process tree is ended, and the
    interrupt raised again.
    """
    folder = tempfile.mkdtemp(prefix="bench-")
    reply_path, output = os.path.join(folder, "reply.json"), os.path.join(folder, "output.txt")
    request = dict(request, environment=environment.name, reply=reply_path)
    with open(os.path.join(folder, "request.json"), "w", encoding="utf-8") as file:
        json.dump(request, file)
    command = [python, "-m", "bench.worker", file.name]
    begin, timed_out = time.monotonic(), False
    try:
        with open(output, "wb") as sink:
            process = subprocess.Popen(
                command, cwd=folder, env=variables(environment, request["threads"], cache),
                stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            _running.add(process)
            try:
                process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                timed_out = True
            finally:
                end_tree(process)
                _running.discard(process)
        duration_s = time.monotonic() - begin
        if os.path.exists(reply_path) and not timed_out:
            with open(reply_path, encoding="utf-8") as file:
                return dict(json.load(file), duration_s=duration_s)
        return dict(_ended(process.returncode, output, timeout_s, timed_out), duration_s=duration_s)
    except OSError as error:
        reason = "the interpreter could not be started: %s" % error.strerror
        return {"status": "failed", "reason": reason, "error_tail": None, "duration_s": time.monotonic() - begin}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def side_by_side(calls: List[Callable[[], None]], jobs: int) -> None:
    """Make calls, `jobs` at a time; what interrupts one, or this process, ends all workers and is raised again."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(each) for each in calls]
        try:
            for future in concurrent.futures.as_completed(futures):
                future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            for process in list(_running):
                end_tree(process)
            raise
