"""Shared by the tests of what is sampled: libraries that are not here."""

import sys

import pytest


@pytest.fixture
def fake(monkeypatch):
    """Put fake modules in the place of psutil and pynvml; None stands for one that is not installed."""

    def make(**modules):
        for name, module in modules.items():
            monkeypatch.setitem(sys.modules, name, module)

    return make
