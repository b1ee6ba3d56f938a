"""Download published files with curl: an interrupted download resumes, and a file is complete only after its checksum.

The name of an incomplete file ends in `.partial`. The program curl knows ranges, redirects, proxies and certificates,
and shows its progress. The package pooch (1.9) restarts a 4 GB file after an interruption.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import threading
import time
from typing import List, NamedTuple, Tuple

from bench.errors import AccessError, BenchError, ChecksumError, DownloadError, OfflineError, SpaceError
from bench.units import duration, size

CHUNK = 1 << 18  # bytes read at a time
TIMEOUT_S = 60  # without a byte
ATTEMPTS = 4  # in a row that bring nothing new
PAUSE_S = 1.0  # before the second attempt; doubled before each further one
PASSING = (408, 425, 429, 500, 502, 503, 504)  # HTTP statuses that may be gone in a moment
WANTS_PERMISSION = (401, 402, 403, 407, 451)
HTTP_ERROR, NOT_WRITTEN, NO_RANGE, TOO_LARGE = 22, 23, 33, 63  # exit codes of curl (its manual, EXIT CODES)
TERMINAL_S = 0.2  # between two updates of a line of progress on a terminal
LOG_S = 20.0  # between two lines of progress without a terminal


class Progress:
    """A line on the error stream with the share done and the time left; a context manager, safe to use from threads."""

    def __init__(self, label: str, total: int, unit: str) -> None:
        self.label, self.total, self.unit, self.done = label, total, unit, 0
        self.begun_at = self.shown_at = time.monotonic()
        self.lock = threading.Lock()

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def advance(self, count: int = 1) -> None:
        """Add `count` to what is done; show the line if it is due."""
        with self.lock:
            self.done += count
            now, is_terminal = time.monotonic(), sys.stderr.isatty()
            if now - self.shown_at >= (TERMINAL_S if is_terminal else LOG_S):
                self.shown_at = now
                form = "\r\033[K%s" if is_terminal else "%s\n"
                print(form % self.line(now), end="", file=sys.stderr, flush=True)

    def line(self, now: float) -> str:
        """Return the line at the time `now`; numbers of the unit "B" are written as sizes."""
        speed = self.done / max(now - self.begun_at, 1e-9)
        if self.unit == "B":
            amount, rate = "%s of %s" % (size(self.done), size(self.total)), size(speed) + "/s"
        else:
            amount, rate = "%d of %d %s" % (self.done, self.total, self.unit), "%.3g/s" % speed
        left = duration((self.total - self.done) / speed) + " left" if speed > 0 else "waiting"
        return "%s  %3.0f %%  %s  %s  %s" % (self.label, 100.0 * self.done / max(self.total, 1), amount, rate, left)


class File(NamedTuple):
    """One file at its source: `checksum` is `sha256:...` or `md5:...` as published; `urls` are tried in order."""

    name: str
    size: int
    checksum: str
    urls: Tuple[str, ...]


def _bytes_at(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0


def missing_bytes(file: File, folder: str) -> int:
    """Return how many bytes of a file are still to be downloaded."""
    path = os.path.join(folder, file.name)
    return 0 if os.path.exists(path) else max(file.size - _bytes_at(path + ".partial"), 0)


def digests(path: str, *kinds: str) -> List[str]:
    """Return a file's sum of each kind, such as `sha256`."""
    sums = [hashlib.new(kind) for kind in kinds]
    progress = Progress("checking " + os.path.basename(path), os.path.getsize(path), "B")
    with open(path, "rb") as content, progress:
        for chunk in iter(lambda: content.read(CHUNK), b""):
            for digest in sums:
                digest.update(chunk)
            progress.advance(len(chunk))
    return [digest.hexdigest() for digest in sums]


def check(file: File, path: str, advice: str) -> str:
    """Return the SHA-256 of a file that has its published checksum; raises ChecksumError for another one."""
    kind, expected = file.checksum.split(":")
    came, sha256 = digests(path, kind, "sha256")
    if came != expected:
        raise ChecksumError(
            "%s: expected the published %s %s (%d bytes), and came %s (%d bytes). %s"
            % (path, kind.upper(), expected, file.size, came, _bytes_at(path), advice)
        )
    return sha256


