"""Pages are current while nothing that they are made from has changed, and none of them."""

import os
import sys

import pytest

from analysis import __main__, inputs
from analysis.site import build, configuration


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Return a repository with an input and a page, which was written from it."""
    for name in ("analysis/page.py", "results/laptop/run.jsonl", "docs/generated/home.md", "docs/index.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one")
    monkeypatch.setattr(inputs, "ROOT", tmp_path)
    monkeypatch.setattr(inputs, "OUTPUT", tmp_path / "docs" / "generated")
    inputs.remember(inputs.digest())
    return tmp_path


def test_pages_are_current_until_they_or_their_inputs_change(root):
    assert inputs.are_current()
    (root / "docs" / "index.md").write_text("two")  # not made from inputs
    (root / "analysis" / "__pycache__").mkdir()
    (root / "analysis" / "__pycache__" / "page.pyc").write_bytes(b"")
    os.utime(root / "analysis" / "page.py", (0, 0))
    assert inputs.are_current()


def test_pages_that_were_never_written_are_not_current(root):
    (root / "docs" / "generated" / inputs.STAMP).unlink()
    assert not inputs.are_current()


@pytest.mark.parametrize("name", ["analysis/page.py", "results/laptop/run.jsonl", "docs/generated/home.md"])
def test_a_file_with_other_bytes_is_seen_though_its_size_and_time_are_the_same(root, name):
    before = (root / name).stat()
    (root / name).write_text("two")
    os.utime(root / name, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not inputs.are_current()


@pytest.mark.parametrize("name", ["analysis/page.py", "results/laptop/run.jsonl", "docs/generated/home.md"])
def test_a_file_that_is_gone_or_renamed_is_seen(root, name):
    (root / name).rename(root / name.replace(".", "2."))
    assert not inputs.are_current()
    (root / name.replace(".", "2.")).unlink()
    assert not inputs.are_current()


@pytest.mark.parametrize("name", ["analysis/other.py", "CHANGELOG.md", "docs/generated/machines/other.md"])
def test_a_file_more_is_seen(root, name):
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text("new")
    assert not inputs.are_current()


@pytest.mark.usefixtures("root")
def test_another_python_or_library_is_seen(monkeypatch):
    monkeypatch.setattr(inputs, "version", lambda library: f"{library} 0")
    assert not inputs.are_current()
    inputs.remember(inputs.digest())
    assert inputs.are_current()
    monkeypatch.setattr(sys, "version", "4.0")
    assert not inputs.are_current()


def test_an_input_that_changes_during_a_build_is_seen_by_the_next_one(root):
    before = inputs.digest()
    (root / "analysis" / "page.py").write_text("two")
    inputs.remember(before)
    assert not inputs.are_current()


@pytest.fixture
def written(root, monkeypatch):
    """Return the builds that were made, in a repository that is built once."""
    builds = []

    def write(results, output, _tell):
        builds.append(results)
        (output / "home.md").write_text("one")
        return "1 generated file"

    monkeypatch.setattr(__main__, "RESULTS", root / "results")
    monkeypatch.setattr(build, "write", write)
    monkeypatch.setattr(configuration, "write", lambda: (root / "site.yml").write_text("{}"))
    return builds


def site(root, output="docs/generated"):
    return __main__.main(["site", str(root / "results"), "--output", str(root / output)])


def test_the_command_builds_nothing_where_nothing_changed(root, written, capsys):
    assert site(root) == 0
    assert written == []
    assert "up to date" in capsys.readouterr().out
    assert (root / "site.yml").exists()  # environment variables decide what it states


def test_the_command_repairs_a_page_and_then_rests(root, written):
    (root / "docs" / "generated" / "home.md").write_text("edited by hand")
    assert site(root) == site(root) == 0
    assert written == [root / "results"]


def test_the_command_always_builds_into_another_folder(root, written):
    (root / "out").mkdir()
    assert site(root, "out") == site(root, "out") == 0
    assert len(written) == 2
