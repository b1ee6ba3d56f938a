"""Figures are kept until what they show changes, and many new ones are drawn by other processes."""

import functools
from pathlib import Path

import campaign
import pytest
import shown

from analysis import cache, figures
from analysis.figures import slowdowns
from analysis.site import render

CASES = [campaign.case(name) for name in ("red", "blue")]
HEARD = lambda _: None  # noqa: E731
pytestmark = pytest.mark.usefixtures("nothing_kept")


@pytest.fixture
def wanted(tmp_path):
    return render.wanted(shown.found(tmp_path, campaign.lines(CASES, campaign.noisy({"red": 0.01, "blue": 0.02}), 4)))


@pytest.fixture
def drawn(monkeypatch):
    """The data of each figure of slow-downs that is drawn."""
    seen, draw = [], slowdowns.draw
    monkeypatch.setattr(slowdowns, "draw", lambda *data: (seen.append(data), draw(*data))[1])
    return seen


def test_a_figure_is_drawn_once_until_its_data_change(wanted, drawn):
    key = ("slowdowns", "home")
    one = {key: wanted[key], ("slowdowns", "alike"): wanted[key]}
    first, again = (render.draw_all(one, HEARD) for _ in range(2))
    assert first == again
    assert first[key][1:] == first["slowdowns", "alike"][1:]  # but for the name
    assert len(drawn) == 1
    assert render.draw_all({key: wanted["slowdowns", "workloads/mnist_mlp"]}, HEARD) != {key: first[key]}
    assert len(drawn) == 2


def test_many_figures_are_drawn_by_several_processes_alike(wanted, tmp_path, monkeypatch):
    alone = render.draw_all(wanted, HEARD)
    assert len(alone) > 1
    monkeypatch.setattr(cache, "FOLDER", tmp_path / "kept elsewhere")
    monkeypatch.setattr(render, "MANY", 1)
    assert render.draw_all(wanted, HEARD) == alone


def test_what_a_figure_fails_with_is_told_whichever_process_draws_it(monkeypatch):
    monkeypatch.setattr(render, "MANY", 1)
    with pytest.raises(TypeError):
        render.draw_all({("slowdowns", str(number)): ["no lines"] for number in range(4)}, HEARD)


def test_other_work_is_done_beside_the_drawing(tmp_path, monkeypatch):
    monkeypatch.setattr(render, "MANY", 1)
    render.draw_all({}, HEARD, [functools.partial(Path.touch, tmp_path / "done")])
    assert (tmp_path / "done").exists()


def test_each_figure_is_on_its_page_under_a_name_of_its_own(wanted):
    pages = render.by_page(render.draw_all(wanted, HEARD))
    assert [saved.name for saved in pages["workloads/mnist_mlp"]] == ["slowdowns-mnist_mlp"]
    assert set(pages) == {page for _, page in wanted}
    names = [saved.name for own in pages.values() for saved in own]
    assert len(names) == len(set(names))
    assert {name.partition("-")[0] for name in names} <= set(figures.found())
