"""Start one worker in an environment's interpreter, wait for it within a time limit, and leave no process behind."""

import concurrent.futures
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional

from bench import records, registry
from bench.worker import TAIL, without_paths

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")  # set alike for all
LISTENED = (  # how the names begin of variables that change a step's time by CUDA, a numeric library or Python itself
    "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS", "CUBLAS", "CUDNN_", "NVIDIA_TF32_OVERRIDE", "DNNL_",
    "ONEDNN_", "MKL_", "OPENBLAS_", "BLIS_", "OMP_", "GOMP_", "KMP_", "XLA_", "MALLOC_", "LD_PRELOAD", "PYTHONDEVMODE",
    "PYTHONMALLOC", "PYTHONTRACEMALLOC",
)  # fmt: skip
NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}  # what is asked of the processor: a framework may take a GPU's primitives besides
CALLS = os.path.join(os.path.abspath(registry.STATE), "calls")  # a folder for each call while it is made
MARK = "BENCH_CALL"  # the variable by which all that a call has started is found: it names the call's folder
END_S = 5.0  # within which a killed process has to be gone


class Call(NamedTuple):
    """A worker that runs, and the folder of its call."""

    process: "subprocess.Popen[bytes]"
    folder: str


_running: List[Call] = []


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


def _marked(folder: str) -> Iterator[int]:
    """Yield the processes that carry a call's mark, also those that left its session; Linux only, elsewhere none."""
    mark = os.fsencode("%s=%s" % (MARK, folder))
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else []:
        try:
            with open("/proc/%d/environ" % int(name), "rb") as file:
                if mark in file.read().split(b"\0"):
                    yield int(name)
        except (ValueError, OSError):
            continue  # no process, one that has ended, or another user's


def _kill(kill: Callable[[int, int], None], number: int) -> None:
    with contextlib.suppress(OSError):  # it has ended
        kill(number, signal.SIGKILL)


def _end_marked(folder: str) -> None:
    """Kill what carries a call's mark until nothing does: it may start others meanwhile."""
    begin = time.monotonic()
    while time.monotonic() - begin < END_S:
        found = list(_marked(folder))
        if not found:
            return
        for number in found:
            _kill(os.kill, number)
        time.sleep(0.01)


def end(call: Call) -> None:
    """End a worker and all it has started at once (there is nothing to save): its process group, and what left that."""
    if os.name == "posix":
        _kill(os.killpg, call.process.pid)
        _end_marked(call.folder)
    else:
        call.process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):  # stuck in the kernel, as by a driver that hangs: go on
        call.process.wait(END_S)


def clear() -> None:
    """End what the calls of a bench that was killed have left running, and remove their folders."""
    for name in os.listdir(CALLS) if os.path.isdir(CALLS) else []:
        if not _is_alive(int(name.partition("-")[0])):
            folder = os.path.join(CALLS, name)
            _end_marked(folder)
            shutil.rmtree(folder, ignore_errors=True)


def _is_alive(number: int) -> bool:
    if os.name != "posix":
        return False  # there, a signal 0 would end it; the lock tells that no other bench runs
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # another user's
    return True


def _tail(path: str) -> Optional[str]:
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - 4 * TAIL))
        return without_paths(file.read().decode("utf-8", "replace"))[-TAIL:] or None


def _ended(code, output, timeout_s, timed_out):
    """Return the status of a worker that left no reply."""
    if timed_out:
        status, reason = "timeout", "no result within %d s, and ended" % timeout_s
    elif code is not None and code < 0:
        hint = "; the kernel ends processes so when memory runs out" if -code == signal.SIGKILL else ""
        status, reason = "killed", "the process was ended by %s%s" % (_signal_name(-code), hint)
    else:
        status, reason = "failed", "the process ended with exit code %s and no result" % code
    return {"status": status, "reason": reason, "error_tail": _tail(output)}


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "signal %d" % number  # a real-time signal has no name


def call(
    python: str, environment: registry.Environment, request: Dict[str, Any], timeout_s: float, cache: str
) -> Dict[str, Any]:
    """Serve `request` in a fresh process of `python`; return the reply with `duration_s`, whatever happens to it.

    A reply always has `status`, `reason` and `error_tail`. On an interrupt the process tree is ended, and the
    interrupt raised again. Raises RecordError when it fails on a disk that is full: that says nothing about the case.
    """
    records.check_room(CALLS)
    folder = tempfile.mkdtemp(prefix="%d-" % os.getpid(), dir=CALLS)
    try:
        reply = _call(python, environment, request, timeout_s, cache, folder)
    except BaseException:
        _end_marked(folder)  # an interrupt may come when a process has started and nothing here knows its number yet
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if reply["status"] != "ok":
        records.check_room(CALLS)
    return reply


def _call(python, environment, request, timeout_s, cache, folder):
    reply_path, output = os.path.join(folder, "reply.json"), os.path.join(folder, "output.txt")
    request = dict(request, environment=environment.name, reply=reply_path)
    with open(os.path.join(folder, "request.json"), "w", encoding="utf-8") as file:
        json.dump(request, file)
    command = [python, "-m", "bench.worker", file.name]
    environ = dict(variables(environment, request["threads"], cache), **{MARK: folder})
    if request.get("case", request).get("device") == "cpu":
        environ.update(NO_GPU)
    begin, timed_out = time.monotonic(), False
    with open(output, "wb") as sink:
        try:
            process = subprocess.Popen(
                command, cwd=folder, env=environ,
                stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            reason = "the interpreter could not be started: %s" % error.strerror
            return {"status": "failed", "reason": reason, "error_tail": None, "duration_s": time.monotonic() - begin}
        running = Call(process, folder)
        _running.append(running)
        try:
            process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            end(running)
            _running.remove(running)
    duration_s = time.monotonic() - begin
    if os.path.exists(reply_path) and not timed_out:
        with open(reply_path, encoding="utf-8") as file:
            return dict(json.load(file), duration_s=duration_s)
    return dict(_ended(process.returncode, output, timeout_s, timed_out), duration_s=duration_s)


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
            while not all(future.done() for future in futures):  # one may have been about to start
                for running in _running.copy():
                    end(running)
                time.sleep(0.01)
            raise
