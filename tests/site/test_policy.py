"""The content security policy of every built page: it comes first, and it stops what text may not do.

That nothing of hostile results gets as far is in test_hostile_site.py, at night.
"""

import base64
import hashlib
import re
import shutil
from collections.abc import Iterator

import pytest
from served import served
from touched import touch

pytestmark = pytest.mark.browser

POLICY = r'<meta http-equiv="Content-Security-Policy"[^>]*>'
PLANTED = """<article><h1>planted</h1><p>a</p><p>b</p><script>alert(1)</script><img src="x.png" onerror="alert(2)">
<p onmouseover="alert(3)">c</p><img src="https://evil.example/x.png"></article>"""


@pytest.fixture(scope="module")
def planted(site, tmp_path_factory) -> Iterator[str]:
    """Serve a page of the site whose text became markup, with the site's policy and without it."""
    folder = tmp_path_factory.mktemp("planted")
    shutil.copytree(site / "assets", folder / "assets")
    page = (site / "index.html").read_text(encoding="utf-8")
    spoilt = re.sub("<article.*</article>", lambda _: PLANTED, page, flags=re.DOTALL)
    assert spoilt != page
    folder.joinpath("with.html").write_text(spoilt, encoding="utf-8")
    folder.joinpath("without.html").write_text(re.sub(POLICY, "", spoilt), encoding="utf-8")
    with served(folder) as address:
        yield address


def test_what_would_run_is_noticed(watcher, planted):
    found = touch(watcher, planted, "without.html")
    assert {"alert 1", "alert 2", "alert 3"} <= set(found.dialogs)
    assert (found.refused, found.foreign) == ([], ["https://evil.example/x.png"])


def test_the_policy_of_a_page_stops_it_should_all_else_fail(watcher, planted):
    found = touch(watcher, planted, "with.html")
    assert found.dialogs == []
    assert {"inline", "https://evil.example/x.png"} <= set(found.refused)


def test_the_policy_comes_before_any_text_in_every_page(site):
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        found = re.match(rf"\s*<!doctype html>\s*<html [^>]*>\s*<head>\s*({POLICY})", text)
        assert found, path
        policy = found[1]
        scripts = "img-src" if "embed" in path.parts else "script-src 'self' 'sha256-"  # a figure alone has no script
        assert f"default-src 'none'; {scripts}" in policy, path
        assert "unsafe" not in policy, path
        for script in re.findall("<script>(.*?)</script>", text, re.DOTALL):
            assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy, path
