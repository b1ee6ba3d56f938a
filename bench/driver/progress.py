"""A line that says how far something long has come, and how much time is left."""

import sys
import threading
import time
from typing import Any, Optional, TextIO

TERMINAL_S = 0.2  # seconds between two updates of the line on a terminal
LOG_S = 20.0  # seconds between two lines where there is no terminal


def size(count: float) -> str:
    """Write a number of bytes with the unit that suits it, in powers of ten as sources state them."""
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= factor:
            return "%.3g %s" % (count / factor, unit)
    return "%d bytes" % count


def step_time(seconds: float) -> str:
    """Write the time of a step or an epoch with the unit that suits it."""
    for limit, factor, unit in ((1e-3, 1e6, "us"), (1.0, 1e3, "ms")):
        if seconds < limit * 0.9995:  # what rounds to a thousand is one of the next unit
            return "%.3g %s" % (seconds * factor, unit)
    return "%.3g s" % seconds


def duration(seconds: float) -> str:
    """Write seconds as a clock does."""
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return "%d:%02d:%02d" % (hours, minutes, rest) if hours else "%d:%02d" % (minutes, rest)


class Progress:
    """Counts up to `total`; a context manager, safe to call from several threads."""

    def __init__(self, label: str, total: int, done: int = 0, unit: str = "", stream: Optional[TextIO] = None) -> None:
        self.label, self.total, self.done, self.unit = label, total, done, unit
        self.stream = stream or sys.stderr
        self.begun_at, self.begun_with = time.monotonic(), done
        self.shown_at = self.begun_at
        self.lock = threading.Lock()

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: Any) -> None:
        if self.stream.isatty():
            self.stream.write("\r\033[K")
            self.stream.flush()

    def advance(self, count: int = 1) -> None:
        """Count, and show it when it is time to."""
        with self.lock:
            self.done += count
            now = time.monotonic()
            is_terminal = self.stream.isatty()
            if now - self.shown_at >= (TERMINAL_S if is_terminal else LOG_S):
                self.shown_at = now
                self.stream.write("\r\033[K" + self.line(now) if is_terminal else self.line(now) + "\n")
                self.stream.flush()

    def line(self, now: float) -> str:
        """Return the line as it is at the time `now`."""
        speed = (self.done - self.begun_with) / max(now - self.begun_at, 1e-9)
        if self.unit == "B":
            amount, rate = "%s of %s" % (size(self.done), size(self.total)), size(speed) + "/s"
        else:
            amount, rate = "%d of %d %s" % (self.done, self.total, self.unit), "%.3g/s" % speed
        left = duration((self.total - self.done) / speed) + " left" if speed > 0 else "waiting"
        return "%s  %3.0f %%  %s  %s  %s" % (self.label, 100.0 * self.done / max(self.total, 1), amount, rate, left)
