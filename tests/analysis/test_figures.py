"""Figures: the same data give the same bytes, light and dark, and what was not measured is not drawn."""

import math
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import campaign
import pytest
from matplotlib.lines import Line2D

from analysis import figures, units
from analysis.estimate import lineage
from analysis.estimate.estimates import estimate_all
from analysis.figures import style
from analysis.load.table import read_results
from analysis.plugins import explained, title
from analysis.site import render
from bench import check, registry
from bench.cases import FED
from bench.errors import DefinitionError

NAMES = ("red", "blue", "green")
CASES = [campaign.case(name) for name in NAMES]
FIGURES = sorted(figures.found())


@pytest.fixture(scope="module", autouse=True)
def _released():
    """Red is nine years older than the others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lineage, "released", lambda: {"red": "2017-11", "blue": "2026-03", "green": "2026-06"})
        yield


def usual(name):
    """Return the cases that a figure is tried with."""
    tasks = getattr(figures.found()[name], "TASKS", ())
    if tasks == FED:
        return [campaign.fed(each, loader) for each in NAMES for loader in ("", "image_files", "image_files+2")]
    make = campaign.over_data if "epochs" in tasks else campaign.case
    return [
        make(each, mode, batch_size=size) for each in NAMES for mode in ("eager", "compiled") for size in (128, 256)
    ]


def drawn(folder, name, times=None, cases=None):
    cases = cases or usual(name)
    times = times or campaign.noisy({"red": 0.01, "blue": 0.02, "green": 0.03})
    results = read_results(campaign.write(folder, campaign.lines(cases, times)))
    module = figures.found()[name]
    results = results.ablations if getattr(module, "TASKS", ()) == FED else results
    runs = results.runs[results.runs["is_default"].astype(bool)] if hasattr(module, "AMONG_DEFAULTS") else results.runs
    answers = estimate_all(results._replace(runs=runs))
    ((machine, own),) = results.campaigns.items()
    seen = render.seen(results, machine, answers, own.environments)
    return module.draw(seen, answers)  # all that a figure may depend on, since it is kept by that


def of_lines(folder, name, lines):
    """Return a figure of a campaign's lines."""
    results = read_results(campaign.write(folder, lines))
    return figures.found()[name].draw(results, estimate_all(results))


def as_svg(picture):
    return style.svg(picture.figure, "a title", picture.alt)


@pytest.fixture(scope="module", params=FIGURES)
def name(request):
    """Each figure's name."""
    return request.param


@pytest.fixture(scope="module")
def text(name, tmp_path_factory):
    """Each figure as SVG."""
    return as_svg(drawn(tmp_path_factory.mktemp(name), name))


def test_a_figure_has_title_caption_order_and_scope(name):
    module = figures.found()[name]
    assert title(module.__doc__)
    assert explained(module.__doc__)
    assert module.SCOPE in ("workload", "article", "machine")


def test_the_same_data_give_the_same_bytes(tmp_path, name, text):
    assert as_svg(drawn(tmp_path, name)) == text


def test_a_figure_follows_the_readers_colours_and_names_itself(text):
    ET.fromstring(text)  # it is well formed  # noqa: S314
    assert "prefers-color-scheme:dark" in text
    assert "<title>a title</title>" in text
    assert "<desc>" in text
    assert text.count("font-family") == 1  # of all words, as the reader's system has them
    assert not any(stand_in in text for stand_in in (style.INK, style.GRID, style.PAPER))


def test_a_figure_writes_each_style_once_and_keeps_what_is_referred_to(text):
    assert 'style="' not in text
    assert set(re.findall(r'class="(\w+)"', text)) <= set(re.findall(r"\.(\w+)\{", text))
    assert set(re.findall(r'(?:href="|url\()#(\w+)', text)) <= set(re.findall(r'id="(\w+)"', text))


def test_a_shorter_figure_keeps_its_words():
    text = '<g id="text_1">\n  <text style="a" x="1.2345" transform="rotate(-0 1)">0.12345  x</text></g><p style="a"/>'
    assert style.compact(text) == (
        '<g>\n<text class="s0" x="1.23">0.12345  x</text></g><p class="s0"/>',
        ".s0{a}",
    )


def test_without_any_time_there_is_a_reason_instead_of_a_figure(tmp_path, name):
    picture = drawn(tmp_path, name, times=campaign.always("failed"))
    assert picture.figure is None
    assert picture.reason


