"""The site under test is the one that was built: `nox -s docs` first. It is served to this machine alone."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "tests" / "analysis"), str(ROOT / "tests" / "hostile")]

import touched  # noqa: E402
from driven import Missing, Visitor, browser, visiting  # noqa: E402
from house import CAMPAIGN, FIRST, SITE_URL, House, cloned  # noqa: E402
from served import served  # noqa: E402

MODULES = Path(__file__).parent / "node_modules"  # what npm installs beside package.json
SITE = Path(os.environ.get("ROSETTA_SITE", ROOT / "site"))


def missing(what: str) -> None:
    """Fail in CI, where everything must be there; elsewhere skip, and say what to install."""
    if "CI" in os.environ:
        pytest.fail(what)
    pytest.skip(what)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a view together where pytest was asked to keep those of a file together."""
    from schedule import ByView

    return ByView(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that take minutes: the other workers would wait for them at the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session")
def site() -> Path:
    """Return the folder of the built site."""
    if not (SITE / "index.html").exists():
        missing(f"there is no built site in {SITE.name}/: run nox -s docs")
    return SITE


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Serve the site; yields its address."""
    with served(site) as url:
        yield url


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Publish one version, and push it; a test that publishes more does so in a copy."""
    made = cloned(ROOT, tmp_path_factory.mktemp("publish"), CAMPAIGN)
    assert "Pushed to origin" in made.publish(FIRST, "first", "--url", SITE_URL, "--push")
    assert made.tips()[0] == made.tips()[1] != ""
    return made


@pytest.fixture(scope="session")
def chromium() -> Iterator["Browser"]:
    """Start one browser for all tests."""
    try:
        with browser() as driven:
            yield driven
    except Missing as reason:
        missing(str(reason))


@pytest.fixture
def visitor(chromium: "Browser") -> Iterator[Visitor]:
    """Let someone come for the first time, with a usual screen, who lets pages use the clipboard."""
    with visiting(chromium) as someone:
        yield someone


@pytest.fixture
def watcher(chromium: "Browser") -> Iterator[Visitor]:
    """Let someone come for the first time, and note what a page would open or is refused."""
    with visiting(chromium, touched.WATCH) as someone:
        yield someone


@pytest.fixture(scope="session")
def expect() -> Any:
    """Return what waits until a part of a page is as expected, and fails where it does not become so."""
    from playwright.sync_api import expect

    return expect


@pytest.fixture(scope="session")
def axe() -> str:
    """Return the script that finds what keeps people from reading a page."""
    return _installed("axe-core/axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def validator() -> str:
    """Return the command that reads HTML and says what is not valid."""
    return str(_installed(".bin/html-validate"))


def _installed(name: str) -> Path:
    if not (MODULES / name).exists() or not shutil.which("node"):
        missing(f"{name} or node is not installed: run nox -s browser, or npm ci in tests/site")
    return MODULES / name
