"""Fetch a published file: gone on with where it stopped, and never taken for complete before its checksum fits.

A file on its way is `<name>.partial`; beside it, `<name>.partial.json` keeps what its source called this version of it,
so that a later request goes on only with the same version. Well-kept libraries were looked at first: pooch (1.9) checks
and caches, but begins a 4 GB file anew after a cut.
"""

import errno
import hashlib
import http.client
import json
import os
import re
import time
import urllib.error
import urllib.request
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from bench.errors import AccessError, BenchError, ChecksumError, DownloadError, OfflineError, SpaceError
from bench.progress import Progress, size

CHUNK = 1 << 18  # bytes read at a time
TIMEOUT_S = 60  # without a byte
ATTEMPTS = 4  # in a row that bring nothing new
PAUSE_S = 1.0  # before the second attempt; doubled before each further one
PASSING = (408, 425, 429, 500, 502, 503, 504)  # statuses that may be gone in a moment
WANTS_PERMISSION = (401, 402, 403, 407, 451)


class File(NamedTuple):
    """One file at its source: `checksum` is `sha256:...` or `md5:...` as published; `urls` are tried in order."""

    name: str
    size: int
    checksum: str
    urls: Tuple[str, ...]


class _Cut(Exception):  # noqa: N818 - it is caught here, always
    """The connection failed, or ended too soon; the next attempt goes on there."""


def _bytes_at(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0


def missing_bytes(file: File, folder: str) -> int:
    """Return how much of a file is still to be downloaded."""
    path = os.path.join(folder, file.name)
    return 0 if os.path.exists(path) else max(file.size - _bytes_at(path + ".partial"), 0)


def _forget(partial: str) -> None:
    for path in (partial, partial + ".json"):
        if os.path.exists(path):
            os.remove(path)


def check(file: File, path: str, advice: str) -> str:
    """Return the SHA-256 of a file whose published checksum fits; raises ChecksumError when it does not."""
    kind, expected = file.checksum.split(":")
    published, sha256 = hashlib.new(kind), hashlib.sha256()
    with open(path, "rb") as content, Progress("checking " + file.name, file.size, unit="B") as progress:
        for chunk in iter(lambda: content.read(CHUNK), b""):
            published.update(chunk)
            if kind != "sha256":
                sha256.update(chunk)
            progress.advance(len(chunk))
    if published.hexdigest() != expected:
        raise ChecksumError(
            "%s: expected the published %s %s (%d bytes), and came %s (%d bytes). %s"
            % (path, kind.upper(), expected, file.size, published.hexdigest(), _bytes_at(path), advice)
        )
    return (published if kind == "sha256" else sha256).hexdigest()


def fetch(file: File, folder: str, offline: bool = False) -> str:
    """Make sure that `folder` holds the file with its published content; return the file's SHA-256.

    Raises OfflineError, DownloadError, AccessError, SpaceError or ChecksumError.
    """
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, file.name)
    if os.path.exists(path):  # checked each time: a person may have put it there
        return check(file, path, "Delete it, and give the same command again.")
    if offline:
        raise OfflineError(
            "Offline: expected %s (%s), which is not here. Put it there by hand, from %s, or allow downloading."
            % (path, size(file.size), file.urls[0])
        )
    failures: List[BenchError] = []
    for url in file.urls:
        try:
            return _fetch_from(url, file, path)
        except (DownloadError, ChecksumError) as error:
            failures.append(error)
    if len(failures) == 1:
        raise failures[0]
    raise DownloadError("No address gives %s. %s" % (file.name, " ".join(str(failure) for failure in failures)))


def _fetch_from(url: str, file: File, path: str) -> str:
    partial = path + ".partial"
    goes_on = _bytes_at(partial) > 0
    _complete(url, file, partial)
    try:
        sha256 = check(file, partial, "It is deleted. Try again; if it comes again, it has changed at %s." % url)
    except ChecksumError:
        _forget(partial)
        if not goes_on:
            raise
        return _fetch_from(url, file, path)  # its beginning and its end may come from two versions
    os.replace(partial, path)
    _forget(partial)
    return sha256


def _complete(url: str, file: File, partial: str) -> None:
    """Bring the partial file to its full length, going on after every cut while something new comes."""
    idle, reason = 0, ""
    with Progress(file.name, file.size, _bytes_at(partial), unit="B") as progress:
        while _bytes_at(partial) < file.size:
            before = _bytes_at(partial)
            try:
                _request(url, file, partial, progress)
            except _Cut as cut:
                reason = str(cut)
            idle = 0 if _bytes_at(partial) > before else idle + 1
            if idle == ATTEMPTS:
                raise DownloadError(
                    "%s: expected %s, and after %d attempts came nothing more than %s: %s. Check the network and give "
                    "the same command again: it goes on there. Or put the file by hand at %s."
                    % (url, size(file.size), ATTEMPTS, size(_bytes_at(partial)), reason, _place(partial))
                )
            if idle:
                time.sleep(PAUSE_S * 2 ** (idle - 1))


