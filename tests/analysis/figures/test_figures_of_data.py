"""What a figure shades, orders and leaves out follows the data."""

import re

import campaign
import pytest
from drawing import CASES, NAMES, drawn, marks, of_lines, without_blue

from analysis import figures, units
from analysis.figures import style
from bench import registry


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


def workers(folder, counts):
    loaders = ["", *(f"image_files+{count}" if count else "image_files" for count in counts)]
    cases = [campaign.fed("red", loader) for loader in loaders]
    return drawn(folder, "more_workers", lambda about, _: 0.1 if about["mode"] == "eager" else 0.4, cases)


def test_workers_are_drawn_where_three_numbers_of_them_were_measured(tmp_path):
    picture = workers(tmp_path / "enough", (0, 1, 4))
    assert list(picture.data["number"])[:3] == [0, 1, 4]
    assert picture.alt.endswith("photographs per second by workers 240 at 0, 240 at 1, 240 at 4, 960 from memory")
    top = picture.figure.axes[0].get_ylim()[1]
    assert top == pytest.approx(1.6 * 960)  # whatever the intervals are
    assert workers(tmp_path / "too few", (0, 4)).reason == "no loader was measured with 3 numbers of workers or batches"


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
    assert alone.alt.startswith(
        "Of 1 workload, 1 has a single fastest competitor: Red 1.0 (eager) in 1; 0 have other ties"
    )
    assert tied.alt.startswith("Of 1 workload, none has a single fastest competitor; 1 have other ties. ")


def test_those_that_compute_with_one_backend_are_counted_together(tmp_path):
    tied = overview(tmp_path, {"jax": 0.01, "keras-jax": 0.01, "pytorch": 0.03})
    assert tied.alt.startswith(
        "Of 1 workload, none has a single fastest competitor; 1 have ties within one backend: JAX in 1; "
        "0 have other ties. "
    )


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        (
            "step_time",
            r"Of 2 questions, 2 have a single fastest competitor: Red 1\.0 \(eager\) in 2; 0 have other ties\.",
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
