"""Start workers in the interpreters of environments, listen to them with a time limit, and end all their processes."""

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
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from bench import files, machine, registry
from bench.driver import orphans, variables
from bench.replies import DONE, READY, TAIL, Probed, Reply, Request, without_paths

LOOK_S = 0.2  # between two checks whether a silent process is still alive
GLANCE_S = 0.01  # between two checks of several workers for news
SIGNALLED_S = 2.0  # in which SIGTERM reaches all processes of a job
LONGEST_LINE = 4096  # bytes read at once, because a line may never end

Item = TypeVar("Item")
Begun = TypeVar("Begun")
_running: list["Worker"] = []


def _tail(path: str) -> str | None:
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - 4 * TAIL))
        return without_paths(file.read().decode("utf-8", "replace"))[-TAIL:] or None


def _ended(code: int | None, timeout_s: float, timed_out: bool) -> tuple[str, str]:
    """Return the status of a worker that left no reply, and the reason."""
    if timed_out:
        return "timeout", f"no result within {timeout_s:.0f} s, and ended"
    if code is None or code >= 0:
        return "failed", f"the process ended with exit code {code} and no result"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"  # real-time signals have no name
    hint = "; the kernel ends processes so when memory runs out" if -code == signal.SIGKILL else ""
    return "killed", f"the process was ended by {name}{hint}"


class Command(NamedTuple):
    """How a process starts that does not serve in an environment of this project: words, folder, variables."""

    words: list[str]
    folder: str
    environ: dict[str, str]
    launcher: Sequence[str] = ()  # words before the interpreter


def _launcher(environment: registry.Environment) -> list[str]:
    """Return the words that start an environment's interpreter; the last of them is a file of its framework."""
    *words, file = environment.launcher or [""]
    return [*words, os.path.join(environment.folder, file)] if file else []


