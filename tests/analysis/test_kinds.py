"""What kind of network a workload is follows from its layers, and the home page says who is ahead at each kind."""

import campaign
import pytest

from analysis.estimate.estimates import estimate_all
from analysis.load.table import read_results
from analysis.site.pages import kinds
from bench import registry


@pytest.mark.parametrize(
    ("workload", "kind"),
    [
        ("mnist_mlp", kinds.DENSE), ("bn_mlp", kinds.DENSE), ("mnist_cnn", kinds.CONVOLUTIONS),
        ("resnet50_features", kinds.CONVOLUTIONS), ("imdb_gru", kinds.RECURRENCES), ("mnist_hrnn", kinds.RECURRENCES),
        ("gpt", kinds.ATTENTION), ("of nobody", None),
    ],
)  # fmt: skip
def test_the_layers_tell_the_kind(workload, kind):
    assert kinds.kind(workload) == kind


def test_every_workload_is_of_a_kind():
    assert {kinds.kind(name) for name in registry.workload_names()} == set(kinds.KINDS)


def table(folder, times, rounds=6):
    cases = [campaign.case(name, workload=workload) for workload in ("mnist_mlp", "imdb_gru") for name in times]
    return kinds.table(
        estimate_all(read_results(campaign.write(folder, campaign.lines(cases, campaign.noisy(times), rounds))))
    )


def test_who_may_be_the_fastest_is_counted_by_kind(tmp_path):
    text = table(tmp_path, {"red": 0.01, "blue": 0.02})
    assert text.count("Red 1.0 in 1 of 1") >= 2
    assert kinds.ATTENTION not in text


def test_those_that_tie_are_all_named(tmp_path):
    text = table(tmp_path, {"red": 0.01, "blue": 0.01})
    assert "Blue 1.0 in 1 of 1&#59; Red 1.0 in 1 of 1" in text


def test_who_was_not_measured_in_all_networks_is_named(tmp_path):
    cases = [campaign.case("red"), campaign.case("blue"), campaign.case("green"),
             *(campaign.case(name, workload="imdb_gru") for name in ("red", "blue"))]  # fmt: skip
    lines = campaign.lines(cases, campaign.noisy({"red": 0.01, "blue": 0.02, "green": 0.03}), 6)
    text = kinds.table(estimate_all(read_results(campaign.write(tmp_path, lines))))
    assert "Not measured in all of these 2 networks&#58; Green 1.0 lacks 1." in text
    assert "Not measured" not in table(tmp_path / "all", {"red": 0.01, "blue": 0.02})


def test_without_a_ranking_there_is_no_table(tmp_path):
    assert table(tmp_path, {"red": 0.01, "blue": 0.02}, rounds=1) == ""
