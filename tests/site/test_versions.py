"""Several published versions of the site: how a reader changes between them, and what publishing never overwrites.

They take further builds of the site, and run at night. What one version promises is in test_publish.py.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from driven import Visitor
from guard import pages
from house import FIRST, PAGE, SECOND, SITE_URL, THIRD, House
from links import broken
from served import served
from views import VIEWS, ask, read, reading

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.nightly]

HIDES_BANNER = "return document.querySelector('[data-md-component=outdated]').hidden"
CHOICES = [f"{SECOND} secondlatest", f"{FIRST} first"]  # the theme sets the alias apart by its style


@pytest.fixture(scope="module")
def unpushed(house, tmp_path_factory) -> House:
    """Publish a second version of another commit, without a push."""
    made = house.copy(tmp_path_factory.mktemp("unpushed"))
    made.commit("docs/publishing.md", "# Publish a version", "# Publish a version again")
    assert "Not pushed" in made.publish(SECOND, "second", "--url", SITE_URL)
    assert made.tips()[0] != made.tips()[1] == house.tips()[1]
    return made


@pytest.fixture(scope="module")
def both(unpushed, tmp_path_factory) -> House:
    """Push the second version, as docs/publishing.md says."""
    made = unpushed.copy(tmp_path_factory.mktemp("both"))
    made.git("push", "--quiet", "origin", "gh-pages")
    return made


@pytest.fixture(scope="module")
def www(both, tmp_path_factory) -> Path:
    """Return a web server's folder: what the remote shows lies below rosetta/."""
    return both.checked_out(tmp_path_factory.mktemp("www"))


@pytest.fixture(scope="module")
def root(www) -> Iterator[str]:
    """Serve both versions; yields their address."""
    with served(www) as address:
        yield address + "rosetta/"


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
    visitor.open(f"{root}{FIRST}/publishing/")
    expect(banner(visitor)).to_be_visible()
    expect(banner(visitor)).to_contain_text(f"You are reading version {FIRST}:")
    banner(visitor).locator("a").click()
    expect(visitor.tab).to_have_url(f"{root}{SECOND}/")
    expect(listed(visitor)).to_have_text(CHOICES)
    assert visitor.do(HIDES_BANNER) is True


@pytest.mark.parametrize("view", VIEWS)
def test_what_an_old_version_adds_to_a_page_keeps_nobody_from_reading_it(chromium, root, axe, view, expect):
    with reading(chromium, view) as reader:
        read(reader, f"{root}{FIRST}/publishing/")
        expect(banner(reader)).to_be_visible()
        expect(listed(reader)).to_have_text(CHOICES)
        assert ask(axe, reader) == []


def test_a_deep_link_to_an_old_version_shows_what_was_published_then(visitor, root):
    for version, title in ((FIRST, "Publish a version"), (SECOND, "Publish a version again")):
        visitor.open(f"{root}{version}/publishing/")
        assert visitor.tab.inner_text("h1").rstrip("\u00b6") == title
    visitor.open(f"{root}{FIRST}/publishing/#versions")
    assert visitor.do("return document.querySelector(':target').textContent").startswith("Versions")


@pytest.mark.parametrize("path", ["publishing/?baseline=jax#versions", ""])
def test_latest_leads_to_the_second_version(visitor, root, path, expect):
    visitor.open(f"{root}latest/{path}")
    expect(visitor.tab).to_have_url(f"{root}{SECOND}/{path}")


def test_no_address_of_any_version_leads_nowhere_and_pages_hold_what_any_page_may(www):
    assert broken(www / "rosetta", "/rosetta/") == []
    assert {str(path): page.problems for path, page in pages(www / "rosetta" / SECOND).items() if page.problems} == {}
    lost, newest = (www / "rosetta" / each / "404.html" for each in ("", SECOND))
    assert lost.read_bytes() == newest.read_bytes()


def test_each_version_says_the_commit_that_it_was_built_from(both, www):
    for version, commit in ((FIRST, "main~1"), (SECOND, "main")):
        page = (www / "rosetta" / version / PAGE / "index.html").read_text(encoding="utf-8")
        assert both.git("rev-parse", "--short=12", commit) in page
        assert (www / "rosetta" / version / f"results-{both.git('rev-parse', '--short=12', commit)}.tar.xz").exists()
    assert f"Deployed {both.git('rev-parse', '--short', 'main')} to {SECOND}" in both.git(
        "log", "--format=%s", "gh-pages"
    )


