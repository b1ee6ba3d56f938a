"""Versions of the site, published to a bare repository and read in a real browser, below a path as on Pages."""

import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from driven import Visitor
from guard import pages
from house import House, cloned
from links import Document, broken
from served import served
from views import VIEWS, ask, read, reading

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
CAMPAIGN = min((ROOT / "results").glob("*/*.jsonl"), key=lambda path: path.stat().st_size)
FIRST = f"{CAMPAIGN.name[:4]}.{CAMPAIGN.name[4:6]}"  # a version is named by the month of its campaign
SECOND, THIRD = f"{FIRST}.1", f"{FIRST}.2"
PAGE = "generated/workloads/mnist_mlp/"
SITE = "https://example.org/rosetta/"  # where the clone believes it will be read


@pytest.fixture(scope="module")
def house(tmp_path_factory) -> House:
    """The first version is built and not pushed, the second is built of another commit, and pushed with the first."""
    made = cloned(ROOT, tmp_path_factory.mktemp("publish"), CAMPAIGN)
    said = made.publish(FIRST, "first", "--url", SITE)
    assert "Not pushed" in said
    assert made.tips()[1] == ""
    made.commit("docs/index.md", "timed fairly", "timed fairly, twice")
    assert "Pushed to origin" in made.publish(SECOND, "second", "--url", SITE, "--push")
    assert made.tips()[0] == made.tips()[1] != ""
    return made


@pytest.fixture(scope="module")
def www(house, tmp_path_factory) -> Path:
    """Return a web server's folder: what the remote shows lies below rosetta/."""
    return _checked_out(house, tmp_path_factory.mktemp("www"))


def _checked_out(house: House, folder: Path) -> Path:
    house.git("clone", "--quiet", "--branch", "gh-pages", str(house.remote), str(folder / "rosetta"), where=folder)
    shutil.rmtree(folder / "rosetta" / ".git")
    return folder


@pytest.fixture(scope="module")
def root(www) -> Iterator[str]:
    """Serve the published site; yields its address."""
    with served(www) as address:
        yield address + "rosetta/"


HIDES_BANNER = "return document.querySelector('[data-md-component=outdated]').hidden"
CHOICES = [f"{SECOND} secondlatest", f"{FIRST} first"]  # the theme sets the alias apart by its style


def listed(visitor: Visitor) -> "Locator":
    return visitor.tab.locator(".md-version__link")


def banner(visitor: Visitor) -> "Locator":
    return visitor.tab.locator("[data-md-component=outdated]")


def test_the_selector_lists_both_versions_and_changing_stays_on_the_page(visitor, root, expect):
    visitor.open(f"{root}{SECOND}/{PAGE}")
    expect(listed(visitor)).to_have_text(CHOICES)
    visitor.do("[...document.querySelectorAll('.md-version__link')].find(a => a.textContent.includes('first')).click()")
    expect(visitor.tab).to_have_url(f"{root}{FIRST}/{PAGE}")
    expect(listed(visitor)).to_have_text(CHOICES)


def test_only_the_old_version_says_that_there_is_a_newer_one(visitor, root, expect):
    visitor.open(f"{root}{FIRST}/method/")
    expect(banner(visitor)).to_be_visible()
    expect(banner(visitor)).to_contain_text(f"You are reading version {FIRST}:")
    banner(visitor).locator("a").click()
    expect(visitor.tab).to_have_url(f"{root}{SECOND}/")
    expect(listed(visitor)).to_have_text(CHOICES)
    assert visitor.do(HIDES_BANNER) is True


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_what_a_version_adds_to_a_page_keeps_nobody_from_reading_it(chromium, root, axe, view, expect):
    with reading(chromium, view) as reader:
        read(reader, f"{root}{FIRST}/method/")
        expect(banner(reader)).to_be_visible()
        expect(listed(reader)).to_have_text(CHOICES)
        assert ask(axe, reader) == []


def test_a_deep_link_to_an_old_version_shows_what_was_published_then(visitor, root):
    visitor.open(f"{root}{FIRST}/")
    assert visitor.tab.inner_text("h1").rstrip("\u00b6") == "The same work in every framework, timed fairly"
    visitor.open(f"{root}{FIRST}/method/#what-may-be-claimed")
    assert visitor.do("return document.querySelector(':target').textContent").startswith("What may be claimed")


