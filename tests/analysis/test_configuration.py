"""site.yml: what the generator adds to mkdocs.yml, so that a build needs no hook."""

import base64
import hashlib
import json
import re
import shutil
from pathlib import Path

import markdown
import pytest

from analysis import inputs
from analysis.site import configuration
from bench import registry

CODE = ["pymdownx.highlight", "pymdownx.superfences"]
VARIABLES = ("SITE_URL", "REPOSITORY_URL", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA",
             "PUBLISHED_REVISION", "PUBLISHED_VERSION")  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_is_stated(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def project(tmp_path):
    """Return a project with a generated page for each workload and framework, and a page written by hand."""
    kinds = {"workloads": registry.workload_names(), "frameworks": registry.framework_names()}
    pages = [f"generated/{kind}/{name}" for kind, names in kinds.items() for name in ("index", *names)]
    for name in ("index", *pages):
        path = tmp_path / "docs" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# A page")
    shutil.copytree(inputs.ROOT / "overrides", tmp_path / "overrides")
    (tmp_path / "mkdocs.yml").write_text("""
site_url: !ENV [SITE_URL, ""]
nav:
  - Home: index.md
  - Workloads: [generated/workloads/index.md]
  - Frameworks:
      - generated/frameworks/index.md
""")
    return tmp_path


def test_the_navigation_holds_every_workload_and_framework_in_its_order(project):
    configuration.write(project)
    home, workloads, frameworks = json.loads((project / "site.yml").read_text())["nav"]
    assert home == {"Home": "index.md"}
    names = ["index", *registry.workload_names()]
    assert workloads == {"Workloads": [f"generated/workloads/{name}.md" for name in names]}
    names = ["index", *registry.framework_names()]
    assert frameworks == {"Frameworks": [f"generated/frameworks/{name}.md" for name in names]}


def test_the_configuration_of_this_project_has_sections_to_complete():
    nav = configuration.navigation(inputs.ROOT)
    assert {"Workloads", "Frameworks", "Articles"} <= {title for item in nav for title in item}


def test_every_inline_script_of_the_theme_is_the_same_on_all_pages():
    pytest.importorskip("material")
    assert len(configuration.inline_scripts(inputs.ROOT)) >= 4


def test_the_replaced_script_of_the_theme_differs_from_it_by_the_address_alone():
    """So that a new version of the theme with another script is seen."""
    pytest.importorskip("material")
    name = "partials/javascripts/base.html"
    ours, theirs = (
        (place / name).read_text(encoding="utf-8") for place in (inputs.ROOT / "overrides", *configuration._theme())
    )
    script = configuration.SCRIPT.search(theirs)[1]
    root = 'document.querySelector("meta[name=root]").content'
    assert configuration.SCRIPT.search(ours)[1] == script.replace('"{{ config.extra.scope | d(base_url) }}"', root)


def test_an_inline_script_that_differs_between_pages_is_refused(tmp_path):
    pytest.importorskip("material")
    with pytest.raises(ValueError, match="differs between pages"):
        configuration.inline_scripts(tmp_path)  # the theme's own, without this project's overrides


def test_the_policy_allows_scripts_by_hash_alone(project):
    script = project / "overrides" / "partials" / "javascripts" / "base.html"
    for name in configuration.INLINE:
        script.with_name(f"{name}.html").write_text("<script>var a = 1</script>")
    policy = configuration.policy(project)
    digest = base64.b64encode(hashlib.sha256(b"var a = 1").digest()).decode()
    assert f"script-src 'self' 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_without_a_repository_there_is_no_link_to_it(project):
    assert "repo_url" not in configuration.settings(project)


@pytest.mark.parametrize("stated", [
    {"REPOSITORY_URL": "https://forge.example/a/b/"},
    {"GITHUB_SERVER_URL": "https://forge.example", "GITHUB_REPOSITORY": "a/b"},
    {"REPOSITORY_URL": "https://forge.example/a/b", "GITHUB_SERVER_URL": "https://x.example", "GITHUB_REPOSITORY": "c"},
])  # fmt: skip
def test_pages_link_the_repository(project, monkeypatch, stated):
    for name, value in stated.items():
        monkeypatch.setenv(name, value)
    made = configuration.settings(project)
    assert (made["repo_url"], made["edit_uri"]) == ("https://forge.example/a/b", "edit/main/docs/")


def test_a_published_version_has_a_selector_and_its_own_address(project, monkeypatch):
    assert "published" not in configuration.settings(project)["extra"]
    for name, value in {"PUBLISHED_VERSION": "2026.11", "SITE_URL": "https://example.org/rosetta/"}.items():
        monkeypatch.setenv(name, value)
    extra = configuration.settings(project)["extra"]
    assert (extra["version"]["provider"], extra["published"]["root"]) == ("mike", "/rosetta/2026.11/")


def test_a_table_written_in_markdown_can_be_scrolled_by_keyboard():
    written = '| a | b |\n|---|---|\n| 1 | 2 |\n\nafter\n\n<table class="own"><tr><td>1</td></tr></table>\n'
    html = markdown.markdown(written, extensions=["tables", "analysis.site.markdown_html"])
    frame = '<div aria-label="Table" class="frame" role="region" tabindex="0">'
    assert re.sub('<div [^>]*class="frame"[^>]*>', frame, html).count(f'{frame}<table class="measured">') == 1
    assert html.endswith('<p>after</p>\n<table class="own"><tr><td>1</td></tr></table>')


def test_code_keeps_its_text_and_loses_elements_that_change_nothing_a_reader_sees():
    written = "```python\ndef forward(self, x):\n    return self.dense(x) < 2  # logits\n```\n"
    shown = markdown.markdown(written, extensions=[*CODE, "analysis.site.markdown_html"])
    before = markdown.markdown(written, extensions=CODE)
    assert shown != before
    assert re.sub("<[^>]+>", "", shown) == re.sub("<[^>]+>", "", before)
    assert '<span class="k">return</span> self.dense(x) &lt; 2' in shown


def test_the_hook_gives_a_served_page_what_a_built_one_has_but_the_policy(monkeypatch):
    hook = registry.load_module(str(Path(inputs.ROOT, "docs", "hook.py")), "docs_hook")
    monkeypatch.setattr(hook.inputs, "are_current", lambda: True)
    made = hook.on_config({"nav": [], "extra": {}, "markdown_extensions": ["toc"]})
    assert made["nav"] == configuration.navigation(inputs.ROOT)
    assert made["markdown_extensions"] == ["toc", "analysis.site.markdown_html"]
    assert made["extra"]["policy"] is None


def test_reading_the_configuration_for_mike_generates_nothing(monkeypatch):
    hook = registry.load_module(str(Path(inputs.ROOT, "docs", "hook.py")), "docs_hook")
    monkeypatch.setattr(hook.inputs, "are_current", lambda: pytest.fail("looked at the inputs"))
    hook.on_startup("mike", dirty=False)
    assert hook.on_config({"nav": []}) == {"nav": []}