def test_the_list_names_versions_newest_first(both):
    lines = both.publish("--list").splitlines()
    assert [line.split()[0] for line in lines] == [SECOND, FIRST, "All"]
    assert lines[0].endswith("(latest)")


REFUSED = {
    f"a version never changes: readers quote it. Publish as {THIRD}.": [FIRST, "again"],
    f"there is no version 1999.05 to delete; published: {SECOND}, {FIRST}.": ["--delete", "1999.05"],
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_refused_names_all_that_is_published(both, reason):
    before = both.tips()
    assert reason in both.publish(*REFUSED[reason], "--url", SITE_URL, expect=1)
    assert both.tips() == before


def test_a_version_over_its_budget_is_named_and_leaves_no_trace(house, tmp_path):
    spoilt = house.copy(tmp_path)
    spoilt.commit("analysis/publish/versions.py", "VERSION_MEGABYTES = 15", "VERSION_MEGABYTES = 1")
    said = spoilt.publish(SECOND, "too large", "--url", SITE_URL, "--push", expect=1)
    assert "more than the 1 MB" in said
    assert f"Largest: {SECOND}/" in said
    assert spoilt.tips() == house.tips()
    assert spoilt.git("worktree", "list").count("\n") == 0


def test_the_development_version_is_never_the_latest_and_is_pushed_with_what_waits(unpushed, tmp_path):
    other = unpushed.copy(tmp_path)
    other.publish("dev", "--url", SITE_URL, "--push")
    assert other.publish("--list").splitlines()[0].split()[0] == "dev"
    shown = other.checked_out(tmp_path) / "rosetta"
    assert "latest" in (shown / "index.html").read_text(encoding="utf-8")
    assert f"{SECOND}/" in (shown / "latest" / "index.html").read_text(encoding="utf-8")
    assert "follow the project's latest commit" in (shown / "dev" / "index.html").read_text(encoding="utf-8")
    assert (shown / "404.html").read_bytes() == (shown / SECOND / "404.html").read_bytes()


def test_a_deleted_version_is_gone_and_latest_leads_to_the_newest_that_remains(visitor, both, tmp_path, expect):
    other = both.copy(tmp_path)
    other.publish("--delete", SECOND, "--push")
    shown = tmp_path / "www"
    shown.mkdir()
    other.checked_out(shown)
    assert not (shown / "rosetta" / SECOND).exists()
    assert (shown / "rosetta" / "404.html").read_bytes() == (shown / "rosetta" / FIRST / "404.html").read_bytes()
    with served(shown) as address:
        visitor.open(f"{address}rosetta/latest/{PAGE}")
        expect(visitor.tab).to_have_url(f"{address}rosetta/{FIRST}/{PAGE}")
        expect(listed(visitor)).to_have_text([f"{FIRST} firstlatest"])
        assert visitor.do(HIDES_BANNER) is True


def test_versions_published_elsewhere_meanwhile_are_not_overwritten(both, tmp_path):
    other = both.copy(tmp_path)
    first = other.git("log", "-1", "--format=%H", f"--grep=to {FIRST} with", "gh-pages")
    other.git("update-ref", "refs/heads/gh-pages", first)  # as a clone that has not seen the second version
    assert f"version {SECOND} is published" in other.publish(SECOND, "--url", SITE_URL, "--push", expect=1)
    parted = other.git("commit-tree", f"{first}^{{tree}}", "-p", first, "-m", "A version of another machine")
    other.git("update-ref", "refs/heads/gh-pages", parted)
    assert "has other versions here than on origin" in other.publish(THIRD, "--url", SITE_URL, expect=1)


def test_a_push_that_fails_leaves_no_trace(both, tmp_path):
    other = both.copy(tmp_path)
    hook = other.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho this branch is closed; exit 1\n")
    hook.chmod(0o755)
    assert "this branch is closed" in other.publish("--delete", FIRST, "--push", expect=1)
    assert other.tips() == both.tips()