def test_the_words_for_those_who_cannot_see_it_come_from_the_data(tmp_path, name):
    assert "Red 1.0" in drawn(tmp_path, name).alt or "red" in drawn(tmp_path / "more", name).alt


def without_blue(about, _number):
    return "out_of_memory" if about["environment"] == "blue" else 0.01


def test_a_legend_never_lies_on_a_chart(tmp_path, name):
    figure = drawn(tmp_path, name).figure
    figure.draw_without_rendering()
    charts = [axes.get_window_extent() for axes in figure.axes]
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
    assert not any(legend.get_window_extent().overlaps(chart) for legend in legends for chart in charts)


def test_environments_differ_by_colour_or_by_marker_and_the_colour_blind_can_tell():
    known = registry.environments()
    assert all(check.looks(name, known) for name in known)
    assert set(check.MARKERS) <= set(Line2D.filled_markers)
    assert style.UNKNOWN["color"] in check.COLORS
    readme = (Path(registry.FRAMEWORKS) / "README.md").read_text(encoding="utf-8")
    assert [color for color in check.COLORS if f"`{color}`" not in readme] == []


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"color": "#000000"}, 'color = "#000000" is none of: #e69f00'),  # black is the ink, and lost on a dark page
        ({"marker": "x"}, 'marker = "x" is none of'),
        ({"color": "other", "marker": "other"}, "have one colour and marker"),
    ],
)
def test_an_environment_that_could_not_be_told_in_a_figure_is_refused_with_the_reason(changes, why):
    known = registry.environments()
    (name, own), (_, other), *_ = known.items()
    changed = {key: getattr(other, key) if value == "other" else value for key, value in changes.items()}
    with pytest.raises(DefinitionError, match=why):
        check.looks(name, {**known, name: own._replace(**changed)})


def marks(axes):
    """Return what a chart has of marks: lines that have any."""
    return [line for line in axes.lines if line.get_marker() not in ("None", None)]


def test_a_missing_cell_is_not_drawn_and_keeps_its_row(tmp_path):
    picture = drawn(tmp_path, "step_time", without_blue, CASES)
    (axes,) = picture.figure.axes
    assert len(marks(axes)) == 2
    assert [text.get_text() for text in axes.texts] == ["no time: out of memory"]
    blue = picture.data.set_index("environment").loc["blue"]
    assert blue[["step_s", "low_s", "high_s"]].isna().all()


def test_no_line_is_drawn_across_a_batch_size_without_a_time(tmp_path):
    cases = [campaign.case(name, batch_size=size) for name in ("red", "green") for size in (64, 128, 256)]
    times = lambda about, _number: "timeout" if (about["environment"], about["batch_size"]) == ("red", 128) else 0.01  # noqa: E731
    (axes,) = drawn(tmp_path, "throughput_by_batch", times, cases).figure.axes
    holes = [sum(map(math.isnan, line.get_ydata())) for line in axes.lines]
    assert sorted(holes) == [0, 1]


def test_one_batch_size_makes_no_figure(tmp_path):
    picture = drawn(tmp_path, "throughput_by_batch", cases=CASES[:1])
    assert picture.reason == "only one batch size was measured"


def test_a_name_with_dollars_does_not_stop_the_drawing(tmp_path):
    lines = campaign.lines(CASES[:1], campaign.always(0.01))
    lines[1].update(title="a (x) = 1 _ b", marker="$x")
    assert "a (x) = 1 _ b" in as_svg(of_lines(tmp_path, "step_time", lines))


def test_looks_are_those_of_the_framework_s_folder_whatever_a_record_says(tmp_path):
    (name, own), *_ = registry.environments().items()
    lines = campaign.lines([campaign.case(name, own.modes[0].name)], campaign.always(0.01))
    assert (lines[1]["color"], lines[1]["marker"]) != (own.color, own.marker)
    results = read_results(campaign.write(tmp_path, lines))
    (cell,) = estimate_all(results)[0].cells
    look = style.look(results, "test-machine", cell)
    assert (look.color, look.marker) == (own.color, own.marker)


