"""A published version of the site, in a bare repository and in a real browser, below a path as on Pages.

All tests share the version that the fixture `house` publishes. What takes a second one is in test_versions.py.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from driven import Visitor, visiting
from guard import pages
from house import CAMPAIGN, FIRST, PAGE, REPOSITORY_URL, SECOND, SITE_URL, House
from links import Document, broken
from lxml import etree
from served import served
from views import VIEWS, ask, read, reading

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.fixture(scope="module")
def www(house, tmp_path_factory) -> Path:
    """Return a web server's folder: what the remote shows lies below rosetta/."""
    return house.checked_out(tmp_path_factory.mktemp("www"))


@pytest.fixture(scope="module")
def root(www) -> Iterator[str]:
    """Serve the published site; yields its address."""
    with served(www) as address:
        yield address + "rosetta/"


CHOICES = [f"{FIRST} firstlatest"]  # the theme sets the alias apart by its style


def listed(visitor: Visitor) -> "Locator":
    return visitor.tab.locator(".md-version__link")


@pytest.mark.parametrize("view", VIEWS)
def test_the_version_selector_keeps_nobody_from_reading_a_page(chromium, root, axe, view, expect):
    with reading(chromium, view) as reader:
        read(reader, f"{root}{FIRST}/method/")
        expect(listed(reader)).to_have_text(CHOICES)
        assert ask(axe, reader) == []


@pytest.mark.parametrize("path", ["publishing/?baseline=jax#versions", PAGE, ""])
def test_latest_leads_to_the_same_page_of_the_newest_version(visitor, root, path, expect):
    visitor.open(f"{root}latest/{path}")
    expect(visitor.tab).to_have_url(f"{root}{FIRST}/{path}")


def test_the_address_of_the_site_leads_to_the_newest_version(visitor, root, expect):
    visitor.open(root)
    expect(visitor.tab).to_have_url(f"{root}{FIRST}/")


def test_no_page_of_a_version_asks_another_server_or_complains(visitor, root, expect):
    for page in (f"{root}{FIRST}/", f"{root}{FIRST}/{PAGE}", f"{root}404.html"):
        visitor.open(page)
        expect(listed(visitor)).to_have_text(CHOICES)
        assert visitor.console == []
        assert visitor.requests
        assert [url for url in visitor.requests if not url.startswith(root.removesuffix("rosetta/"))] == []


def test_one_version_is_readable_without_the_others(visitor, www, tmp_path):
    shutil.copytree(www / "rosetta" / FIRST, tmp_path / "alone")
    with served(tmp_path) as address:
        visitor.open(f"{address}alone/{PAGE}")
        assert "class Model" in visitor.tab.text_content("article")
        assert visitor.tab.locator("a[href$='.tar.xz']").count() > 0


def test_a_version_s_pages_hold_what_any_page_may(www):
    assert {str(path): page.problems for path, page in pages(www / "rosetta" / FIRST).items() if page.problems} == {}


def test_no_address_of_a_version_leads_nowhere(www):
    assert broken(www / "rosetta", "/rosetta/") == []


def test_an_address_that_leads_nowhere_shows_the_newest_version_s_page_for_it_at_any_depth(www):
    text = (www / "rosetta" / "404.html").read_text(encoding="utf-8")
    assert "This page is not here" in text
    addresses = {link.address for link in Document(text).links}
    assert f"/rosetta/{FIRST}/assets/site.css" in addresses
    assert {each for each in addresses if not each.startswith((f"/rosetta/{FIRST}/", "#"))} == {REPOSITORY_URL}


@pytest.fixture(scope="module")
def archive(www) -> Path:
    """Return the archive of the results that the version was made from."""
    (found,) = (www / "rosetta" / FIRST).glob("results-*.tar.xz")
    return found


