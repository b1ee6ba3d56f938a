"""A whole site built from hostile results, in a real browser: nothing of them runs, nothing is asked of elsewhere."""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import corpus
import pytest
from driven import Visitor, visiting
from guard import pages
from kinds import kinds
from served import served

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("analysis", "bench", "docs", "overrides", "mkdocs.yml", "CONTRIBUTING.md", "CHANGELOG.md")
TOUCH = """
for (const each of document.querySelectorAll('article *')) {
  for (const kind of ['mouseover', 'mouseenter', 'focus', 'pointerdown', 'toggle']) each.dispatchEvent(new Event(kind));
  if (!each.closest('a, button, label, summary, input, select')) each.click();
}
document.querySelectorAll('article details').forEach(each => { each.open = true; });
return document.querySelectorAll('article *').length;
"""
WATCH = """
window.watched = {refused: [], dialogs: []};
addEventListener('securitypolicyviolation', refused => watched.refused.push(refused.blockedURI));
for (const dialog of ['alert', 'confirm', 'prompt', 'print', 'open']) {
  window[dialog] = said => { watched.dialogs.push(`${dialog} ${said}`); };
}
"""
POLICY = r'<meta http-equiv="Content-Security-Policy"[^>]*>'


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Build the site in a copy of the project whose results are all hostile files that reading accepts."""
    folder = tmp_path_factory.mktemp("hostile")
    for name in PARTS:
        source = ROOT / name
        ignored = shutil.ignore_patterns("generated", "__pycache__")
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=ignored)
        else:
            shutil.copy(source, folder / name)
    for hostile in corpus.files():
        if not hostile.is_refused:
            path = folder / "results" / hostile.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(hostile.content)
    shutil.copy(ROOT / "results" / "README.md", folder / "results" / "README.md")
    variables = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "BENCH_STATE": str(folder / "state")}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return folder / "site"


@pytest.fixture(scope="module")
def hostile(built) -> Iterator[str]:
    """Serve that site; yields its address."""
    with served(built) as address:
        yield address


class Seen(NamedTuple):
    """What a page did while someone looked at it and touched all of it."""

    dialogs: list[str]
    foreign: list[str]  # requests that leave the site
    refused: list[str]  # by its content security policy
    console: list[str]


@pytest.fixture
def watcher(chromium) -> Iterator[Visitor]:
    """Let someone come who sees what a page would open or is refused."""
    with visiting(chromium, WATCH) as visitor:
        yield visitor


def seen(watcher: Visitor, address: str, page: str) -> Seen:
    """Open a page, and touch and click all that no link leads away from."""
    watcher.open(address + page)
    time.sleep(0.5)
    assert watcher.do(TOUCH) >= 3
    time.sleep(0.5)
    watched = watcher.do("return watched")
    assert watcher.tab.url.startswith(address + page)
    assert watcher.requests
    foreign = [url for url in watcher.requests if not url.startswith(address)]
    return Seen([*watched["dialogs"], *watcher.dialogs], foreign, watched["refused"], [*watcher.console])


NOTHING = Seen([], [], [], [])
PLANTED = """<article><h1>planted</h1><p>a</p><p>b</p><script>alert(1)</script><img src="x.png" onerror="alert(2)">
<p onmouseover="alert(3)">c</p><img src="https://evil.example/x.png"></article>"""


@pytest.fixture(scope="module")
def planted(built, tmp_path_factory) -> Iterator[str]:
    """Serve a page of the site whose text stands for markup, as it is built and without the site's policy."""
    folder = tmp_path_factory.mktemp("planted")
    shutil.copytree(built / "assets", folder / "assets")
    page = (built / "index.html").read_text(encoding="utf-8")
    spoilt = re.sub("<article.*</article>", lambda _: PLANTED, page, flags=re.DOTALL)
    assert spoilt != page
    folder.joinpath("with.html").write_text(spoilt, encoding="utf-8")
    folder.joinpath("without.html").write_text(re.sub(POLICY, "", spoilt), encoding="utf-8")
    with served(folder) as address:
        yield address


def test_what_would_run_is_noticed(watcher, planted):
    found = seen(watcher, planted, "without.html")
    assert {"alert 1", "alert 2", "alert 3"} <= set(found.dialogs)
    assert found.refused == []
    assert found.foreign == ["https://evil.example/x.png"]


def test_the_policy_of_a_page_stops_it_should_all_else_fail(watcher, planted):
    found = seen(watcher, planted, "with.html")
    assert found.dialogs == []
    assert {"inline", "https://evil.example/x.png"} <= set(found.refused)


def test_the_policy_stands_before_any_text_in_every_page(built):
    for path in built.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        found = re.match(rf"\s*<!doctype html>\s*<html [^>]*>\s*<head>\s*({POLICY})", text)
        assert found, path
        policy = found[1]
        assert "default-src 'none'; script-src 'self' 'sha256-" in policy, path
        assert "unsafe" not in policy, path
        for script in re.findall("<script>(.*?)</script>", text, re.DOTALL):
            assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy, path


def test_nothing_of_the_results_is_more_than_text_in_any_built_page(built):
    assert {str(path): page.problems for path, page in pages(built).items() if page.problems} == {}


def test_the_pages_have_no_title_heading_or_address_of_the_results(built):
    names = {path.relative_to(built).as_posix() for path in built.rglob("*")}
    assert [name for name in names if "alert" in name or "evil" in name or "%" in name] == []
    for path in built.rglob("*.html"):
        head = path.read_text(encoding="utf-8").partition("</head>")[0]
        assert "alert(" not in head, path
        assert "evil" not in head, path


def test_no_kind_of_page_of_hostile_results_opens_a_dialog_or_asks_anything_of_elsewhere(watcher, hostile, built):
    found = {}
    for kind, page in kinds(built).items():
        found[kind] = seen(watcher, hostile, page)
    assert len(found) >= 20
    assert {kind: each for kind, each in found.items() if each != NOTHING} == {}


def test_the_payloads_are_there_to_read_as_text(visitor, hostile):
    visitor.open(hostile + "generated/workloads/mnist_mlp/")
    text = visitor.do("return document.querySelector('article').textContent")
    for payload in ("<script>alert(1)</script>", "[click](javascript:alert(1))", "{{ 7 * 7 }}", r"$\frac{1}{$"):
        assert payload in text


def test_the_explorer_shows_filters_and_copies_them_as_text(visitor, hostile):
    visitor.open(hostile + "explorer/")
    visitor.tab.wait_for_selector(".explorer.ready")
    script = "return [...document.querySelectorAll('.explorer .results *')].map(each => each.localName)"
    assert not {"script", "img", "iframe", "svg", "style", "form", "object"} & set(visitor.do(script))
    press = "[...document.querySelectorAll('.explorer button')].filter(b => /^Show|^Copy/.test(b.textContent))"
    visitor.do(f"{press}.forEach(each => each.click())")
    visitor.do("document.querySelectorAll('.explorer input').forEach(each => each.click())")
    time.sleep(0.5)
    assert "alert(1)" in visitor.do("return document.querySelector('.explorer').textContent")


def test_a_search_for_a_payload_runs_nothing(watcher, hostile):
    assert seen(watcher, hostile, "?q=script%20alert") == NOTHING
