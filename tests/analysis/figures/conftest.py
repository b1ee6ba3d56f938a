"""Shared by the tests of figures: each of them, by its name."""

import pytest
from drawing import FIGURES, as_svg, drawn

from analysis.estimate import lineage


@pytest.fixture(scope="module", autouse=True)
def _released():
    """Red is nine years older than the others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lineage, "released", lambda: {"red": "2017-11", "blue": "2026-03", "green": "2026-06"})
        yield


@pytest.fixture(scope="module", params=FIGURES)
def name(request):
    """Each figure's name."""
    return request.param


@pytest.fixture(scope="module")
def text(name, tmp_path_factory):
    """Each figure as SVG."""
    return as_svg(drawn(tmp_path_factory.mktemp(name), name))
