"""A build says how far it is in one line: rewritten on a terminal, seldom where lines stay."""

import io

import pytest

from analysis.site import build
from analysis.site.build import CLEAR, Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that a test sets."""
    now = [0.0]
    monkeypatch.setattr(build.time, "monotonic", lambda: now[0])
    return now


def test_a_terminal_shows_one_line_with_the_time_that_is_left(clock):
    stream = Terminal()
    tell = Progress(stream)
    for clock[0], what in [(0, "reading"), (2, "drawing: 0 of 100"), (12, "drawing: 50 of 100")]:
        tell(what)
    assert "\n" not in stream.getvalue()
    left_s = 10 + build.USUAL_S["writing pages"]
    assert stream.getvalue().split(CLEAR)[-1] == f"building pages: drawing 50 of 100, 12 s, about {left_s:.0f} s left"
    tell.end()
    assert stream.getvalue().endswith(CLEAR)


def test_where_lines_stay_there_are_few(clock):
    stream = io.StringIO()
    tell = Progress(stream)
    for clock[0] in range(80):
        tell(f"drawing: {clock[0]} of 80")
    tell.end()
    lines = stream.getvalue().splitlines()
    assert 1 <= len(lines) <= 3
    assert lines[0].startswith("building pages: drawing 31 of 80, 31 s, about ")
    assert "\r" not in stream.getvalue()


def test_a_quick_build_says_nothing_where_lines_stay(clock):
    stream = io.StringIO()
    tell = Progress(stream)
    for clock[0], part in enumerate(build.USUAL_S):
        tell(part)
    assert stream.getvalue() == ""