def test_looks_of_what_has_no_folder_come_from_its_record(tmp_path):
    picture = drawn(tmp_path, "step_time", cases=[campaign.case("red", "compiled")])
    (line,) = [line for line in picture.figure.axes[0].lines if line.get_marker() == "o"]
    assert line.get_markerfacecolor() == "#d55e00"


def test_a_file_is_written_only_when_its_bytes_change(tmp_path):
    path = tmp_path / "figure.svg"
    assert [style.write_if_changed(path, text) for text in ("a", "a", "b")] == [True, False, True]
    assert path.read_text() == "b"


def traced(folder, **changes):
    lines = campaign.lines(CASES, campaign.always(0.01), rounds=3)
    lines[4].update(changes)
    return of_lines(folder, "trace", lines)


def test_a_run_without_a_steady_state_is_shown_block_by_block(tmp_path):
    picture = traced(tmp_path, is_steady=False, drift=0.2, was_doubled=True)
    assert set(picture.data["state"]) == {"no steady state, doubled"}
    assert len(picture.data) == campaign.BLOCKS
    assert picture.alt.count("no steady state") == 1


def test_in_turns_a_trend_that_all_rounds_share_is_shown_though_no_run_has_a_drift(tmp_path):
    made = campaign.in_turns(campaign.lines(CASES, campaign.always(0.01), rounds=4))
    lines = campaign.changed(made, "run", is_steady=None, drift=None, steady_from=None)
    for line in [each for each in lines if each["kind"] == "run" and each["case"]["environment"] == NAMES[0]]:
        line["block_s"] = [*line["block_s"][:3], *(1.2 * s for s in line["block_s"][3:])]
    picture = of_lines(tmp_path, "trace", lines)
    assert (set(picture.data["environment"]), set(picture.data["round"])) == ({NAMES[0]}, {4})


def test_where_all_runs_are_steady_the_fastest_are_shown_instead(tmp_path):
    picture = traced(tmp_path, steady_from=2)
    assert set(picture.data["state"]) == {"steady"}
    assert picture.data["environment"].nunique() == 2


def overview(folder, truth, rounds=8):
    cases = [campaign.case(name) for name in truth]
    return of_lines(folder, "overview", campaign.lines(cases, campaign.noisy(truth), rounds=rounds))


def shaded(picture):
    """Which columns of the only row lie on a shade."""
    return [bool(axes.patches) for axes in picture.figure.axes]


def test_the_overview_shades_the_fastest_and_all_that_tie_with_it(tmp_path):
    alone = overview(tmp_path / "a", {"blue": 0.02, "green": 0.03, "red": 0.01})
    tied = overview(tmp_path / "b", {"blue": 0.01, "green": 0.03, "red": 0.01})
    assert shaded(alone) == [False, False, True]
    assert shaded(tied) == [True, False, True]
    assert alone.alt.startswith("Of 1 workload, 1 has a single fastest competitor: Red 1.0 (eager) in 1; in 0 several")
    assert tied.alt.startswith("Of 1 workload, none has a single fastest competitor; in 1 several may be. ")


def test_those_that_compute_with_one_backend_are_counted_together(tmp_path):
    tied = overview(tmp_path, {"jax": 0.01, "keras-jax": 0.01, "pytorch": 0.03})
    assert tied.alt.startswith(
        "Of 1 workload, none has a single fastest competitor; in 1 all that may be share a backend: JAX in 1; "
        "in 0 several may be. "
    )


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        (
            "step_time",
            r"Of 2 questions, 2 have a single fastest competitor: Red 1\.0 \(eager\) in 2; in 0 several may be\.",
        ),
        (
            "run_times",
            r"A competitor's slowest run takes 1\.\d\d times .+ at best \(.+\) and 1\.\d\d times at worst \(.+\)\.",
        ),
        (
            "first_step",
            r"A cold first step takes as long as [78]\.\d+ steady ones with .+ 1\.0 · eager and as [78]\.\d+ with .+\.",
        ),
        ("memory", r"train · batch 128 · rmsprop · .+: \w+ 1\.0 · eager takes the least memory, 0\.391 GiB, and .+\."),
        ("time_and_memory", r"train · batch 128 · .+: Red 1\.0 · eager has .+ shortest mean time.+ the least memory\."),
        ("throughput_by_batch", r"From batch size 128 to 256, samples per second grow (2|1\.9)\.?\d* times with .+\."),
        ("trace", r"All runs of 6 times were steady, or too short to tell\."),
    ],
)
def test_the_words_of_a_figure_open_with_its_finding(tmp_path, name, finding):
    cases = [campaign.case(each, batch_size=size) for each in NAMES for size in (128, 256)]
    assert re.fullmatch(finding, units.opening(drawn(tmp_path, name, cases=cases).alt))


