"""Let a bare `mkdocs serve` work in a fresh clone: generate when inputs changed, complete navigation and tables."""

import base64
import hashlib
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.dont_write_bytecode = True  # byte code in a watched folder would start the next build

from analysis import articles, inputs  # noqa: E402
from bench import registry  # noqa: E402

TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)  # as Markdown writes it: without a class
RAW = re.compile('<code class="raw">(.*?)</code>')  # a file of results, as analysis/site/pages/reproduce.py names it
started: list[str] = []  # what MkDocs was asked to do


def on_startup(command: str, dirty: bool) -> None:  # noqa: ARG001
    """Remember whether pages are built, or served with a script of MkDocs that no policy can know."""
    started.append(command)


def allowed(inline: str) -> str:
    """Return inline scripts as a content security policy names them: by their hashes."""
    scripts = re.findall("<script>(.*?)</script>", inline, re.DOTALL)
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    return " ".join(f"'sha256-{digest}'" for digest in digests)


def on_pre_build(config: Any) -> None:  # noqa: ARG001
    """Run the generator when an input changed since it ran last, and only then: its output is watched, too."""
    if not inputs.are_current():
        subprocess.run([sys.executable, "-B", "-m", "analysis", "site"], cwd=ROOT, check=True)


def on_config(config: Any) -> Any:
    """Add the pages that files stand for to the navigation, and the version selector where `mike` deploys a version."""
    workloads = registry.workload_names()
    listed = {
        "Workloads": [f"generated/workloads/{name}.md" for name in workloads],
        "Frameworks": [f"generated/frameworks/{name}.md" for name in registry.framework_names()],
        "Articles": [f"articles/{name}.md" for name in articles.found()],
    }
    for title, pages in listed.items():
        section = next(item[title] for item in config["nav"] if title in item)
        section.extend(page for page in pages if page not in section)
    if "MIKE_DOCS_VERSION" in os.environ:  # elsewhere there is no list of versions to ask for
        config["extra"]["version"] = {"provider": "mike", "default": "latest", "alias": True}
        revision = os.environ.get("PUBLISHED_REVISION", "")
        config["extra"]["published"] = {"version": os.environ["MIKE_DOCS_VERSION"], "revision": revision}
    if "serve" not in started:
        config["extra"]["allow"] = allowed
    return config


def repository() -> str | None:
    """Return where files of this commit are shown, as GitHub does; None where nobody says."""
    on_github = "/".join(os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY"))
    known = os.environ.get("REPOSITORY_URL") or (on_github if "GITHUB_REPOSITORY" in os.environ else "")
    revision = os.environ.get("PUBLISHED_REVISION") or os.environ.get("GITHUB_SHA") or "HEAD"
    return f"{known.rstrip('/')}/blob/{revision}" if known else None


def linked(html: str) -> str:
    """Link the files of raw results to the repository, where it is known."""
    if not (place := repository()):
        return html
    return RAW.sub(lambda code: f'<a href="{place}/{quote(unescape(code[1]))}">{code[0]}</a>', html)


def on_template_context(context: Any, template_name: str, config: Any) -> Any:
    """Let a version's page for addresses that lead nowhere find its parts: mike gives it those of an alias."""
    if template_name == "404.html" and (published := config["extra"].get("published")):
        context["base_url"] = urlsplit(urljoin(config["site_url"], published["version"] + "/")).path
    return context


def on_page_content(html: str, **_: Any) -> str:
    """Give tables written in Markdown what generated ones have: a frame that a keyboard can scroll, and their looks."""
    html = linked(html)
    frame = '<div class="frame" role="region" tabindex="0" aria-label="Table">'
    return TABLE.sub(lambda table: f'{frame}<table class="measured">{table[0].removeprefix("<table>")}</div>', html)
