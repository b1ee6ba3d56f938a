"""Shared by the tests of analysis/: `campaign` makes synthetic campaigns, `corpus` hostile ones."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "hostile"), str(HERE.parents[1])]

from analysis import cache  # noqa: E402
from analysis.site import render  # noqa: E402


@pytest.fixture(autouse=True, scope="session")
def _kept_apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep nothing of tests among what this checkout keeps, and let tests see nothing of that."""
    usual, cache.FOLDER = cache.FOLDER, tmp_path_factory.mktemp("kept")
    yield
    cache.FOLDER = usual


@pytest.fixture
def nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin with an empty cache, and draw where calls are counted."""
    monkeypatch.setattr(cache, "FOLDER", tmp_path / "kept")
    monkeypatch.setattr(render, "MANY", 10**9)
