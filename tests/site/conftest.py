"""The site under test is the one that was built: `nox -s docs` first. It is served to this machine alone."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(os.environ.get("ROSETTA_SITE", ROOT / "site"))
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--disable-dev-shm-usage", "--window-size=1280,900",
)  # fmt: skip

sys.path.insert(0, str(Path(__file__).parent))
from serving import serving  # noqa: E402


def missing(what: str) -> None:
    """Fail in CI, where everything must be there; elsewhere skip, and say what to install."""
    if "CI" in os.environ:
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def site() -> Path:
    """Return the folder of the built site."""
    if not (SITE / "index.html").exists():
        missing(f"there is no built site in {SITE.name}/: run nox -s docs")
    return SITE


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Serve the site; yields its address."""
    with serving(site) as served:
        yield served


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """Start one browser with a profile of its own."""
    binary, driver = (shutil.which(name) for name in ("chromium", "chromedriver"))
    if not binary or not driver:
        missing("the browser tests need Debian's packages chromium and chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver", reason="pip install -r tests/requirements-browser.txt")
    from selenium.webdriver.chrome.service import Service

    profile = tempfile.mkdtemp(prefix="rosetta-browser-")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    yield browser
    browser.quit()
    shutil.rmtree(profile, ignore_errors=True)
