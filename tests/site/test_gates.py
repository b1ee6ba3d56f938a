"""The built site before a reader sees it: valid, accessible, light, quiet, and whole without scripts.

Every file is read. What each kind of page is like in each view is test_views.py's.
"""

import base64
import hashlib
import json
import logging
import subprocess
from pathlib import Path

import pytest
from driven import visiting
from kinds import kinds
from served import served
from views import TELEPHONE, View, ask, nothing, read, reading

pytestmark = pytest.mark.browser

HERE = Path(__file__).parent
UNSEEN = """  // code is chosen by boxes, which need no script
document.querySelectorAll('.choose input:not(:checked)').forEach(box => box.click());
const folded = 'details:not([open]), .tabbed-block';
return [...document.querySelectorAll('article :is(h1, h2, p, li, table, figure, pre)')].filter(
  part => !part.closest(folded) && !part.checkVisibility({visibilityProperty: true})).map(
  part => part.outerHTML.slice(0, 120));
"""
LATE = """  // the data come when they are let in, and nobody's patience ends before: no machine is too slow for this
const soon = fetch;
const arrived = new Promise(next => { window.arrive = next; });
window.fetch = (...words) => arrived.then(() => soon(...words));
addEventListener('animationstart', ({target}) => target.getAnimations().forEach(waiting => waiting.pause()));
"""
DOWN = """  // to where the plain tables end: the window's height above it, and what follows may come into view
const {bottom} = document.querySelector('.explorer').getBoundingClientRect();
scrollTo({top: bottom - innerHeight, behavior: 'instant'});
"""
SCRIPT = """  // again and again, for what comes before a page is painted moves nothing
console.error('said');
setInterval(() => document.querySelector('div').append('pushes the rest down '.repeat(9)), 50);
"""
HASH = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
BAD = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>bad</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'self'; script-src 'self' 'sha256-{HASH}'">
</head><body data-md-color-scheme="default"><h1>bad</h1><div></div><p style="color: red">x</p>
<details><summary>more</summary><img src="gone.png"></details>
<script>{SCRIPT}</script></body></html>"""


@pytest.mark.parametrize("page", ["compare", "results"])
def test_nothing_moves_under_someone_who_scrolls_before_the_data_are_there(chromium, address, page):
    with reading(chromium, View("light", 1280)) as reader:
        reader.tab.add_init_script(LATE)
        reader.open(f"{address}{page}/")
        reader.do(DOWN)
        reader.do("arrive()")
        reader.tab.wait_for_selector(".explorer.ready")
        reader.tab.wait_for_timeout(200)
        assert not reader.do("return watched.moved")


def test_without_scripts_all_of_a_page_is_there_to_read(chromium, address, site):
    hidden = {}
    with visiting(chromium, java_script_enabled=False) as visitor:
        for kind, page in kinds(site).items():
            visitor.open(address + page)
            assert visitor.tab.is_visible("article h1"), kind
            hidden[kind] = visitor.do(UNSEEN)
    nothing(hidden)


def test_each_fault_that_a_browser_can_see_is_seen(chromium, tmp_path, axe):
    (tmp_path / "index.html").write_text(BAD)
    with served(tmp_path) as url, reading(chromium, TELEPHONE) as reader:
        found, rules = read(reader, url), ask(axe, reader)
    assert any("style-src" in line for line in found.refused)
    assert any("said" in line for line in found.console)
    assert any("gone.png: 404" in line for line in found.failures)
    assert found.shift > 0
    assert any("<p" in line for line in found.moved)
    assert any(line.startswith("image-alt") for line in rules)


def validated(validator: str, *paths: Path) -> list[str]:
    """Return what html-validate says of pages, a line each."""
    command = [validator, "--config", str(HERE / "htmlvalidate.json"), "--formatter", "json", *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return [f"{page['filePath']}:{each['line']} {each['ruleId']}: {each['message']}"
            for page in json.loads(done.stdout) for each in page["messages"]]  # fmt: skip


def test_the_html_is_valid(site, validator):
    nothing({"html-validate": validated(validator, *sorted(site.rglob("*.html")))})


INVALID = {
    "no-dup-id": '<p id="a">x</p><p id="a">y</p>',
    "element-permitted-content": "<span><table></table></span>",
    "wcag/h37": '<img src="x.png">',
    "wcag/h63": "<table><tr><th>a</th><th>b</th></tr><tr><th>c</th><td>1</td></tr></table>",
}


@pytest.mark.parametrize("rule", INVALID)
def test_html_that_is_not_valid_is_found(rule, tmp_path, validator):
    page = tmp_path / "page.html"
    page.write_text(f'<!doctype html><html lang="en"><head><title>x</title></head><body>{INVALID[rule]}</body></html>')
    assert {line.split()[1].rstrip(":") for line in validated(validator, page)} == {rule}


def test_the_site_is_built_strictly():
    from mkdocs.config import load_config

    config = load_config(str(HERE.parents[1] / "mkdocs.yml"))
    levels = {f"{part}.{name}": level for part, own in config.validation.items() for name, level in own.items()}
    assert config.strict
    assert len(levels) >= 7
    assert {name: level for name, level in levels.items() if level < logging.WARNING} == {}