def _place(partial: str) -> str:
    return partial[: -len(".partial")]


def _request(url: str, file: File, partial: str, progress: Progress) -> None:
    """Ask for what is missing of the file, once, and append what comes."""
    have = _bytes_at(partial)
    headers = {"User-Agent": "rosetta-bench", "Accept-Encoding": "identity"}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - an address written in a data set's file
    if have:
        request.add_header("Range", "bytes=%d-" % have)
        version = _version_of(partial, url)
        if version:
            request.add_header("If-Range", version)
    try:
        reply = urllib.request.urlopen(request, timeout=TIMEOUT_S)  # noqa: S310
    except urllib.error.HTTPError as error:
        with error:
            _refused(error, url, partial)
    except (OSError, http.client.HTTPException) as error:
        raise _Cut(str(error)) from None
    else:
        with reply:
            start = _start(reply, file, partial)
            if start < have:
                progress.go_back_to(start)
            _remember_version(reply, url, partial)
            _append(reply, file, partial, start, progress)


def _refused(error: urllib.error.HTTPError, url: str, partial: str) -> None:
    """Turn an HTTP status that is no file into the exception that says what to do."""
    status = "HTTP status %d (%s)" % (error.code, error.reason)
    if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
        _forget(partial)
        raise _Cut(status)
    if error.code in PASSING:
        raise _Cut(status)
    if error.code in WANTS_PERMISSION:
        raise AccessError(
            "%s: expected the file, and came %s: the source wants a login, a licence accepted, or a browser. Open the "
            "address in a browser, put the file at %s, and give the same command again."
            % (url, status, _place(partial))
        )
    raise DownloadError(
        "%s: expected the file, and came %s. If it has moved, download it from where it is now to %s and give the same "
        "command again: its checksum decides." % (url, status, _place(partial))
    )


def _start(reply: Any, file: File, partial: str) -> int:
    """Return the position of the reply's first byte in the file; raises when the reply is not the file."""
    if reply.headers.get_content_type() == "text/html":
        raise AccessError(
            "%s: expected the file, and came a web page: the source wants a login or a licence accepted. Open it in a "
            "browser, put the file at %s, and give the same command again." % (reply.geturl(), _place(partial))
        )
    found = re.match(r"bytes (\d+)-\d+/(\d+|\*)$", reply.headers.get("Content-Range", ""))
    start, total = (int(found.group(1)), found.group(2)) if found else (0, reply.headers.get("Content-Length", "*"))
    if start > _bytes_at(partial) or (reply.status == http.client.PARTIAL_CONTENT and not found):
        _forget(partial)
        raise _Cut("the server went on at a wrong place")
    if total not in ("*", str(file.size)):
        raise DownloadError(
            "%s: expected %d bytes, and the server offers %s: the file has changed at its source. If you have the "
            "published file, put it at %s and give the same command again."
            % (reply.geturl(), file.size, total, _place(partial))
        )
    return start


def _version_of(partial: str, url: str) -> Optional[str]:
    """Return what `url` called the version of the file that the partial file began with."""
    try:
        with open(partial + ".json") as file:
            known: Dict[str, str] = json.load(file)
    except (OSError, ValueError):
        return None
    return known.get("version") if known.get("url") == url else None


def _remember_version(reply: Any, url: str, partial: str) -> None:
    tag = reply.headers.get("ETag", "")
    version = tag if tag.startswith('"') else reply.headers.get("Last-Modified")  # a weak tag may not be asked for
    with open(partial + ".json", "w") as file:
        json.dump({"url": url, "version": version}, file)


def _append(reply: Any, file: File, partial: str, start: int, progress: Progress) -> None:
    with open(partial, "ab") as output:
        output.truncate(start)
        left = file.size - start
        while left:
            try:
                chunk = reply.read(min(CHUNK, left))
            except (OSError, http.client.HTTPException) as error:
                raise _Cut(str(error)) from None
            if not chunk:
                raise _Cut("the connection ended %s too soon" % size(left))
            try:
                output.write(chunk)
                output.flush()
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                raise SpaceError(
                    "%s: no space left for %s more. Make room, or choose another folder with --folder or BENCH_DATA; "
                    "the same command goes on where it stopped." % (partial, size(left))
                ) from None
            left -= len(chunk)
            progress.advance(len(chunk))
