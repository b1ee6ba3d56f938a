"""Tests of the table of published trainings on several devices."""

import pytest

from analysis.compare import published_scaling
from analysis.literature import Figure
from analysis.site.pages import devices
from tests.analysis import shown

ONE = Figure("A report", "1. Times", "vgg16", "Rose", "1 x Card", "training time", "30", "min", "")


def test_a_time_falls_and_a_rate_rises_with_the_devices():
    rate = ONE._replace(metric="throughput", unit="images/s", value="100")
    figures = [
        ONE,
        ONE._replace(hardware="4 x Card", value="10"),
        rate,
        rate._replace(hardware="4 x Card", value="300"),
    ]
    found = published_scaling.published(figures)
    assert [(each.devices, each.hardware, each.speed_up) for each in found] == [(4, "Card", 3.0)] * 2
    assert found[0].efficiency == pytest.approx(0.75)


def test_a_published_efficiency_needs_no_time_of_one_device():
    found = published_scaling.published(
        [ONE._replace(hardware="512 x Card", metric=published_scaling.EFFICIENCY, unit="%", value="90")]
    )
    assert found[0].speed_up == pytest.approx(460.8)


def test_numbers_of_other_hardware_tables_or_frameworks_are_not_divided():
    others = [{"hardware": "4 x Board"}, {"table": "2. Times"}, {"framework": "Lily"}, {"workload": "vgg19"}]
    for other in others:
        assert not published_scaling.published(
            [ONE, ONE._replace(**{"hardware": "4 x Card", "value": "10", **other})]
        ), other


def test_the_page_shows_what_the_article_printed_and_later_reports():
    text = shown.text_of(devices.page(None))
    assert (
        "The Rosetta Stone of frameworks, table 2a DenseNet-121 4 x V100 Chainer: 3.62 (90.6 %), MXNet (Gluon): 2.9"
        in text
    )
    assert "Horovod" in text
    assert "DLPerf" in text