def test_by_ten_steps_the_first_weighs_as_the_article_had_it(tmp_path):
    picture = drawn(tmp_path, "ten_steps", campaign.always(0.01), [campaign.case("red"), campaign.case("blue")])
    row = picture.data.set_index("environment").loc["red"]
    assert row["steady_step_s"] == pytest.approx(0.01, rel=0.02)
    assert row["tenth_of_ten_steps_s"] == pytest.approx((8 + 9) * 0.01 / 10, rel=0.02)  # a first step is eight
    assert "takes least" in picture.alt


def test_the_overview_shades_nothing_where_too_few_rounds_allow_no_ranking(tmp_path):
    picture = overview(tmp_path, {"blue": 0.01, "red": 0.02}, rounds=2)
    assert shaded(picture) == [False, False]
    assert "1 workload has too few rounds for a ranking" in picture.alt


def test_the_overview_draws_paired_ratios_with_their_intervals(tmp_path):
    picture = overview(tmp_path, {"blue": 0.02, "red": 0.01})
    blue = picture.data.set_index("environment").loc["blue"]
    assert blue["times_the_fastest"] == pytest.approx(2, rel=0.02)
    assert blue["low"] < blue["times_the_fastest"] < blue["high"]
    assert blue["high"] - blue["low"] < 0.16  # the drift that both share within a round, 5 %, is not in it


def test_the_overview_says_in_a_word_why_a_place_is_empty(tmp_path):
    picture = drawn(tmp_path, "overview", without_blue, CASES)
    assert [text.get_text() for axes in picture.figure.axes for text in axes.texts] == ["out of memory"]


def test_all_workloads_in_seven_environments_fit_a_page(tmp_path):
    optimizers = {name: next(iter(registry.workload(name).OPTIMIZERS), "none") for name in registry.workload_names()}
    cases = [
        campaign.case(f"e{number}", workload=name, optimizer=each, task="infer" if each == "none" else "train")
        for number in range(7)
        for name, each in optimizers.items()
    ]
    width, height = style.pixels(drawn(tmp_path, "overview", campaign.always(0.01), cases).figure)
    assert width <= 1280
    assert height <= 800


def test_each_run_is_a_mark_in_the_order_of_its_round(tmp_path):
    picture = drawn(tmp_path, "run_times", cases=CASES)
    (axes,) = picture.figure.axes
    assert [len(line.get_xdata()) for line in marks(axes)] == [5, 5, 5]
    assert all(list(line.get_ydata()) == sorted(line.get_ydata(), reverse=True) for line in marks(axes))
    assert len(picture.data) == 15
    assert "Red 1.0 · eager 5 runs from" in picture.alt


def test_of_very_many_runs_some_are_drawn_and_the_fastest_and_slowest_among_them(tmp_path, monkeypatch):
    monkeypatch.setattr(figures.found()["run_times"], "MOST", 12)
    times = lambda _, number: {7: 0.005, 8: 0.05}.get(number, 0.01)  # noqa: E731
    picture = of_lines(tmp_path, "run_times", campaign.lines(CASES[:2], times, rounds=40))
    drawn_runs = [line.get_xdata() for line in marks(picture.figure.axes[0])]
    assert all(6 <= len(each) <= 8 for each in drawn_runs)
    assert all(max(each) / min(each) > 9 for each in drawn_runs)
    assert len(picture.data) == 80


def test_a_run_without_a_time_is_no_mark(tmp_path):
    times = lambda _, number: "failed" if number == 2 else 0.01  # noqa: E731
    assert sorted(drawn(tmp_path, "run_times", times, [campaign.case("red")]).data["round"]) == [1, 3, 4, 5]


def test_time_and_memory_are_drawn_of_those_that_have_both(tmp_path):
    picture = drawn(tmp_path, "time_and_memory", without_blue, CASES)
    assert sorted(picture.data["environment"]) == ["green", "red"]
    assert re.search(r"Red 1\.0 · eager [0-9.]+ ms with 0\.391 GiB", picture.alt)