def test_a_version_holds_the_committed_results_without_parity_answers_and_its_pages_link_to_them(house, www, archive):
    page = (www / "rosetta" / FIRST / PAGE / "index.html").read_text(encoding="utf-8")
    commit = house.git("rev-parse", "main")
    assert archive.name == f"results-{commit[:12]}.tar.xz"
    assert f'<a href="../../../{archive.name}">Results, 0.' in page
    assert commit[:12] in page
    listed = house.git("ls-tree", "-r", "--name-only", "main", "results", "LICENSE").splitlines()
    wanted = {name for name in listed if not name.startswith("results/parity/")}
    assert any(name.endswith(".npz") for name in listed)
    with tarfile.open(archive) as packed:
        files = {each.name: packed.extractfile(each).read() for each in packed if each.isfile()}
    assert files == {name: (house.clone / name).read_bytes() for name in wanted}


def test_the_archive_has_the_checksum_that_is_published_beside_it(archive, www):
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert archive.with_name(f"{archive.name}.sha256").read_text() == f"{digest}  {archive.name}\n"
    assert f"SHA-256 {digest[:12]}…" in (www / "rosetta" / FIRST / "index.html").read_text(encoding="utf-8")


def test_a_version_s_numbers_can_be_derived_again_from_its_snapshot(house, archive, tmp_path):
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    said = [
        subprocess.run([sys.executable, "-m", "analysis", "summary", str(folder)],
                       cwd=house.clone, capture_output=True, text=True, check=True).stdout
        for folder in (tmp_path / "results", house.clone / "results")
    ]  # fmt: skip
    assert said[0] == said[1]
    assert "PyTorch" in said[0]


def test_data_files_keep_their_addresses_under_latest(www):
    """Mike's alias redirects pages only, and a program follows no script."""
    version, latest = (www / "rosetta" / name for name in (FIRST, "latest"))
    files = [path.relative_to(version) for path in version.glob("generated/data/*")]
    assert {path.suffix for path in files} >= {".csv", ".json"}
    files += [Path("generated/feed.xml"), Path("llms.txt")]
    assert {str(path) for path in files if (latest / path).read_bytes() != (version / path).read_bytes()} == set()


def test_the_repository_is_linked_from_every_page_and_its_source_where_there_is_one(www):
    version = www / "rosetta" / FIRST
    for page, source in (("method/", f"{REPOSITORY_URL}/edit/main/docs/method.md"), (PAGE, None)):
        addresses = [link.address for link in Document((version / page / "index.html").read_text("utf-8")).links]
        assert REPOSITORY_URL in addresses
        assert [each for each in addresses if "/edit/" in each] == ([source] if source else [])


def test_the_branch_holds_plain_files_and_says_the_commit_of_a_version(house):
    modes = {line.split()[0] for line in house.git("ls-tree", "-r", "gh-pages").splitlines()}
    assert modes == {"100644"}  # no symbolic link: Pages refuses them
    assert f"Deployed {house.git('rev-parse', '--short', 'main')} to {FIRST}" in house.git(
        "log", "--format=%s", "gh-pages"
    )


def test_the_list_names_a_version_with_its_size(house):
    lines = house.publish("--list").splitlines()
    assert [line.split()[0] for line in lines] == [FIRST, "All"]
    assert re.search(r"\d\.\d MB ", lines[0])
    assert lines[0].endswith("(latest)")


