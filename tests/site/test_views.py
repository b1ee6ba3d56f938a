"""Each kind of page as readers see it, in light and dark, on wide and narrow screens: accessible, quiet and light.

The gate reads two views, the nightly session all four. Two workers read two views at the same time (schedule.py).
`--shots FOLDER` keeps a picture of each page in each view, for a person to look at.
"""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from kinds import kinds
from views import VIEWS, Seen, ask, nothing, picture, read, reading
from weights import too_heavy_page

pytestmark = [pytest.mark.browser, pytest.mark.long]

SCHEMES = {"light": "default", "dark": "slate"}


@pytest.fixture(scope="module", params=VIEWS)
def seen(request, chromium, address, site, axe) -> dict[str, tuple[Seen, list[str]]]:
    """Every kind of page in one view, with what axe finds on it."""
    folder, view, found = request.config.getoption("--shots"), request.param, {}
    with reading(chromium, view) as reader:
        for kind, page in kinds(site).items():
            shown = read(reader, address + page)
            if folder:
                picture(reader, view.width, Path(folder) / f"{kind}-{view}.png")
            found[kind] = shown, ask(axe, reader)
    assert len(found) >= 10
    assert {each.colours for each, _ in found.values()} - {None} == {SCHEMES[view.scheme]}
    return found


def test_axe_finds_nothing(seen):
    nothing({kind: found for kind, (_, found) in seen.items()})


def test_nothing_is_refused_by_the_policy_or_complained_about_in_the_console(seen):
    nothing({kind: each.refused + each.console for kind, (each, _) in seen.items()})


def test_no_request_leaves_the_site_or_fails(seen, address):
    nothing({kind: each.failures for kind, (each, _) in seen.items()})
    nothing({kind: [url for url in each.requests if not url.startswith(address)] for kind, (each, _) in seen.items()})


def test_a_page_has_one_title_and_fits_the_screen(seen, request):
    width = request.node.callspec.params["seen"].width
    assert {kind: each.titles for kind, (each, _) in seen.items() if each.titles != 1} == {}
    assert {kind: each.width for kind, (each, _) in seen.items() if each.width > width} == {}


def test_nothing_moves_while_a_page_appears(seen):
    nothing({kind: each.moved for kind, (each, _) in seen.items() if each.shift})


def test_a_page_takes_few_bytes_to_open(seen, site):
    nothing({kind: too_heavy_page([_file(site, url) for url in each.requests]) for kind, (each, _) in seen.items()})


def _file(site: Path, url: str) -> Path:
    path = site / unquote(urlsplit(url).path).lstrip("/")
    return path / "index.html" if path.is_dir() else path
