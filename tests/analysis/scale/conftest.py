"""Shared by the tests of growth: nothing is kept from before."""

import pytest

from analysis import cache
from analysis.site import render


@pytest.fixture(autouse=True)
def nothing_kept(tmp_path, monkeypatch):
    """Begin each test with an empty cache, and draw where calls are counted."""
    monkeypatch.setattr(cache, "FOLDER", tmp_path / "kept")
    monkeypatch.setattr(render, "MANY", 10**9)
