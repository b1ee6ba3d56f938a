"""What the publication of a version decides by itself; tests/site/test_publish.py publishes and reads real ones."""

import pytest

from analysis.publish import gh_pages, versions

REMOTES = {
    "https://github.com/Lab/rosetta": "https://lab.github.io/rosetta",
    "https://github.com/Lab/rosetta.git": "https://lab.github.io/rosetta",
    "https://reader@github.com/Lab/rosetta/": "https://lab.github.io/rosetta",
    "git@github.com:Lab/rosetta.git": "https://lab.github.io/rosetta",
    "ssh://git@github.com/Lab/rosetta.git": "https://lab.github.io/rosetta",
    "git@github.com:Lab/lab.github.io.git": "https://lab.github.io/",
    "https://example.org/Lab/rosetta.git": None,
    "https://notgithub.com/Lab/rosetta.git": None,
    "/srv/git/rosetta.git": None,
}


@pytest.mark.parametrize("remote", REMOTES)
def test_the_address_of_pages_follows_from_the_remote(remote):
    assert versions.pages_address(remote) == REMOTES[remote]


@pytest.mark.parametrize("remote", REMOTES)
def test_raw_results_are_linked_where_the_remote_tells_the_repository(remote, monkeypatch):
    monkeypatch.delenv("REPOSITORY_URL", raising=False)
    monkeypatch.setattr(versions, "_url", lambda _: remote)
    name = "lab.github.io" if "lab.github.io" in remote else "rosetta"
    assert versions.repository("origin") == (f"https://github.com/Lab/{name}" if REMOTES[remote] else "")
    monkeypatch.setenv("REPOSITORY_URL", "https://forge.example/a/b")
    assert versions.repository("origin") == "https://forge.example/a/b"


def test_an_address_that_is_given_wins_and_ends_with_a_slash(monkeypatch):
    monkeypatch.setenv("SITE_URL", "https://example.org/pages")
    assert versions.address(None, "origin") == "https://example.org/pages/"
    assert versions.address("https://example.org/mine/", "origin") == "https://example.org/mine/"


@pytest.mark.parametrize("wrong", [[], ["2026.11", "--list"], ["--list", "--delete", "2026.11"], ["a", "b", "c"]])
def test_a_command_that_means_nothing_or_two_things_is_not_guessed(wrong, capsys):
    with pytest.raises(SystemExit) as stopped:
        versions.main(wrong)
    assert stopped.value.code == 2
    assert "usage: nox -s publish -- " in capsys.readouterr().err


def test_the_version_with_the_largest_number_is_the_latest_and_the_development_version_never_is():
    published = ["dev", "2026.11.2", "2026.11", "2026.9"]
    asked = ("2026.10", "2026.11.1", "2026.11.10", "2026.12", "dev")
    assert [name for name in asked if versions.is_latest(name, published)] == ["2026.11.10", "2026.12"]
    assert not versions.is_latest("dev", [])


def test_all_versions_together_have_a_budget_as_well():
    files = [("2026.05/a", 685_000_000), ("2026.11/b", 14_000_000)]
    versions._check_weight("2026.11", files)
    with pytest.raises(versions.PublishError, match=r"701\.0 MB, more than the 700 MB .* --delete an old one"):
        versions._check_weight("2026.11", [*files, ("2026.08/c", 2_000_000)])


def test_a_published_page_loses_indentation_and_no_space_that_a_browser_shows():
    code = "<pre><code>def f():\n\n    return 1\n</code></pre>"
    script = "<script type='application/ld+json'>{\n  'a': 1}</script>"
    page = f"<ul>\n\n    <li>one\n    two</li>\n</ul>\n{code}\n  {script}"
    assert gh_pages.unindented(page) == f"<ul>\n<li>one\ntwo</li>\n</ul>\n{code}\n{script}"