@pytest.mark.parametrize("path", ["method/?baseline=jax#what-may-be-claimed", PAGE, ""])
def test_latest_leads_to_the_same_page_of_the_newest_version(visitor, root, path, expect):
    visitor.open(f"{root}latest/{path}")
    expect(visitor.tab).to_have_url(f"{root}{SECOND}/{path}")


def test_the_address_of_the_site_leads_to_the_newest_version(visitor, root, expect):
    visitor.open(root)
    expect(visitor.tab).to_have_url(f"{root}{SECOND}/")


def test_no_page_of_a_version_asks_another_server_or_complains(visitor, root, expect):
    for page in (f"{root}{SECOND}/", f"{root}{FIRST}/{PAGE}", f"{root}404.html"):
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
        assert visitor.tab.locator("a[href$='results.zip']").count() > 0


@pytest.mark.parametrize("version", [FIRST, SECOND])
def test_a_version_s_pages_hold_what_any_page_may(www, version):
    found = pages(www / "rosetta" / version)
    assert {str(path): page.problems for path, page in found.items() if page.problems} == {}


def test_no_address_of_any_version_leads_nowhere(www):
    assert broken(www / "rosetta", "/rosetta/") == []


def test_an_address_that_leads_nowhere_shows_the_newest_version_s_page_for_it_at_any_depth(www):
    text = (www / "rosetta" / "404.html").read_text(encoding="utf-8")
    assert "This page is not here" in text
    addresses = {link.address for link in Document(text).links}
    assert f"/rosetta/{SECOND}/assets/site.css" in addresses
    assert [each for each in addresses if not each.startswith((f"/rosetta/{SECOND}/", "#"))] == []


def test_each_version_holds_the_committed_results_and_its_pages_link_to_them(house, www):
    for version, commit in ((FIRST, "main~1"), (SECOND, "main")):
        shown = www / "rosetta" / version
        page = (shown / PAGE / "index.html").read_text(encoding="utf-8")
        assert '<a href="../../../results.zip">' in page
        assert house.git("rev-parse", "--short=12", commit) in page
        with zipfile.ZipFile(shown / "results.zip") as snapshot:
            files = {name: snapshot.read(name) for name in snapshot.namelist() if not name.endswith("/")}
        committed = house.git("ls-tree", "-r", "--name-only", commit, "results", "LICENSE").splitlines()
        assert sorted(files) == sorted(committed)
        assert all(files[name] == (house.clone / name).read_bytes() for name in committed)


def test_a_version_s_numbers_can_be_derived_again_from_its_snapshot(house, www, tmp_path):
    with zipfile.ZipFile(www / "rosetta" / FIRST / "results.zip") as snapshot:
        snapshot.extractall(tmp_path)
    said = [
        subprocess.run([sys.executable, "-m", "analysis", "summary", str(folder)],
                       cwd=house.clone, capture_output=True, text=True, check=True).stdout
        for folder in (tmp_path / "results", house.clone / "results")
    ]  # fmt: skip
    assert said[0] == said[1]
    assert "PyTorch" in said[0]


def test_the_branch_holds_plain_files_and_says_the_commit_of_each_version(house):
    modes = {line.split()[0] for line in house.git("ls-tree", "-r", "gh-pages").splitlines()}
    assert modes == {"100644"}  # no symbolic link: Pages refuses them
    assert f"Deployed {house.git('rev-parse', '--short', 'main')} to {SECOND}" in house.git(
        "log", "--format=%s", "gh-pages"
    )


def test_the_list_names_versions_newest_first_with_sizes(house):
    lines = house.publish("--list").splitlines()
    assert [line.split()[0] for line in lines] == [SECOND, FIRST, "All"]
    assert all(re.search(r"\d\.\d MB ", line) for line in lines[:2])
    assert lines[0].endswith("(latest)")


