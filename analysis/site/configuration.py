"""Write site.yml, from which the site is built: mkdocs.yml with all pages in the navigation, and what a build states.

The file is JSON, which is YAML as well. It inherits mkdocs.yml, so it holds only what depends on the pages, on the
theme's version and on the environment variables SITE_URL, REPOSITORY_URL and PUBLISHED_*.
"""

import base64
import hashlib
import json
import os
import re
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from analysis import inputs
from analysis.cache import write_if_changed
from analysis.site import cards, catalogue
from analysis.site.catalogue import FEED
from bench import registry

NAME = "site.yml"
EXTENSIONS = ("analysis.site.markdown_html",)  # Python must find this project to load them
ORDERS: dict[str, Callable[[], Sequence[str]]] = {"workloads": registry.workload_names}
INLINE = ("base", "palette", "content", "outdated")  # the templates of the theme's inline scripts
SCRIPT = re.compile("<script>(.*?)</script>", re.DOTALL)
POLICY = (
    "default-src 'none'; script-src 'self' {scripts}; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"
)


def write(folder: Path = inputs.ROOT) -> None:
    """Write site.yml, llms.txt and the social cards, after the pages that they list."""
    docs = folder / "docs"
    write_if_changed(folder / NAME, json.dumps(settings(folder), indent=1) + "\n")
    pages = list(catalogue.pages(docs, navigation(folder)))
    write_if_changed(docs / "llms.txt", catalogue.llms(pages, data_files(docs)))
    cards.write(docs, pages if catalogue.base() else [])


def settings(folder: Path = inputs.ROOT) -> dict[str, Any]:
    """Return what the build's configuration adds to mkdocs.yml."""
    added = {
        "INHERIT": "mkdocs.yml",
        "hooks": [],
        "nav": navigation(folder),
        "markdown_extensions": {name: {} for name in EXTENSIONS},
        "extra": {"policy": policy(folder), **published(folder), **shared(folder)},
    }
    address = repository()
    return {**added, "repo_url": address, "edit_uri": "edit/main/docs/"} if address else added


def repository() -> str:
    """Return the repository's address: REPOSITORY_URL, or the one that a GitHub workflow knows, or nothing."""
    on_github = "/".join(os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY"))
    address = os.environ.get("REPOSITORY_URL") or (on_github if os.environ.get("GITHUB_REPOSITORY") else "")
    return address.rstrip("/")


def navigation(folder: Path) -> list[dict[str, Any]]:
    """Return the navigation of mkdocs.yml; a section that begins with an index page gets the other pages beside it."""
    text = folder.joinpath("mkdocs.yml").read_text(encoding="utf-8")
    nav = yaml.safe_load(text.replace("!ENV", ""))["nav"]  # no environment variable is part of it
    for entry in (entry for item in nav for entry in item.values()):
        if isinstance(entry, list) and isinstance(entry[0], str) and entry[0].endswith("/index.md"):
            entry += [page for page in _beside(folder / "docs", entry[0]) if page not in entry]
    return list(nav)


def _beside(docs: Path, index: str) -> list[str]:
    place = Path(index).parent
    folders = dict.fromkeys((docs / place, docs / "generated" / place))
    pages = {path.stem: path.relative_to(docs).as_posix() for folder in folders for path in folder.glob("*.md")}
    pages.pop("index", None)
    order = ORDERS.get(place.name, lambda: sorted(pages))()  # by name where there is no other order
    return [pages[name] for name in order if name in pages]


def policy(folder: Path) -> str:
    """Return the content security policy of every page: the site's own files, and the theme's inline scripts by hash.

    The scripts are read in the templates, never in built pages, so no script that got into a page is ever allowed.
    """
    digests = (hashlib.sha256(script.encode()).digest() for script in inline_scripts(folder))
    return POLICY.format(scripts=" ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests))


def inline_scripts(folder: Path) -> list[str]:
    """Return the theme's inline scripts, each as overrides/ or else the theme has it.

    Raises:
        ValueError: a script whose text depends on the page has no hash. Override its template.
    """
    places = [folder / "overrides", *_theme()]
    names = [f"partials/javascripts/{name}.html" for name in INLINE]
    files = [next((place / name for place in places if (place / name).exists()), None) for name in names]
    scripts = [script for file in files if file for script in SCRIPT.findall(file.read_text(encoding="utf-8"))]
    if changing := [script for script in scripts if "{{" in script or "{%" in script]:
        raise ValueError(f"this inline script differs between pages, so it has no hash: {changing[0][:80]}")
    return scripts


def _theme() -> list[Path]:
    found = find_spec("material")
    return [Path(place, "templates") for place in (found.submodule_search_locations or ())] if found else []


def shared(folder: Path) -> dict[str, Any]:
    """Return the metadata of pages for other sites. Without an address of the site, return the newest day alone."""
    day, docs, base = catalogue.newest(folder / "results"), folder / "docs", catalogue.base()
    if not base:
        return {"newest": day}
    pages = {page.address: {"title": page.title, "sentence": page.sentence, "image": base + cards.name(page)}
             for page in catalogue.pages(docs, navigation(folder))}  # fmt: skip
    feed = {"feed": f"generated/{FEED}"} if (docs / "generated" / FEED).exists() else {}
    dataset = catalogue.dataset(catalogue.packed(docs), data_files(docs), day)
    return {"newest": day, "cards": pages, "dataset": dataset, **feed}


def data_files(docs: Path) -> list[str]:
    """Return the data files, below docs."""
    return [path.relative_to(docs).as_posix() for path in sorted(docs.joinpath("generated", "data").glob("*"))]


def published(folder: Path) -> dict[str, Any]:
    """Return the metadata of the published version; nothing for a build that is not published."""
    version = os.environ.get("PUBLISHED_VERSION")
    if not version:
        return {}
    root, results = urlsplit(catalogue.base() or f"/{version}/").path, catalogue.packed(folder / "docs")
    stated = {"version": version, "revision": os.environ.get("PUBLISHED_REVISION", ""), "root": root,
             "results": results and results._asdict()}  # fmt: skip
    return {"version": {"provider": "mike", "default": "latest", "alias": True}, "published": stated}
