"""A page of its own for each figure that a page shows, without the theme, so that another site can frame it."""

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from analysis import inputs
from analysis.figures.style import Saved
from analysis.site import template
from analysis.text.html import Markup

DOCS = inputs.ROOT / "docs"
SHOWN = re.compile(r"generated/figures/([\w.-]+)\.svg")
TITLE = re.compile("<title>(.*?)</title>", re.DOTALL)  # escaped by the drawing


def pages(pictures: Iterable[Saved], written: Mapping[str, str]) -> dict[str, str]:
    """Return a page for each figure that one of the written pages shows, by file name."""
    places = {match[1]: _address(page) for page, text in written.items() if page.endswith(".md")
              for match in SHOWN.finditer(text)}  # fmt: skip
    return {f"embed/{saved.name}/index.html": template.render(
                "embed.html", title=Markup(TITLE.findall(saved.svg)[0]), saved=saved, place=places[saved.name])
            for saved in pictures if saved.name in places}  # fmt: skip


def _address(page: str) -> str:
    """Return where a generated page is shown, or the page of docs that a fragment is part of, by its name."""
    name = PurePath(page).with_suffix("")
    if name.parts[0] == "fragments":
        fragment = name.relative_to("fragments")
        name = next((place for place in (fragment, *fragment.parents) if (DOCS / f"{place}.md").exists()), PurePath())
    else:
        name = "generated" / name
    return f"{name}/".replace("/index/", "/").removeprefix("./")
