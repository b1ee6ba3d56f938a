"""Serve a folder to this machine alone, and write one page with a script to be served."""

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shown import found

ROOT = Path(__file__).resolve().parents[2]
STRICT = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>test</title><link rel="icon" href="../assets/overview.png">
<link rel="stylesheet" href="../assets/theme.css"><link rel="stylesheet" href="../assets/site.css">
<script type="module" src="../assets/table.js"></script></head>
<body><main class="md-typeset"><h1>test</h1>{fragment}</main></body></html>
"""
THEME = """:root { --md-accent-fg-color: #526cfe; --md-default-bg-color: #fff; --md-default-fg-color--light: #757575;
--md-default-fg-color--lightest: #eee; }
"""  # what site.css takes from the theme
HOSTILE = '<img src=x onerror="alert(1)"> [x](javascript:alert(1)) | `code` =1+1'


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serve files without a line for each; with a content security policy where one is given."""

    def __init__(self, *words: object, policy: str | None = None, **named: object) -> None:
        self.policy = policy
        super().__init__(*words, **named)

    def end_headers(self) -> None:
        """Add the policy."""
        if self.policy:
            self.send_header("Content-Security-Policy", self.policy)
        super().end_headers()

    def log_message(self, *words: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path, policy: str | None = None) -> Iterator[str]:
    """Serve a folder; yields its address."""
    handler = functools.partial(Quiet, directory=str(folder), policy=policy)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def spoilt(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a campaign's lines with hostile text as the reason of what failed."""
    return [{**line, "reason": HOSTILE} if line.get("status") == "failed" else line for line in lines]


def publish(folder: Path, page: Any, *campaigns: list[dict[str, Any]]) -> Path:
    """Write a page with a script alone, without the theme, of some campaigns; returns the folder to serve."""
    site, made, name = folder / "site", found(folder / "results", *campaigns), page.__name__.rpartition(".")[2]
    shutil.copytree(ROOT / "docs" / "assets", site / "assets")
    files = {
        f"{name}/index.html": PAGE.format(fragment=page.page(made)),
        "assets/theme.css": THEME,
        **{f"generated/{path}": text for path, text in page.data(made).items()},
    }
    for path, content in files.items():
        site.joinpath(path).parent.mkdir(parents=True, exist_ok=True)
        site.joinpath(path).write_text(content, encoding="utf-8")
    return site
