"""The site for programs: a description of each page, llms.txt, the archive of results, and a schema.org `Dataset`."""

import hashlib
import html
import lzma
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

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
PACKED = (
    "results",
    "LICENSE",
    ":(exclude)results/parity",
)  # answers are proofs of the code, and stay in the repository
ARCHIVE = "results-{}.tar.xz"


class Archive(NamedTuple):
    """The file name of an archive, its size in bytes and its SHA-256."""

    name: str
    size: int
    sha256: str


class Described(NamedTuple):
    """A page; `sentence` is empty if the page has none of this project's own words."""

    address: str  # below the site's
    title: str
    sentence: str


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


def dataset(results: Archive | None, files: Sequence[str], day: str) -> dict[str, Any]:
    """Return the description of the results, as schema.org has it for search engines."""
    downloads: dict[str, dict[str, str]] = {}
    if results:
        downloads[results.name] = {"contentSize": f"{results.size} B", "sha256": results.sha256}
    downloads |= {name: {} for name in files}
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
