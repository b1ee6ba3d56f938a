"""Start workers in environments' interpreters, hear them within a time limit, and leave no process behind."""

import concurrent.futures
import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from typing import Any, Callable, Dict, Iterable, List, Optional

from bench import files, machine, registry
from bench.driver import strays, variables
from bench.replies import DONE, READY, TAIL, without_paths

LOOK_S = 0.2  # between two looks at whether a process that says nothing is still there
GLANCE_S = 0.01  # between two at which of several has news
LONGEST_LINE = 4096  # bytes that are held at once: a line may never end

_running: List["Worker"] = []


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


class Worker:
    """A fresh process that serves one request, and takes turns where the request is to be measured.

    It says READY when it has imported its framework, unless it is to go on by itself, and when only its turns are left,
    and DONE after each of those; after each word it sleeps until it is told to go on. `held_s` are the seconds for
    which it was awake. Whoever makes one has to `finish` it, or to `close` it, whatever happens.
    """

    def __init__(self, python: str, environment: registry.Environment, request: Dict[str, Any], cache: str) -> None:
        """Start it. Raises RecordError on a disk that is full: that says nothing about the request."""
        files.check_room(strays.CALLS)
        self.folder = tempfile.mkdtemp(prefix="%d-" % os.getpid(), dir=strays.CALLS)
        self.held_s, self.asked = 0.0, time.monotonic()
        self.timed_out = self.is_asleep = False
        self.failure = None  # type: Optional[str]
        self.process = None  # type: Optional[subprocess.Popen[bytes]]
        self.words = queue.Queue()  # type: queue.Queue[bytes]
        try:
            self._start(python, environment, request, cache)
        except BaseException:
            self.close()
            raise

    def _start(self, python, environment, request, cache):
        path = os.path.join(self.folder, "request.json")
        request = dict(request, environment=environment.name, reply=self._path("reply.json"))
        with open(path, "w", encoding="utf-8") as file:
            json.dump(request, file)
        cache = cache or self.folder  # a probe keeps nothing
        os.makedirs(cache, exist_ok=True)  # a process's loader asks once whether a folder of LD_LIBRARY_PATH is there
        environ = dict(variables.of_request(environment, request, cache), **{strays.MARK: self.folder})
        try:
            with open(self._path("output.txt"), "wb") as sink:
                self.process = subprocess.Popen(
                    [python, "-m", "bench.worker", path], cwd=self.folder, env=environ,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=sink, start_new_session=True,
                )  # fmt: skip
        except OSError as error:
            self.failure = "the interpreter could not be started: %s" % error.strerror
            return
        _running.append(self)
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _path(self, name):
        return os.path.join(self.folder, name)

    def _listen(self):
        """Pass on the words, and nothing else: what a worker prints goes where its errors go."""
        with contextlib.suppress(OSError, ValueError):
            for line in iter(lambda: self.process.stdout.readline(LONGEST_LINE), b""):
                if line.strip() in (READY, DONE):
                    self.words.put(line)

    def heard(self, timeout_s: float) -> bool:
        """Wait for its next word; False once it has ended without one, or was ended after `timeout_s`."""
        while self in _running:
            left_s = self.asked + timeout_s - time.monotonic()
            try:
                self.words.get(timeout=max(min(left_s, LOOK_S), 0.0))
            except queue.Empty:
                if self.process.poll() is None and left_s > 0:
                    continue
                self.timed_out = self.process.poll() is None
                self._end()
                break
            self.held_s += time.monotonic() - self.asked
            self.is_asleep = True
            return True
        return False

    @property
    def number(self) -> int:
        """The system's number of the process."""
        return int(self.process.pid)

    def has_news(self, timeout_s: float) -> bool:
        """Say whether `heard`, or `finish` of one that was let go to its end, would return at once."""
        is_late = time.monotonic() > self.asked + timeout_s
        return is_late or self.has_ended() or not self.words.empty()

    def has_ended(self) -> bool:
        """Say whether nothing of it runs any more, or ever did."""
        return self.process is None or self.process.poll() is not None

    def say(self, word: bytes) -> None:
        """Let it go on: with a turn, or to its end."""
        self._wake()
        with contextlib.suppress(OSError):  # it has ended, which is seen where it is listened to
            self.process.stdin.write(word + b"\n")
            self.process.stdin.flush()

    def _wake(self):
        if self.is_asleep:
            self.asked, self.is_asleep = time.monotonic(), False

    def let_end(self) -> None:
        """Let one that has not ended do so without a further turn, and others, too, until `finish` waits for it."""
        self._wake()
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def finish(self, timeout_s: float) -> Dict[str, Any]:
        """Let it come to its end, and return its reply with `duration_s`, the time for which it had the machine.

        A reply always has `status`, `reason` and `error_tail`, whatever happened. Raises RecordError when it fails on a
        disk that is full: that says nothing about the request.
        """
        try:
            reply = self._reply(timeout_s)
        finally:
            self.close()
        if reply["status"] != "ok":
            files.check_room(strays.CALLS)
        return dict(reply, duration_s=self.held_s)

    def _reply(self, timeout_s):
        if self.process is None:
            return {"status": "failed", "reason": self.failure, "error_tail": None}
        if self in _running:
            self.let_end()
            try:
                self.process.wait(max(timeout_s - (time.monotonic() - self.asked), 0.0))
            except subprocess.TimeoutExpired:
                self.timed_out = True
            self._end()
        if os.path.exists(self._path("reply.json")) and not self.timed_out:
            with open(self._path("reply.json"), encoding="utf-8") as file:
                return json.load(file)
        return _ended(self.process.returncode, self._path("output.txt"), timeout_s, self.timed_out)

    def _end(self):
        """End it and all it has started at once: its process group, and what left that."""
        self._wake()
        self.held_s += time.monotonic() - self.asked
        self.kill()
        self.listener.join(strays.END_S)
        _running.remove(self)

    def move(self, cores: List[int]) -> None:
        """Keep it on these cores from now on, with all its threads."""
        machine.move(cores, str(self.number))

    def kill(self) -> None:
        """End it and all it has started at once; there is nothing to save."""
        if os.name == "posix":
            strays.kill(self.process.pid, os.killpg)
            strays.end(self.folder)
        else:
            self.process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):  # stuck in the kernel, as by a driver that hangs: go on
            self.process.wait(strays.END_S)

    def close(self) -> None:
        """End it unless it has ended, and remove what is left of it; nothing is said of what it came to."""
        if self in _running:
            self._end()
        elif self.process is None:
            strays.end(self.folder)  # an interrupt may come when it has started and nothing here knows its number yet
        if self.process:
            for pipe in (self.process.stdin, self.process.stdout):
                with contextlib.suppress(OSError, ValueError):
                    pipe.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def close_all() -> None:
    """End and remove all workers that this process has started."""
    for running in _running.copy():
        running.close()