def fetch(file: File, folder: str, offline: bool = False) -> str:
    """Download a file into `folder` unless it is there, and return its SHA-256; checks its published checksum.

    Raises OfflineError, DownloadError, AccessError, SpaceError or ChecksumError.
    """
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, file.name)
    if os.path.exists(path):  # checked each time, because the user may have put it there
        return check(file, path, "Delete it, and give the same command again.")
    if offline or not shutil.which("curl"):
        why, way = ("Offline", "allow downloading") if offline else ("There is no curl", "install curl")
        raise OfflineError(
            "%s: expected %s (%s), which is not here. Put it there by hand, from %s, or %s."
            % (why, path, size(file.size), file.urls[0], way)
        )
    failures: List[BenchError] = []
    for url in file.urls:
        try:
            return _fetch_from(url, file, path)
        except (DownloadError, ChecksumError) as error:
            failures.append(error)
    if len(failures) == 1:
        raise failures[0]
    raise DownloadError("No address gives %s. %s" % (file.name, " ".join(map(str, failures))))


def _fetch_from(url: str, file: File, path: str) -> str:
    """Download a file, resuming after each interruption that brought new bytes; return its SHA-256."""
    partial, idle = path + ".partial", 0
    begun = most = _bytes_at(partial)
    while _bytes_at(partial) < file.size:
        reason = _request(url, file, path)
        idle, most = (0, _bytes_at(partial)) if _bytes_at(partial) > most else (idle + 1, most)
        if idle == ATTEMPTS:
            raise DownloadError(
                "%s: expected %s, and after %d attempts came nothing more than %s: %s. Check the network and give the "
                "same command again: it goes on there. Or put the file by hand at %s."
                % (url, size(file.size), ATTEMPTS, size(_bytes_at(partial)), reason, path)
            )
        time.sleep(PAUSE_S * 2 ** (idle - 1) if idle else 0)
    try:
        sha256 = check(file, partial, "It is deleted. Try again; if it comes again, it has changed at %s." % url)
    except ChecksumError:
        os.remove(partial)
        if not begun:
            raise
        return _fetch_from(url, file, path)  # its beginning and its end may come from two versions
    os.replace(partial, path)
    return sha256


def _request(url: str, file: File, path: str) -> str:
    """Let curl append the missing bytes to the partial file; return why it ended, if another attempt may help."""
    partial = path + ".partial"
    seconds = str(TIMEOUT_S)
    command = ["curl", "--fail", "--location", "--continue-at", "-", "--max-filesize", str(file.size),
               "--output", partial, "--connect-timeout", seconds, "--speed-time", seconds, "--speed-limit", "1",
               "--write-out", "%{http_code} %{content_type}", url]  # fmt: skip
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)  # its progress is on stderr
    status, _, kind = done.stdout.decode("utf-8", "replace").partition(" ")
    is_page, is_refused = kind.startswith("text/html") and status == "200", done.returncode == HTTP_ERROR
    if is_page:
        os.remove(partial)
    if is_page or (is_refused and int(status) in WANTS_PERMISSION):
        raise AccessError(
            "%s: expected the file, and came %s: the source wants a login, a licence accepted, or a browser. Open the "
            "address in a browser, put the file at %s, and give the same command again."
            % (url, "a web page" if is_page else "HTTP status " + status, path)
        )
    if is_refused and int(status) not in PASSING:
        raise DownloadError(
            "%s: expected the file, and came HTTP status %s. If it has moved, download it from where it is now to %s "
            "and give the same command again: its checksum decides." % (url, status, path)
        )
    if done.returncode == NOT_WRITTEN:
        raise SpaceError(
            "%s: no space left for %s more. Make room, or choose another folder with --folder or BENCH_DATA; the same "
            "command goes on where it stopped." % (partial, size(file.size - _bytes_at(partial)))
        )
    if done.returncode in (0, TOO_LARGE) and _bytes_at(partial) < file.size:
        raise DownloadError(
            "%s: expected %d bytes, and the server offers another file: it has changed at its source. If you have the "
            "published one, put it at %s and give the same command again." % (url, file.size, path)
        )
    if done.returncode == NO_RANGE:
        os.remove(partial)
    return "HTTP status " + status if is_refused else "curl ended with code %d" % done.returncode
