"""Social cards: a small picture with a page's title and sentence, for those who link to the page elsewhere."""

import hashlib
import io
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from analysis import inputs

FOLDER = "cards"  # below docs; not below docs/generated, because a card exists only if the site's address is known
SIZE = (800, 420)  # pixels
MARGIN = 46
BACKGROUND, INK, ACCENT = (26, 32, 56), (255, 255, 255), (255, 176, 0)
BETWEEN = (140, 144, 156)  # at the edges of letters


class Described(NamedTuple):
    """A page; `sentence` is empty if the page has none of this project's own words."""

    address: str  # below the site's
    title: str
    sentence: str


def name(page: Described) -> str:
    """Return the file of a page's card, below docs."""
    return f"{FOLDER}/{page.address.replace('generated/', '').strip('/').replace('/', '-') or 'home'}.png"


def write(docs: Path, pages: Iterable[Described]) -> None:
    """Write a card for each page, and remove other cards. A card that has not changed is not drawn again."""
    wanted = {docs / name(page): page for page in pages}
    docs.joinpath(FOLDER).mkdir(exist_ok=True)
    for path in set(docs.joinpath(FOLDER).iterdir()) - set(wanted):
        path.unlink()
    for path, page in wanted.items():
        if not path.exists() or _drawn_from(path) != _digest(page):
            path.write_bytes(draw(page))


def draw(page: Described) -> bytes:
    """Return a page's card as PNG with 4 colours. The same page gives the same bytes."""
    image, palette = Image.new("RGB", SIZE, BACKGROUND), Image.new("P", (1, 1))
    drawing = ImageDraw.Draw(image)
    drawing.rectangle((0, 0, 16, SIZE[1]), fill=ACCENT)
    top = _lines(drawing, page.title, "DejaVuSans-Bold.ttf", 45, 26, 3, 60)
    _lines(drawing, page.sentence, "DejaVuSans.ttf", 24, 50, 4, top + 26)
    _lines(drawing, "Rosetta Bench", "DejaVuSans-Bold.ttf", 21, 40, 1, SIZE[1] - MARGIN - 21)
    palette.putpalette([*BACKGROUND, *BETWEEN, *INK, *ACCENT])
    source, buffer = PngInfo(), io.BytesIO()
    source.add_text("source", _digest(page))
    card = image.quantize(palette=palette, dither=Image.Dither.NONE)
    card.save(buffer, "PNG", compress_level=9, bits=2, pnginfo=source)
    return buffer.getvalue()


def _lines(drawing: ImageDraw.ImageDraw, text: str, face: str, size: int, width: int, most: int, top: int) -> int:
    """Write a text in lines of `width` characters, at most so many; returns where it ends, in pixels from the top."""
    import matplotlib as mpl  # only where a card is drawn; its fonts are the same on every machine

    font = ImageFont.truetype(Path(mpl.get_data_path(), "fonts", "ttf", face), size)
    for line in textwrap.wrap(text, width, max_lines=most, placeholder=" …"):
        drawing.text((MARGIN, top), line, fill=INK, font=font)
        top += round(size * 1.25)
    return top


def _drawn_from(path: Path) -> str:
    with Image.open(path) as image:
        return str(image.info.get("source", ""))


def _digest(page: Described) -> str:
    return hashlib.sha256(f"{inputs.version('pillow')} {BETWEEN} {page}".encode()).hexdigest()[:16]
