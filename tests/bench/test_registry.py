"""Environments are read from their folders: once, until a file of them changes."""

import os

import pytest

from bench import registry

FRAMEWORK = """
layout = "channels_last"
precisions = ["fp32"]
[modes]
eager = {compiles = false, tier = "documented"}
[environments.red]
title = "Red 1.0"
python = ["3.11"]
modes = ["eager"]
packages = ["red==1.0"]
color = "#ff0000"
marker = "o"
"""


@pytest.fixture
def stated(tmp_path):
    """Return the file of a folder with one framework."""
    path = tmp_path / "red" / "framework.toml"
    path.parent.mkdir()
    path.write_text(FRAMEWORK, encoding="utf-8")
    return path


def titles(path):
    return {name: each.title for name, each in registry.environments(str(path.parents[1])).items()}


def test_environments_are_read_again_when_a_file_changes(stated):
    assert titles(stated) == {"red": "Red 1.0"}
    before = stated.stat()
    stated.write_text(FRAMEWORK.replace("Red 1.0", "Red 2.0"), encoding="utf-8")  # of equal length
    os.utime(stated, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert titles(stated) == {"red": "Red 2.0"}


def test_environments_are_read_again_when_a_framework_is_added_or_removed(stated):
    assert titles(stated) == {"red": "Red 1.0"}
    other = stated.parents[1] / "blue" / "framework.toml"
    other.parent.mkdir()
    other.write_text(FRAMEWORK.replace("red]", "blue]"), encoding="utf-8")
    assert set(titles(stated)) == {"red", "blue"}
    other.unlink()
    assert set(titles(stated)) == {"red"}


def test_what_a_caller_does_to_the_environments_changes_no_others(stated):
    registry.environments(str(stated.parents[1])).clear()
    assert titles(stated) == {"red": "Red 1.0"}


def test_environments_are_made_once_of_unchanged_files(stated, monkeypatch):
    titles(stated)
    monkeypatch.setattr(registry, "_environment", lambda *_: pytest.fail("made again"))
    assert titles(stated) == {"red": "Red 1.0"}