def call(
    python: str, environment: registry.Environment, request: Dict[str, Any], timeout_s: float, cache: str
) -> Dict[str, Any]:
    """Serve a request that takes no turns in a fresh process of `python`; return what `Worker.finish` does.

    On an interrupt the process tree is ended, and the interrupt raised again.
    """
    return Worker(python, environment, request, cache).finish(timeout_s)


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
                    running.kill()
                time.sleep(0.01)
            raise


def at_a_time(threads: int) -> int:
    """Return how many processes of so many threads have cores of their own."""
    return max(1, machine.cores() // threads)


def on_own_cores(
    begin: Callable[[Any, int], Any], is_over: Callable[[Any], bool], those: Iterable[Any], threads: int
) -> None:
    """Begin all, as many at a time as have cores of their own; a place says which (`machine.first_cores`).

    What `begin` returned is asked about until it is over, and then gives its cores to the next at once. All happens in
    this thread: a worker ends with the thread that started it.
    """
    free, waiting = list(range(at_a_time(threads))), list(those)
    awake = {}  # type: Dict[int, Any]
    while waiting or awake:
        for place in [each for each in sorted(awake) if is_over(awake[each])]:
            del awake[place]
            free.append(place)
        while waiting and free:
            place = free.pop(0)
            awake[place] = begin(waiting.pop(0), place)
        time.sleep(GLANCE_S)
