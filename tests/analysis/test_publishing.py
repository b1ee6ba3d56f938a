"""What the publication of a version decides by itself; tests/site/test_publish.py publishes and reads real ones."""

from collections import Counter

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


def test_versions_are_ordered_by_number_and_the_development_version_is_before_all():
    names = ["2026.9", "2026.11.10", "dev", "2026.11", "2026.11.2"]
    ordered = sorted((versions.Version(name, "", False) for name in names), key=lambda version: version.order)
    assert [version.name for version in ordered] == ["dev", "2026.9", "2026.11", "2026.11.2", "2026.11.10"]


def test_mike_is_not_trusted_where_it_would_build_with_another_program(monkeypatch):
    monkeypatch.setattr(versions, "find_spec", lambda name: name)
    with pytest.raises(versions.PublishError, match="uninstall it"):
        versions._check_builder()


def test_all_versions_together_have_a_budget_as_well(monkeypatch):
    place = versions.Target("gh-pages", "origin", push=False)
    sizes = Counter({"2026.05": 685_000_000, "2026.11": 14_000_000})
    monkeypatch.setattr(versions.gh_pages, "weigh", lambda _: sizes)
    versions._check_weight("2026.11", place)
    sizes["2026.08"] = 2_000_000
    with pytest.raises(versions.PublishError, match=r"701\.0 MB, more than the 700 MB .* --delete an old one"):
        versions._check_weight("2026.11", place)


def test_a_published_page_loses_indentation_and_no_space_that_a_browser_shows():
    code = "<pre><code>def f():\n\n    return 1\n</code></pre>"
    script = "<script type='application/ld+json'>{\n  'a': 1}</script>"
    page = f"<ul>\n\n    <li>one\n    two</li>\n</ul>\n{code}\n  {script}"
    assert gh_pages.unindented(page) == f"<ul>\n<li>one\ntwo</li>\n</ul>\n{code}\n{script}"
