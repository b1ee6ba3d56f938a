"""The kinds of pages of a built site, each with the page that stands for it: the largest.

Pages of one folder are of one kind (`generated/workloads/*/`, `articles/*/`); each page at the top is a kind of its
own. A new page or folder is found without an edit here.
"""

from pathlib import Path


def kinds(site: Path) -> dict[str, str]:
    """Return the address, below the site's, of the largest page of each kind, by the kind's name."""
    pages: dict[str, list[Path]] = {}
    for page in sorted(site.rglob("*.html")):
        pages.setdefault(_kind(page.relative_to(site)), []).append(page)
    largest = {kind: max(own, key=lambda page: page.stat().st_size) for kind, own in pages.items()}
    return {kind: page.relative_to(site).as_posix().removesuffix("index.html") for kind, page in largest.items()}


def _kind(page: Path) -> str:
    """Return a page's kind: its own name at the top, else that of its folder."""
    if page.name != "index.html":
        return page.stem
    folders = [name for name in page.parent.parts if name != "generated"]
    return "-".join([*folders[:-1], "each"]) if len(folders) > 1 else "".join(folders) or "home"
