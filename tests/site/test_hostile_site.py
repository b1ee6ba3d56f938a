"""A whole site built from hostile results, in a real browser: nothing of them runs, nothing is asked of elsewhere."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import corpus
import pytest
from guard import pages
from served import served

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("analysis", "bench", "docs", "overrides", "mkdocs.yml", "CONTRIBUTING.md", "CHANGELOG.md")
KINDS = (  # a page of each kind that holds text of results, or could
    "", "explorer/", "generated/workloads/", "generated/workloads/mnist_mlp/", "generated/rosetta/mnist_mlp/",
    "lessons/", "machines/", "controls/", "parity/", "results/", "contributing/", "checking/",
    "articles/torch_or_keras/", "articles/keras_backends/",
)  # fmt: skip
TOUCH = """
for (const each of document.querySelectorAll('article *')) {
  for (const kind of ['mouseover', 'mouseenter', 'focus', 'pointerdown', 'toggle']) each.dispatchEvent(new Event(kind));
  if (!each.closest('a, button, label, summary, input, select')) each.click();
}
document.querySelectorAll('article details').forEach(each => { each.open = true; });
return document.querySelectorAll('article *').length;
"""
WATCH = "window.__refused = []; addEventListener('securitypolicyviolation', e => __refused.push(e.blockedURI));"


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


def test_nothing_of_the_results_is_more_than_text_in_any_built_page(built):
    assert {str(path): page.problems for path, page in pages(built).items() if page.problems} == {}


def test_the_pages_have_no_title_heading_or_address_of_the_results(built):
    names = {path.relative_to(built).as_posix() for path in built.rglob("*")}
    assert [name for name in names if "alert" in name or "evil" in name or "%" in name] == []
    for path in built.rglob("*.html"):
        head = path.read_text(encoding="utf-8").partition("</head>")[0]
        assert "alert(" not in head, path
        assert "evil" not in head, path


@pytest.mark.parametrize("page", KINDS)
def test_a_page_of_hostile_results_opens_no_dialog_and_asks_nothing_of_elsewhere(chromium, hostile, page):
    chromium.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
    chromium.get("about:blank")
    chromium.get_log("performance"), chromium.get_log("browser")
    chromium.get(hostile + page)
    time.sleep(0.5)
    assert chromium.execute_script(TOUCH) > 5
    time.sleep(0.5)
    messages = [json.loads(entry["message"])["message"] for entry in chromium.get_log("performance")]
    assert [each for each in messages if each["method"] == "Page.javascriptDialogOpening"] == []
    asked = [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]
    assert asked
    assert [url for url in asked if not url.startswith((hostile, "data:", "blob:"))] == []
    assert chromium.execute_script("return window.__refused") == []
    severe = [each["message"] for each in chromium.get_log("browser") if each["level"] in ("SEVERE", "WARNING")]
    assert severe == []
    assert chromium.current_url.startswith(hostile + page)


def test_the_payloads_are_there_to_read_as_text(chromium, hostile):
    chromium.get(hostile + "generated/workloads/mnist_mlp/")
    text = chromium.execute_script("return document.querySelector('article').textContent")
    for payload in ("<script>alert(1)</script>", "[click](javascript:alert(1))", "{{ 7 * 7 }}", r"$\frac{1}{$"):
        assert payload in text


def test_the_explorer_shows_filters_and_copies_them_as_text(chromium, hostile):
    chromium.get(hostile + "explorer/")
    for _ in range(100):
        if chromium.execute_script("return document.querySelector('.explorer.ready, .explorer.failed') !== null"):
            break
        time.sleep(0.1)
    assert chromium.execute_script("return document.querySelector('.explorer.ready') !== null")
    script = "return [...document.querySelectorAll('.explorer .results *')].map(each => each.localName)"
    assert not {"script", "img", "iframe", "svg", "style", "form", "object"} & set(chromium.execute_script(script))
    press = "[...document.querySelectorAll('.explorer button')].filter(b => /^Show|^Copy/.test(b.textContent))"
    chromium.execute_script(f"{press}.forEach(each => each.click())")
    chromium.execute_script("document.querySelectorAll('.explorer input').forEach(each => each.click())")
    time.sleep(0.5)
    assert "alert(1)" in chromium.execute_script("return document.querySelector('.explorer').textContent")


def test_a_search_for_a_payload_runs_nothing(chromium, hostile):
    chromium.get_log("performance")
    chromium.get(f"{hostile}?q=script%20alert")
    time.sleep(2)
    messages = [json.loads(entry["message"])["message"] for entry in chromium.get_log("performance")]
    assert [each for each in messages if each["method"] == "Page.javascriptDialogOpening"] == []
    asked = [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]
    assert [url for url in asked if not url.startswith((hostile, "data:", "blob:"))] == []
