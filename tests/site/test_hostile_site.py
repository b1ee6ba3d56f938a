"""A whole site built from hostile results, in a real browser: nothing of them runs or asks another server.

It takes a build of its own and runs at night. At the gate, tests/analysis/test_hostile.py puts the same results through
every page's text, and test_policy.py judges the policy that would stop what came through.
"""

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
from kinds import kinds
from served import served
from touched import NOTHING, touch

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.nightly]

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("analysis", "bench", "docs", "overrides", "mkdocs.yml", "CONTRIBUTING.md", "CHANGELOG.md")


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
    for hostile in corpus.accepted():
        hostile.write(folder / "results")
    shutil.copy(ROOT / "results" / "README.md", folder / "results" / "README.md")
    variables = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "BENCH_STATE": str(folder / "state")}
    for words in (["analysis", "site"], ["mkdocs", "build", "--strict", "--quiet", "--config-file=site.yml"]):
        command = [sys.executable, "-m", *words]
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


def test_no_kind_of_page_of_hostile_results_opens_a_dialog_or_asks_anything_of_elsewhere(watcher, hostile, built):
    found = {}
    for kind, page in kinds(built).items():
        found[kind] = touch(watcher, hostile, page)
    assert len(found) >= 20
    assert {kind: each for kind, each in found.items() if each != NOTHING} == {}


def test_the_results_table_filters_and_unfolds_them_as_text(visitor, hostile):
    visitor.open(hostile + "results/")
    visitor.tab.wait_for_selector(".explorer.ready")
    visitor.do("document.querySelectorAll('.chosen button').forEach(each => each.click())")
    time.sleep(0.5)
    visitor.do("document.querySelectorAll('.tabulator-row [aria-expanded]').forEach(each => each.click())")
    time.sleep(0.5)
    script = "return [...document.querySelectorAll('.explorer .rows *')].map(each => each.localName)"
    assert not {"script", "img", "iframe", "svg", "style", "form", "object"} & set(visitor.do(script))
    assert "alert(1)" in visitor.do("return document.querySelector('.explorer').textContent")


def test_a_search_for_a_payload_runs_nothing(watcher, hostile):
    assert touch(watcher, hostile, "?q=script%20alert") == NOTHING
