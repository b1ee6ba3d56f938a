"""How much of a built site a reader downloads, and what of it is over its budget. Sizes are bytes; KB are thousands."""

import functools
import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path

PAGE = 200_000  # compressed, with style sheets, scripts and data, without figures
FIGURE, COMPRESSED_FIGURE = 80_000, 15_000
DATA = 150_000  # one file of data, compressed
FILE = 5_000_000
SITE = 100_000_000

IMAGES = {".svg", ".png", ".webp", ".jpg", ".ico"}


def too_heavy(site: Path) -> list[str]:
    """Return a line for each file over its budget, the largest first, and one for the site where it is over its own."""
    files = {path: path.stat().st_size for path in site.rglob("*") if path.is_file()}
    lines = [(size, f"{path.relative_to(site)}: {line}") for path, size in files.items() for line in _over(path, size)]
    return [line for _, line in sorted(lines, reverse=True)] + list(_limit("the site", sum(files.values()), SITE))


def _over(path: Path, size: int) -> Iterator[str]:
    yield from _limit("size", size, FILE)
    if path.suffix == ".svg":
        yield from _limit("figure", size, FIGURE)
        yield from _limit("figure, compressed", compressed(path), COMPRESSED_FIGURE)
    if path.suffix == ".json":
        yield from _limit("data, compressed", compressed(path), DATA)


def too_heavy_page(files: Iterable[Path]) -> list[str]:
    """Return a line when what a page's opening asked for, to show anything, is over the budget, with the largest."""
    sizes = {path: compressed(path) for path in files if path.suffix not in IMAGES}
    largest = sorted(sizes.items(), key=lambda file: -file[1])[:4]
    named = ", ".join(f"{path.name} {size / 1e3:.0f}" for path, size in largest)
    return [f"{line}; largest: {named}" for line in _limit("page, compressed", sum(sizes.values()), PAGE)]


def _limit(what: str, size: int, most: int) -> Iterator[str]:
    if size > most:
        yield f"{what} {size / 1e3:,.0f} KB, at most {most / 1e3:,.0f}"


@functools.cache
def compressed(path: Path) -> int:
    """Return a file's size as a web server sends it: compressed with gzip, as Pages does."""
    return len(gzip.compress(path.read_bytes(), 6))
