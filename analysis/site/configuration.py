"""Write site.yml, from which the site is built, and llms.txt, the archive of results and a schema.org `Dataset`.

site.yml is JSON, which is YAML as well. It inherits mkdocs.yml, so it holds only what depends on the pages, on the
theme's version and on the environment variables SITE_URL, REPOSITORY_URL and PUBLISHED_*.
"""

import base64
import hashlib
import html
import json
import lzma
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import yaml

from analysis import inputs
from analysis.cache import write_if_changed
from analysis.site import cards
from analysis.site.cards import Described
from bench import registry

NAME = "site.yml"
FEED = "feed.xml"  # below docs/generated; it exists only if the site's address is known
LICENCE = "https://opensource.org/license/mit"
FORMATS = {".csv": "text/csv", ".json": "application/json", ".xz": "application/x-xz"}
ABOUT = (
    "Rosetta Bench trains the same networks in PyTorch, TensorFlow, JAX and Keras. It proves that all compute the same "
    "numbers, and publishes the times with confidence intervals."
)
FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
TITLE = re.compile(r"^# (.+?)(?: \{.*\})?$", re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
NO_PROSE = ("<", "#", "-", "|", "```", "{", "?", "!", ">", "*")  # what begins a block other than a plain paragraph
SENTENCE = re.compile(r"(?<=[.?!])(?<!al\.) (?=[A-Z\"`])")
PACKED = ("results", "LICENSE", ":(exclude)results/parity")  # answers are proofs of the code in the repository
ARCHIVE = "results-{}.tar.xz"
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
    described = list(pages(docs, navigation(folder)))
    write_if_changed(docs / "llms.txt", llms(described, data_files(docs)))
    cards.write(docs, described if base() else [])


def settings(folder: Path = inputs.ROOT) -> dict[str, object]:
    """Return what the build's configuration adds to mkdocs.yml."""
    address = repository()
    edited = {"repo_url": address, "edit_uri": "edit/main/docs/"} if address else {}
    return {
        "INHERIT": "mkdocs.yml",
        "hooks": [],
        "nav": navigation(folder),
        "markdown_extensions": {"analysis.site.markdown_html": {}},  # Python must find this project to load it
        "extra": {"policy": policy(folder), **published(folder), **shared(folder)},
        **edited,
    }


def repository() -> str:
    """Return the repository's address: REPOSITORY_URL, or the one that a GitHub workflow knows, or nothing."""
    on_github = "/".join(os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY"))
    address = os.environ.get("REPOSITORY_URL") or (on_github if os.environ.get("GITHUB_REPOSITORY") else "")
    return address.rstrip("/")


def navigation(folder: Path) -> list[dict[str, object]]:
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
    order = registry.workload_names() if place.name == "workloads" else sorted(pages)
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


def shared(folder: Path) -> dict[str, object]:
    """Return the metadata of pages for other sites. Without an address of the site, return the newest day alone."""
    day, docs = newest(folder / "results"), folder / "docs"
    if not base():
        return {"newest": day}
    described = {page.address: {"title": page.title, "sentence": page.sentence, "image": base() + cards.name(page)}
                 for page in pages(docs, navigation(folder))}  # fmt: skip
    feed = {"feed": f"generated/{FEED}"} if (docs / "generated" / FEED).exists() else {}
    return {"newest": day, "cards": described, "dataset": dataset(packed(docs), data_files(docs), day), **feed}


def data_files(docs: Path) -> list[str]:
    """Return the data files, below docs."""
    return [path.relative_to(docs).as_posix() for path in sorted(docs.joinpath("generated", "data").glob("*"))]


def published(folder: Path) -> dict[str, object]:
    """Return the metadata of the published version; nothing for a build that is not published."""
    version = os.environ.get("PUBLISHED_VERSION")
    if not version:
        return {}
    root, results = urlsplit(base() or f"/{version}/").path, packed(folder / "docs")
    stated = {"version": version, "revision": os.environ.get("PUBLISHED_REVISION", ""), "root": root,
             "results": results and results._asdict()}  # fmt: skip
    return {"version": {"provider": "mike", "default": "latest", "alias": True}, "published": stated}


class Archive(NamedTuple):
    """The file name of an archive, its size in bytes and its SHA-256."""

    name: str
    size: int
    sha256: str


def base() -> str:
    """Return the address of this build with a slash at its end; empty if SITE_URL does not state the site's."""
    site = os.environ.get("SITE_URL", "").rstrip("/")
    version = os.environ.get("PUBLISHED_VERSION", "")
    return f"{site}/{version}".rstrip("/") + "/" if site else ""


def newest(results: Path) -> str:
    """Return the day on which the newest campaign began, as 2026-11-28; empty without one."""
    days = [path.name[:8] for path in results.glob("*/*.jsonl") if path.name[:8].isdecimal()]
    return f"{max(days)[:4]}-{max(days)[4:6]}-{max(days)[6:]}" if days else ""


def llms(pages: Iterable[Described], files: Sequence[str]) -> str:
    """Return llms.txt (llmstxt.org): what the site is, and a line for each page and data file."""
    listed = [f"- [{page.title}]({base()}{page.address}){page.sentence and f': {page.sentence}'}" for page in pages]
    data = [f"- [{Path(name).name}]({base()}{name})" for name in files]
    return "\n".join(["# Rosetta Bench", "", f"> {ABOUT}", "", "## Pages", "", *listed, "", "## Data", "", *data, ""])


def dataset(results: Archive | None, files: Sequence[str], day: str) -> dict[str, object]:
    """Return the description of the results, as schema.org has it for search engines."""
    packed = {results.name: {"contentSize": f"{results.size} B", "sha256": results.sha256}} if results else {}
    downloads = {**packed, **{name: {} for name in files}}
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": "Rosetta Bench results",
        "description": ABOUT,
        "url": base(),
        "license": LICENCE,
        "isAccessibleForFree": True,
        "creator": {"@type": "Organization", "name": "The Rosetta Bench team", "url": base()},
        "keywords": ["benchmark", "deep learning", "PyTorch", "TensorFlow", "JAX", "Keras"],
        "dateModified": day,
        "distribution": [{"@type": "DataDownload", "contentUrl": f"{base()}{name}",
                          "encodingFormat": FORMATS.get(Path(name).suffix, "application/octet-stream"), **more}
                         for name, more in downloads.items()],
    }  # fmt: skip


def pack(tree: Path, revision: str, folder: Path) -> None:
    """Write the archive of a commit's results into a folder, and its checksum as `sha256sum --check` reads it.

    The same commit gives the same bytes.
    """
    command = ["git", "archive", "--format=tar", revision, *PACKED]
    files = subprocess.run(command, cwd=tree, capture_output=True, check=True).stdout
    content = lzma.compress(files, preset=9 | lzma.PRESET_EXTREME)
    file = folder / ARCHIVE.format(revision[:12])
    file.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    file.with_name(f"{file.name}.sha256").write_text(f"{digest}  {file.name}\n", encoding="ascii")


def packed(folder: Path) -> Archive | None:
    """Return the archive that a folder holds."""
    file = next(iter(folder.glob(ARCHIVE.format("*"))), None)
    if file is None:
        return None
    digest = file.with_name(f"{file.name}.sha256").read_text(encoding="ascii").split()[0]
    return Archive(file.name, file.stat().st_size, digest)


def pages(docs: Path, nav: list[Any]) -> Iterator[Described]:
    """Yield the pages of a navigation in its order."""
    for item in nav:
        if isinstance(item, dict):
            yield from pages(docs, list(item.values()))
        elif isinstance(item, list):
            yield from pages(docs, item)
        elif (docs / item).exists():
            yield page(docs, item)


def page(docs: Path, name: str) -> Described:
    """Return the address, the title and one sentence of a page.

    The sentence is the `description` of its front matter, or the first one below the title. A paragraph with character
    references is skipped, because text from results is written so.
    """
    text = (docs / name).read_text(encoding="utf-8")
    front = FRONT.match(text)
    stated, body = (yaml.safe_load(front[1]), text[front.end() :]) if front else ({}, text)
    title = TITLE.search(body)
    prose = (body[title.end() :] if title else body).strip().partition("\n\n")[0]
    is_ours = not prose.startswith(NO_PROSE) and "&#" not in prose
    sentence = stated.get("description") or (SENTENCE.split(_plain(prose))[0] if is_ours else "")
    address = re.sub(r"(^|/)index/$", r"\1", f"{name.removesuffix('.md')}/")
    return Described(address, _plain(title[1]) if title else stated.get("title", ""), sentence)


def _plain(text: str) -> str:
    """Return Markdown as plain text on one line."""
    return html.unescape(" ".join(LINK.sub(r"\1", text).replace("`", "").replace("**", "").split()))
