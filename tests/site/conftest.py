"""The site under test is the one that was built: `nox -s docs` first. It is served to this machine alone."""

import functools
import http.server
import os
import shutil
import sys
import tempfile
import threading
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


def missing(what: str) -> None:
    """Fail in CI, where everything must be there; elsewhere skip, and say what to install."""
    if "CI" in os.environ:
        pytest.fail(what)
    pytest.skip(what)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serve files without a line for each."""

    def log_message(self, *words: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def site() -> Path:
    """Return the folder of the built site."""
    if not (SITE / "index.html").exists():
        missing(f"there is no built site in {SITE.name}/: run nox -s docs")
    return SITE


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Serve the site; yields its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


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
