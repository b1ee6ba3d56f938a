"""The figure of slow-downs follows the data, and can be read on a telephone."""

import campaign
import pytest
from drawing import found

from analysis.figures import slowdowns, style


def slowdowns_of(folder, truth):
    made = found(folder, campaign.noisy(truth), [campaign.case(name) for name in truth])
    return slowdowns.draw(*slowdowns.wanted(made)["workloads/mnist_mlp"])


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
