"""Shared by the tests of bench/: what a campaign runs with, and an HTTP server with the troubles of real ones."""

import hashlib
import http.server
import os
import shutil
import threading
from pathlib import Path

import pytest

from bench import machine, oracle, registry
from bench.campaign import estimates, turns
from bench.data import download
from bench.data.download import File
from bench.profiles import PROFILES
from bench.proof import consensus as judge


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves `server.files`; what a request meets is the first of `server.troubles`, if any is left."""

    def do_GET(self):
        self.server.asked.append((self.path, dict(self.headers)))
        trouble = self.server.troubles.pop(0) if self.server.troubles else {}
        if "redirect" in trouble:
            self.send_response(302)
            self.send_header("Location", trouble["redirect"])
            self.end_headers()
            return
        content = self.server.files.get(self.path)
        status = trouble.get("status", 200 if content is not None else 404)
        if status != 200:
            self.send_error(status)
            return
        begin = self._begin(len(content))
        self.send_response(206 if begin else 200)
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Type", "text/html" if self.path.endswith("login") else "application/octet-stream")
        self.send_header("Content-Length", str(len(content) - begin))
        self.end_headers()
        self.wfile.write(content[begin : trouble.get("cut")])

    def _begin(self, length):
        asked = self.headers.get("Range")
        if not asked or not self.server.has_ranges:
            return 0
        return min(int(asked[len("bytes=") : -1]), length)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.troubles, self.asked = {}, [], []
        self.has_ranges = True
        self.url = f"http://127.0.0.1:{self.server_port}"

    def publish(self, content, name="file.bin"):
        """Serve a file, and state it as a data set would."""
        self.files["/" + name] = content
        return File(name, len(content), "sha256:" + hashlib.sha256(content).hexdigest(), (f"{self.url}/{name}",))

    def ranges(self):
        """What each request asked for: a range, or everything (None)."""
        return [headers.get("Range") for _, headers in self.asked]


@pytest.fixture
def server(monkeypatch):
    if not shutil.which("curl"):
        (pytest.fail if os.environ.get("CI") else pytest.skip)("curl is not here, with which files are downloaded")
    monkeypatch.setattr(download, "PAUSE_S", 0.0)
    monkeypatch.setattr(download, "TIMEOUT_S", 5)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Server() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="session")
def bench_copy(tmp_path_factory):
    """A copy of the bench without its frameworks, which a test leaves as it was."""
    leave = shutil.ignore_patterns("__pycache__", "frameworks", "datasets", "*.csv")
    return Path(shutil.copytree(registry.HERE, tmp_path_factory.mktemp("tree") / "bench", ignore=leave))


@pytest.fixture
def own_frameworks(tmp_path, frameworks):
    """A copy of the folder of the NumPy framework, for a test that edits it."""
    return Path(shutil.copytree(frameworks, tmp_path / "frameworks"))


@pytest.fixture
def without_oracle(monkeypatch):
    """Nothing in NumPy that answers could be held against: those of a test are random numbers."""
    monkeypatch.setattr(oracle, "is_known", lambda _: False)
    judge.stated.cache_clear()
    yield
    judge.stated.cache_clear()


@pytest.fixture
def plan(frameworks):
    """What a campaign of the NumPy framework may do; `plan(**changes)` makes one, with changes of its setting too."""

    def make(budget_s=100.0, **changes):
        values = {
            "profile": PROFILES["quick"]._replace(min_rounds=3), "timeout_s": 60.0, "seed": 3,
            "threads": machine.cores(),  # so that none starts beside another, on any machine
            "frameworks": frameworks, "data": "", "pythons": {}, "proofs": {}, "budget_s": budget_s,
            "environments": registry.environments(frameworks), "known": estimates.Known({}, {}, {}),
        }  # fmt: skip
        return turns.Setting(**{**values, **changes})

    return make
