"""Pictures are kept until what they show changes, and new ones are drawn by other processes."""

import functools
from pathlib import Path

import pandas as pd
import pytest

from analysis import cache, literature
from analysis.figures import style
from analysis.lessons import Lesson, picture
from analysis.site import build, render
from analysis.site.render import Drawn, Wanted

PICTURE = Drawn(None, None, None, "why there is none")
HEARD = lambda _: None  # noqa: E731


def draw():
    return PICTURE


def fail():
    raise ValueError("this figure cannot be drawn")


@pytest.fixture(autouse=True)
def nothing_kept(tmp_path, monkeypatch):
    """Begin with nothing kept, and let other processes draw however few figures there are."""
    monkeypatch.setattr(cache, "FOLDER", tmp_path / "kept")
    monkeypatch.setattr(render, "MANY", 1)


def wanted(begun, name, how=draw):
    """Return a figure that notes when its data are gathered."""
    return Wanted([name], [], lambda: (begun.append(name), how)[1])


def test_figures_that_are_alike_are_drawn_once_and_all_are_shown():
    begun = []
    every = {("memory", about, "laptop"): wanted(begun, "empty") for about in ("a", "b")}
    every["memory", "c", "laptop"] = wanted(begun, "full")
    for _ in range(2):
        assert render.draw_all(every, HEARD) == dict.fromkeys(every, PICTURE)
        assert sorted(begun) == ["empty", "full"]


def test_what_a_figure_fails_with_is_told_whichever_process_draws_it():
    many = {("memory", str(number), ""): wanted([], str(number)) for number in range(40)}
    with pytest.raises(ValueError, match="cannot be drawn"):
        render.draw_all({**many, ("memory", "bad", ""): wanted([], "bad", fail)}, HEARD)


def test_only_some_figures_are_begun_ahead_of_those_that_are_drawn(monkeypatch):
    monkeypatch.setattr(render, "AHEAD", 3)
    begun, ahead = [], []

    def begin(number):
        ahead.append(len(begun) - len(list(cache.FOLDER.rglob("*.json"))))
        begun.append(number)
        return draw

    every = {("memory", str(number), ""): Wanted([str(number)], [], functools.partial(begin, number))
             for number in range(12)}  # fmt: skip
    assert len(render.draw_all(every, HEARD)) == len(begun) == 12
    assert max(ahead) <= 3


def test_other_work_is_done_beside_the_drawing(tmp_path):
    render.draw_all({}, HEARD, [functools.partial(Path.touch, tmp_path / "done")])
    assert (tmp_path / "done").exists()


def lesson(words):
    return Lesson("title", words, "holds", pd.DataFrame([words]), None, literature.claims()[0])


def test_a_picture_of_lessons_is_drawn_again_when_one_of_them_changes(monkeypatch):
    seen = []
    monkeypatch.setattr(
        picture, "draw", lambda own: (seen.append([each.claim for each in own]), style.nothing("no"))[1]
    )
    monkeypatch.setattr(render, "MANY", 10**9)
    for words in ("one", "one", "two", "one"):
        render.draw_all(build._of_lessons([lesson(words)]), HEARD)
    assert seen == [["one"], ["two"]]