REFUSED = {
    f"a version never changes: readers quote it. Publish as {THIRD}.": [FIRST, "again"],
    f"named by the month of its newest campaign, {FIRST}": ["1999.12", "a month without a campaign"],
    f"Publish as {THIRD}": ["v3", "no month at all"],
    "at most 40 printable characters": [THIRD, "x" * 41],
    "printable": [THIRD, "turned\u202eround"],
    f"there is no version 1999.05 to delete; published: {SECOND}, {FIRST}.": ["--delete", "1999.05"],
    "git ls-remote failed": [THIRD, "--push", "--remote", "nowhere"],
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_may_not_be_published_is_refused_and_nothing_changes(house, reason):
    before = house.tips()
    assert reason in house.publish(*REFUSED[reason], "--url", SITE, expect=1)
    assert house.tips() == before


def test_without_an_address_nothing_is_published(house):
    assert "add --url" in house.publish(THIRD, expect=1)


@pytest.mark.parametrize("name", ["results/README.md", "analysis/text/sentences.py", "docs/new.md", "mkdocs.yml"])
def test_what_is_not_committed_is_not_published(house, tmp_path, name):
    spoilt = house.copy(tmp_path)
    with (spoilt.clone / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    said = spoilt.publish(THIRD, "--url", SITE, expect=1)
    assert "only what is committed is published" in said
    assert name in said
    assert spoilt.tips() == house.tips()


def test_a_version_over_its_budget_is_named_and_leaves_no_trace(house, tmp_path):
    spoilt = house.copy(tmp_path)
    spoilt.commit("analysis/publish/versions.py", "VERSION_MEGABYTES = 100", "VERSION_MEGABYTES = 1")
    said = spoilt.publish(THIRD, "too large", "--url", SITE, "--push", expect=1)
    assert "more than the 1 MB" in said
    assert f"Largest: {THIRD}/" in said
    assert spoilt.tips() == house.tips()
    assert spoilt.git("worktree", "list").count("\n") == 0


def test_the_development_version_is_replaced_and_never_the_latest(house, tmp_path):
    other = house.copy(tmp_path)
    other.publish("dev", "--url", SITE, "--push")
    assert other.publish("--list").splitlines()[0].split()[0] == "dev"
    shown = _checked_out(other, tmp_path) / "rosetta"
    assert "latest" in (shown / "index.html").read_text(encoding="utf-8")
    assert f"{SECOND}/" in (shown / "latest" / "index.html").read_text(encoding="utf-8")
    assert "follow the project's latest commit" in (shown / "dev" / "index.html").read_text(encoding="utf-8")
    assert (shown / "404.html").read_bytes() == (shown / SECOND / "404.html").read_bytes()


def test_a_deleted_version_is_gone_and_latest_leads_to_the_newest_that_remains(visitor, house, tmp_path, expect):
    other = house.copy(tmp_path)
    other.publish("--delete", SECOND, "--push")
    shown = tmp_path / "www"
    shown.mkdir()
    _checked_out(other, shown)
    assert not (shown / "rosetta" / SECOND).exists()
    assert (shown / "rosetta" / "404.html").read_bytes() == (shown / "rosetta" / FIRST / "404.html").read_bytes()
    with served(shown) as address:
        visitor.open(f"{address}rosetta/latest/{PAGE}")
        expect(visitor.tab).to_have_url(f"{address}rosetta/{FIRST}/{PAGE}")
        expect(listed(visitor)).to_have_text([f"{FIRST} firstlatest"])
        assert visitor.do(HIDES_BANNER) is True
    assert "is the only version" in other.publish("--delete", FIRST, expect=1)


def test_versions_published_elsewhere_meanwhile_are_not_overwritten(house, tmp_path):
    other = house.copy(tmp_path)
    first = other.git("log", "-1", "--format=%H", f"--grep=to {FIRST} with", "gh-pages")
    other.git("update-ref", "refs/heads/gh-pages", first)  # as a clone that has not seen the second version
    assert f"version {SECOND} is published" in other.publish(SECOND, "--url", SITE, "--push", expect=1)
    parted = other.git("commit-tree", f"{first}^{{tree}}", "-p", first, "-m", "A version of another machine")
    other.git("update-ref", "refs/heads/gh-pages", parted)
    assert "has other versions here than on origin" in other.publish(THIRD, "--url", SITE, expect=1)


def test_a_push_that_fails_leaves_no_trace(house, tmp_path):
    other = house.copy(tmp_path)
    hook = other.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho this branch is closed; exit 1\n")
    hook.chmod(0o755)
    assert "this branch is closed" in other.publish("--delete", FIRST, "--push", expect=1)
    assert other.tips() == house.tips()


def test_a_fresh_clone_knows_what_is_published(house, tmp_path):
    house.git("clone", "--quiet", str(house.remote), str(tmp_path / "fresh"), "--branch", "gh-pages", where=tmp_path)
    fresh = House(tmp_path / "fresh", house.remote)
    fresh.git("fetch", "--quiet", str(house.clone), "main")
    fresh.git("checkout", "--quiet", "--detach", "FETCH_HEAD")
    fresh.git("branch", "--quiet", "-D", "gh-pages")
    assert fresh.publish("--list") == house.publish("--list")
