"""A page of its own for each figure that a page shows, without the theme, so that another site can frame it."""

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from analysis import inputs
from analysis.figures.style import Saved
from analysis.site import template
from analysis.site.links import embedded
from analysis.text.html import Markup

DOCS = inputs.ROOT / "docs"
SHOWN = re.compile(r"generated/figures/([\w.-]+)\.svg")
TITLE = re.compile("<title>(.*?)</title>", re.DOTALL)


def pages(pictures: Iterable[Saved], written: Mapping[str, str]) -> dict[str, str]:
    """Return a page for each figure that one of the written pages shows, by file name."""
    known = {saved.name: saved for saved in pictures}
    places = shown(written)
    return {f"{embedded(name)}index.html": _page(known[name], places[name], written[f"figures/{name}.svg"])
            for name in sorted(places) if name in known}  # fmt: skip


def shown(written: Mapping[str, str]) -> dict[str, str]:
    """Return the address of a page that shows a figure, below the site's, by the figure's name."""
    return {found[1]: _address(page) for page, text in written.items() if page.endswith(".md")
            for found in SHOWN.finditer(text)}  # fmt: skip


def _address(page: str) -> str:
    """Return where a generated page is shown, or the page of docs that a fragment is part of, by its name."""
    name = PurePath(page).with_suffix("")
    if name.parts[0] != "fragments":
        return f"generated/{name}/".replace("/index/", "/")
    own = name.relative_to("fragments")
    places = (each for each in (own, *own.parents) if (DOCS / f"{each}.md").exists())
    return f"{next(places, '')}/".replace("/index/", "/").lstrip("/")


def _page(saved: Saved, place: str, svg: str) -> str:
    found = TITLE.search(svg)
    title = Markup(found[1]) if found else saved.name  # the drawing escapes it
    return template.render("embed.html", title=title, saved=saved, place=place)