REFUSED = {
    f"a version never changes: readers quote it. Publish as {SECOND}.": [FIRST, "again"],
    f"named by the month of its newest campaign, {FIRST}": ["1999.12", "a month without a campaign"],
    f"Publish as {SECOND}": ["v3", "no month at all"],
    "at most 40 printable characters": [SECOND, "x" * 41],
    "printable": [SECOND, "turned\u202eround"],
    f"there is no version 1999.05 to delete; published: {FIRST}.": ["--delete", "1999.05"],
    f"{FIRST} is the only version": ["--delete", FIRST],
    "git ls-remote failed": [SECOND, "--push", "--remote", "nowhere"],
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_may_not_be_published_is_refused_and_nothing_changes(house, reason):
    before = house.tips()
    assert reason in house.publish(*REFUSED[reason], "--url", SITE_URL, expect=1)
    assert house.tips() == before


def test_without_an_address_nothing_is_published(house):
    assert "Add --url" in house.publish(SECOND, expect=1)


@pytest.mark.parametrize("name", ["results/README.md", "analysis/text/sentences.py", "docs/new.md", "mkdocs.yml"])
def test_what_is_not_committed_is_not_published(house, tmp_path, name):
    spoilt = house.copy(tmp_path)
    with (spoilt.clone / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    said = spoilt.publish(SECOND, "--url", SITE_URL, expect=1)
    assert "only what is committed is published" in said
    assert name in said
    assert spoilt.tips() == house.tips()


def test_a_fresh_clone_knows_what_is_published(house, tmp_path):
    house.git("clone", "--quiet", str(house.remote), str(tmp_path / "fresh"), "--branch", "gh-pages", where=tmp_path)
    fresh = House(tmp_path / "fresh", house.remote)
    fresh.git("fetch", "--quiet", str(house.clone), "main")
    fresh.git("checkout", "--quiet", "--detach", "FETCH_HEAD")
    fresh.git("branch", "--quiet", "-D", "gh-pages")
    assert fresh.publish("--list") == house.publish("--list")


def test_the_version_describes_its_results_and_pages_to_other_sites(visitor, root, www, archive):
    """JSON-LD is data, which the page's policy lets through; the browser is asked."""
    visitor.open(f"{root}{FIRST}/")
    (text,) = visitor.tab.locator("script[type='application/ld+json']").all_text_contents()
    about = json.loads(text)
    assert about["@type"] == "Dataset"
    packed = next(each for each in about["distribution"] if each["contentUrl"].endswith(archive.name))
    assert packed["contentUrl"] == f"{SITE_URL}{FIRST}/{archive.name}"
    assert packed["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    assert visitor.console == []
    for page in ("", "method/", PAGE):
        text = (www / "rosetta" / FIRST / page / "index.html").read_text(encoding="utf-8")
        card = re.search(rf'<meta property="og:image" content="{SITE_URL}{FIRST}/(cards/[\w-]+\.png)">', text)
        content = (www / "rosetta" / FIRST / card[1]).read_bytes()
        assert content.startswith(b"\x89PNG")
        assert len(content) <= 25_000


def test_the_feed_names_the_version_with_its_address(www):
    feed = etree.parse(www / "rosetta" / "latest" / "generated" / "feed.xml").getroot()
    atom = {"a": "http://www.w3.org/2005/Atom"}
    entry = next(each for each in feed.iterfind("a:entry", atom) if FIRST in each.findtext("a:title", "", atom))
    assert entry.find("a:link", atom).get("href") == f"{SITE_URL}{FIRST}/"


def test_a_page_says_how_old_its_results_are_by_the_reader_s_clock(visitor, chromium, root):
    day = f"{CAMPAIGN.name[:4]}-{CAMPAIGN.name[4:6]}-{CAMPAIGN.name[6:8]}"
    visitor.tab.clock.set_fixed_time(f"{day}T12:00:00Z")
    visitor.open(f"{root}{FIRST}/")
    assert visitor.tab.locator("footer time.age").text_content() == f"{day} (today)"
    visitor.tab.clock.set_fixed_time(f"{int(day[:4]) + 1}{day[4:]}T12:00:00Z")
    visitor.open(f"{root}{FIRST}/")
    assert visitor.tab.locator("footer time.age").text_content() == f"{day} (11 months ago)"
    with visiting(chromium, java_script_enabled=False) as reader:
        reader.open(f"{root}{FIRST}/")
        assert reader.tab.locator("footer time.age").text_content() == day
