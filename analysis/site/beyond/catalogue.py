"""The site for programs: llms.txt, which lists the pages, and a schema.org `Dataset` of the results."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from analysis.site.archive import Archive
from analysis.site.beyond.described import Described

FEED = "feed.xml"  # below docs/generated; it exists only if the site's address is known
LICENCE = "https://opensource.org/license/mit"
FORMATS = {".csv": "text/csv", ".json": "application/json", ".xz": "application/x-xz"}
ABOUT = (
    "Rosetta Bench trains the same networks in PyTorch, TensorFlow, JAX and Keras, proves that all compute the same "
    "numbers, and publishes the times with confidence intervals."
)


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
    archive = {"contentSize": f"{results.size} B", "sha256": results.sha256} if results else {}
    listed = [(results.name, archive)] if results else []
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
        "distribution": [_download(name, more) for name, more in (*listed, *((name, {}) for name in files))],
    }


def _download(name: str, more: dict[str, str]) -> dict[str, str]:
    kind = FORMATS.get(Path(name).suffix, "application/octet-stream")
    return {"@type": "DataDownload", "contentUrl": f"{base()}{name}", "encodingFormat": kind, **more}
