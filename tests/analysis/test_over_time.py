"""The figure of times over campaigns: what has no time leaves a gap, a version is named, and pages show it."""

import html
import itertools
import math
from xml.etree import ElementTree as ET

import campaign
import pytest
import shown

from analysis.compare import unpaired
from analysis.estimate.estimates import estimate_all
from analysis.figures import over_time, style
from analysis.figures.style import Saved
from analysis.load.table import read_results
from analysis.site import render
from analysis.site.pages import framework
from bench import registry

NAMES = ("2026-11-18 0900", "2026-11-19 0900", "2026-11-20 0900")
CASES = [campaign.case(name) for name in ("red", "blue")]


def lines(name, factor=1.0, cases=CASES, failing=(), **environment):
    times = lambda about, _: "failed" if about["environment"] in failing else 0.01 * factor  # noqa: E731
    made = campaign.lines(cases, times, campaign=name, seed=int(10 * factor))
    return campaign.changed(made, "environment", **environment)


def campaigns(folder, *own):
    for each in own:
        campaign.write(folder, each)
    results = read_results(folder)
    return list(reversed(unpaired.compare_all(results, estimate_all(results)).sets[unpaired.CAMPAIGNS]))


def drawn(folder, *own):
    return over_time.draw(campaigns(folder, *own), {"red"})


def labels(picture):
    """Return what stands below the only chart."""
    (axes,) = picture.figure.axes
    return [text.get_text() for text in axes.get_xticklabels()]


def test_a_mark_stands_for_each_campaign_and_one_without_a_time_leaves_a_gap(tmp_path):
    picture = drawn(tmp_path, lines(NAMES[0]), lines(NAMES[1], failing={"red"}), lines(NAMES[2], 1.5))
    (axes,) = picture.figure.axes
    (line,) = [each for each in axes.lines if each.get_marker() not in ("None", None)]
    heights = list(line.get_ydata())
    assert [math.isnan(height) for height in heights] == [False, True, False]
    assert heights[2] / heights[0] == pytest.approx(1.5, rel=0.02)
    assert labels(picture) == ["11-18", "11-19", "11-20"]
    assert list(picture.data["time_s"].isna()) == [False, True, False]
    assert set(picture.data["environment"]) == {"red"}
    assert picture.alt.startswith("From its first campaign to its last, the time of Red 1.0, ")


def test_a_chart_has_a_place_for_the_newest_campaigns_that_asked_it_and_for_no_other(tmp_path, monkeypatch):
    other = [campaign.case("red", workload="mnist_cnn")]
    own = [lines(NAMES[0]), lines(NAMES[1], cases=other), lines(NAMES[2]), lines("2026-11-21 0900")]
    assert labels(drawn(tmp_path, *own)) == ["11-18", "11-20", "11-21"]
    monkeypatch.setattr(over_time, "NEWEST", 2)
    assert labels(drawn(tmp_path, *own)) == ["11-20", "11-21"]


def test_a_figure_has_no_more_charts_than_there_is_room_for_the_most_asked_first(tmp_path, monkeypatch):
    both = [*CASES, campaign.case("red", workload="mnist_cnn")]
    own = [lines(NAMES[0]), lines(NAMES[1], cases=both), lines(NAMES[2], cases=both)]
    assert len(drawn(tmp_path, *own).figure.axes) == 2
    monkeypatch.setattr(over_time, "MOST_MARKS", 2 * over_time.AXES)  # and no mark of the second
    assert len(labels(drawn(tmp_path, *own))) == 3
    monkeypatch.setattr(over_time, "MOST_MARKS", 1)
    assert len(drawn(tmp_path, *own).figure.axes) == 1


def test_days_that_do_not_fit_beside_each_other_are_left_out_and_the_last_is_not(tmp_path):
    days = [f"2026-11-{day:02d} 0900" for day in range(1, 9)]
    (axes,) = drawn(tmp_path, *map(lines, days)).figure.axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["", "11-02", "", "11-04", "", "11-06", "", "11-08"]
    figure = axes.figure
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axes.get_xticklabels() if text.get_text()]
    assert all(before.x1 < after.x0 for before, after in itertools.pairwise(boxes))


def test_campaigns_of_one_day_are_told_apart_by_the_hour(tmp_path):
    picture = drawn(tmp_path, lines(NAMES[0]), lines("2026-11-18 1530"))
    assert labels(picture) == ["11-18\n09:00", "11-18\n15:30"]


def test_a_version_is_named_where_it_takes_the_place_of_another(tmp_path):
    newer = {"loaded": {"red": "2.0"}}
    picture = drawn(tmp_path, lines(NAMES[0]), lines(NAMES[1], **newer), lines(NAMES[2], **newer))
    (axes,) = picture.figure.axes
    assert [text.get_text() for text in axes.texts] == ["red 2.0"]
    assert list(picture.data["versions"]) == ["red 1.0.0", "red 2.0", "red 2.0"]


def test_of_each_workload_the_question_that_most_campaigns_answered_is_drawn(tmp_path):
    larger = [campaign.case("red", batch_size=256)]
    own = campaigns(tmp_path, lines(NAMES[0]), lines(NAMES[1], cases=[*CASES, *larger]), lines(NAMES[2], cases=larger))
    own += campaigns(tmp_path / "more", lines("2026-11-21 0900", cases=larger))
    ((question, _),) = over_time.charts(own, {"red"})
    assert question.batch_size == 256


def test_an_environment_is_drawn_in_the_default_mode_of_the_task(tmp_path):
    cases = [campaign.over_data("red", mode) for mode in ("eager", "compiled")]
    both = lines(NAMES[0], cases=cases), lines(NAMES[1], 1.5, cases)
    own = [campaign.documenting(each, epochs="compiled") for each in both]
    assert set(drawn(tmp_path, *own).data["mode"]) == {"compiled"}


def test_one_campaign_makes_no_figure(tmp_path):
    assert drawn(tmp_path, lines(NAMES[0])).reason


def test_the_same_campaigns_give_the_same_bytes_and_hostile_names_stay_text(tmp_path):
    own = campaigns(tmp_path, lines(NAMES[0]), lines(NAMES[1], title="a_x (1)", loaded={"red": "$<b>{"}))
    first, second = (style.svg(each.figure, "title", each.alt) for each in (over_time.draw(own, {"red"}) for _ in "ab"))
    assert first == second
    ET.fromstring(first)  # noqa: S314
    assert "<b>" not in first


def test_the_page_of_a_framework_shows_it_once_two_campaigns_have_a_time(tmp_path):
    environment = next(iter(registry.environments().values()))
    cases = [campaign.case(environment.name, environment.modes[0].name)]
    own = {"default_mode": environment.modes[0].name, "framework": environment.framework}
    for count, name in enumerate(NAMES[:2], 1):
        made = shown.found(tmp_path, lines(name, cases=cases, **own))
        drawn = render.draw_all(render.of_results(made.results, made.answers, made.defaults, made.compared), print)
        saved = {key: Saved("-".join(key), each.size, each.words) for key, each in drawn.items() if each.size}
        pages = {each: framework.page(made._replace(pictures=saved), each) for each in registry.framework_names()}
        showing = [name for name, page in pages.items() if "figures/over_time-" in page]
        assert showing == ([] if count == 1 else [environment.framework])
    assert "From its first campaign to its last, the time of" in html.unescape(pages[environment.framework])
