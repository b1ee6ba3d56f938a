"""What a figure shades, orders and leaves out follows the data."""

import re

import campaign
import pytest
import shown
from drawing import NAMES, drawn

from analysis import units
from analysis.figures import slowdowns, style
from analysis.site.pages import drawn as pictures


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


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        (
            "step_time",
            r"Of 2 questions, 2 have a single fastest competitor: Red 1\.0 \(eager\) in 2; 0 have other ties\.",
        ),
        ("throughput_by_batch", r"From batch size 128 to 256, samples per second grow (2|1\.9)\.?\d* times with .+\."),
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


def slowdowns_of(folder, truth):
    cases = [campaign.case(name) for name in truth]
    made = shown.found(folder, campaign.lines(cases, campaign.noisy(truth), rounds=8))
    return slowdowns.draw(pictures._of_workload(made, "mnist_mlp"), "times the fastest")


def test_slow_downs_are_drawn_from_ratios_that_are_paired_in_rounds(tmp_path):
    blue = slowdowns_of(tmp_path, {"blue": 0.02, "green": 0.01}).data.set_index("environment").loc["Blue"]
    assert blue["slow_down"] == pytest.approx(2, rel=0.02)
    assert blue["low"] < blue["slow_down"] < blue["high"]
    assert blue["high"] - blue["low"] < 0.16  # the drift that both share within a round, 5 %, is not in it


def test_a_figure_of_slow_downs_is_readable_on_a_telephone(tmp_path):
    picture = slowdowns_of(tmp_path, {f"e{number}": 0.01 + 0.002 * number for number in range(12)})
    width, _ = style.pixels(picture.figure)
    (legend,) = picture.figure.legends
    assert len(legend.get_texts()) <= 8
    assert min(text.get_fontsize() for text in legend.get_texts()) * 96 / 72 * 358 / width >= 8.5
    assert len(picture.alt.split()) <= 60
    picture.figure.draw_without_rendering()
    (axes,) = picture.figure.axes
    assert not legend.get_window_extent().overlaps(axes.get_window_extent())