class Worker:
    """A new process that serves one request, and takes turns if the request measures.

    It says READY after the import (unless it must continue alone) and when only its turns are left, and DONE after each
    turn. After each word it sleeps until `say`. `held_s` is the time in seconds for which it was awake. The caller must
    always call `finish` or `close`.
    """

    def __init__(
        self, python: str, environment: registry.Environment | Command, request: Request, cache: str = ""
    ) -> None:
        """Start the process. Raises RecordError if the disk is full, which says nothing about the request."""
        files.check_room(orphans.CALLS)
        self.folder = tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=orphans.CALLS)
        self.held_s, self.asked = 0.0, time.monotonic()
        self.timed_out = self.is_asleep = False
        self.failure: str | None = None
        self.process: Any = None  # a Popen once it has started
        self.words: queue.Queue[bytes] = queue.Queue()
        self.reply, self.output = (os.path.join(self.folder, name) for name in ("reply.json", "output.txt"))
        try:
            self._start(python, environment, request, cache or self.folder)  # a probe needs no lasting cache
        except BaseException:
            self.close()
            raise

    def _start(self, python: str, environment: registry.Environment | Command, request: Request, cache: str) -> None:
        path, work = os.path.join(self.folder, "request.json"), request.work
        with open(path, "w", encoding="utf-8") as file:
            json.dump(request._asdict() | {"work": work._asdict() if work else {}, "reply": self.reply}, file)
        os.makedirs(cache, exist_ok=True)  # the loader checks once whether a folder of LD_LIBRARY_PATH exists
        command = environment
        if not isinstance(command, Command):
            environ = variables.of_request(command, request, cache)
            command = Command(["-m", "bench.worker"], self.folder, environ, _launcher(command))
        environ = command.environ | {orphans.MARK: self.folder}
        try:
            with open(self.output, "wb") as sink:
                self.process = subprocess.Popen(
                    [*command.launcher, python, *command.words, path], cwd=command.folder, env=environ,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=sink, start_new_session=True,
                )  # fmt: skip
        except OSError as error:
            self.failure = f"the interpreter could not be started: {error.strerror}"
            return
        _running.append(self)
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self) -> None:
        """Queue the worker's words; other lines are dropped, since workers print to the error stream."""
        with contextlib.suppress(OSError, ValueError):
            for line in iter(lambda: self.process.stdout.readline(LONGEST_LINE), b""):
                if line.strip() in (READY, DONE):
                    self.words.put(line)

    def heard(self, timeout_s: float) -> bool:
        """Wait for the next word; return False if the process ended, or was killed after `timeout_s`."""
        while self in _running:
            left_s = self.asked + timeout_s - time.monotonic()
            try:
                self.words.get(timeout=max(min(left_s, LOOK_S), 0.0))
            except queue.Empty:
                self.timed_out = left_s <= 0 and self.process.poll() is None
                if self.timed_out or self.process.poll() is not None:
                    self._end()
                continue
            self.held_s += time.monotonic() - self.asked
            self.is_asleep = True
            return True
        return False

    @property
    def number(self) -> int:
        """The process ID."""
        return int(self.process.pid)

    @property
    def numbers(self) -> list[int]:
        """The IDs of the process and of all that it started; on Linux alone of more than the process."""
        return sorted({self.number, *orphans.marked(self.folder)})

    def resident_bytes(self) -> tuple[int, int]:
        """Return the memory that these processes have now, and had at most, in bytes."""
        now, most = zip(*map(machine.resident_bytes, self.numbers))
        return sum(now), sum(most)

    def has_news(self, timeout_s: float) -> bool:
        """Return whether `heard`, or `finish` after `let_end`, would return at once."""
        is_late = time.monotonic() > self.asked + timeout_s
        return is_late or self.has_ended() or not self.words.empty()

    def has_ended(self) -> bool:
        """Return whether the process ended or never started."""
        return self.process is None or self.process.poll() is not None

    def say(self, word: bytes) -> None:
        """Wake the process: with a turn, or to let it end."""
        self._wake()
        with contextlib.suppress(OSError):  # the process ended; `heard` notices that
            self.process.stdin.write(word + b"\n")
            self.process.stdin.flush()

    def _wake(self) -> None:
        if self.is_asleep:
            self.asked, self.is_asleep = time.monotonic(), False

    def let_end(self) -> None:
        """Let the process end without further turns; `finish` waits for it."""
        self._wake()
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def finish(self, timeout_s: float) -> Reply:
        """Wait for the process to end; return its reply with `duration_s`, the seconds for which it used the machine.

        Raises RecordError if it fails on a full disk, which says nothing about the request.
        """
        try:
            reply = self._reply(timeout_s)
        finally:
            self.close()
        if reply.status != "ok":
            files.check_room(orphans.CALLS)
        return reply._replace(duration_s=self.held_s)

    def _reply(self, timeout_s: float) -> Reply:
        if self.process is None:
            return Reply("failed", self.failure)
        if self in _running:
            self.let_end()
            try:
                self.process.wait(max(timeout_s - (time.monotonic() - self.asked), 0.0))
            except subprocess.TimeoutExpired:
                self.timed_out = True
            self._end()
        if os.path.exists(self.reply) and not self.timed_out:
            with open(self.reply, encoding="utf-8") as file:
                reply = Reply(**json.load(file))
            return reply._replace(probed=Probed(*reply.probed)) if reply.probed else reply
        if self.process.returncode == -signal.SIGTERM:
            time.sleep(SIGNALLED_S)  # a batch system signals every process of a job: the bench may be the next
        return Reply(*_ended(self.process.returncode, timeout_s, self.timed_out), _tail(self.output))

    def _end(self) -> None:
        """Kill the process, its process group and its marked descendants; update `held_s`."""
        self._wake()
        self.held_s += time.monotonic() - self.asked
        self.kill()
        self.listener.join(orphans.END_S)
        _running.remove(self)

    def move(self, cores: list[int]) -> None:
        """Bind the process, and all that it started, to these cores."""
        for number in self.numbers:
            machine.move(cores, str(number))

    def kill(self) -> None:
        """Kill the process, its process group and its marked descendants."""
        if os.name == "posix":
            orphans.kill(self.process.pid, os.killpg)
            orphans.end(self.folder)
        else:
            self.process.kill()
        # stuck in the kernel, for example in a driver: continue without it
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(orphans.END_S)

    def close(self) -> None:
        """Kill the process if it still runs, and remove its files; its result is dropped."""
        if self in _running:
            self._end()
        elif self.process is None:
            orphans.end(self.folder)  # an interrupt may come after the start, before its ID is stored
        if self.process:
            for pipe in (self.process.stdin, self.process.stdout):
                with contextlib.suppress(OSError, ValueError):
                    pipe.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def close_all() -> None:
    """End all workers that this process started, and remove their files."""
    for running in _running.copy():
        running.close()


def call(python: str, environment: registry.Environment, request: Request, timeout_s: float, cache: str) -> Reply:
    """Serve a request without turns in a new process of `python`; return the reply of `Worker.finish`.

    An interrupt kills the process tree and is raised again.
    """
    return Worker(python, environment, request, cache).finish(timeout_s)


def side_by_side(calls: list[Callable[[], None]], jobs: int) -> None:
    """Run `calls`, `jobs` at a time; an exception kills all workers and is raised again."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(function) for function in calls]
        try:
            for future in concurrent.futures.as_completed(futures):
                future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            while not all(future.done() for future in futures):  # one may have been about to start
                for running in _running.copy():
                    running.kill()
                time.sleep(0.01)
            raise


def at_a_time(threads: int) -> int:
    """Return how many processes of `threads` threads can have separate cores."""
    return max(1, machine.cores() // threads)


def on_own_cores(
    begin: Callable[[Item, int], Begun], is_over: Callable[[Begun], bool], those: Iterable[Item], threads: int
) -> None:
    """Begin all of `those`, as many at a time as have separate cores (`machine.first_cores` by place).

    `begin(item, place)` returns the argument of `is_over`. When `is_over` is true, the item's cores are free for the
    next item. All runs in this thread, because a worker ends with the thread that started it.
    """
    free, waiting = list(range(at_a_time(threads))), list(those)
    awake: dict[int, Begun] = {}
    while waiting or awake:
        for place in [place for place in sorted(awake) if is_over(awake[place])]:
            del awake[place]
            free.append(place)
        while waiting and free:
            place = free.pop(0)
            awake[place] = begin(waiting.pop(0), place)
        time.sleep(GLANCE_S)
