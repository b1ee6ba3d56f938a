"""Then and now: versions of one software are compared only in rounds that they share."""

import re

import campaign
import pytest

from analysis.estimate import lineage
from analysis.estimate.estimates import estimate_all
from analysis.figures import then_and_now
from analysis.found import Found
from analysis.load.table import read_results
from analysis.site.pages import article
from bench import registry

MONTHS = {"red": "2017-11", "blue": "2018-12", "green": "2026-06", "gold": "2026-03"}
TITLES = {"red": "Fern 1.0", "blue": "Moss 2.1 on Oak 1.4", "green": "Fern 3.15", "gold": "Moss 4.0 on Oak 9.2"}
TRUTH = {"red": 0.03, "blue": 0.02, "green": 0.01, "gold": 0.02}


@pytest.fixture(autouse=True)
def _released(monkeypatch):
    monkeypatch.setattr(lineage, "released", lambda: MONTHS)


def answers(folder, names=tuple(MONTHS), rounds=6, truth=None, **changes):
    """Return the answers of one campaign, each environment with its title."""
    made = campaign.lines([campaign.case(name, **changes) for name in names], campaign.noisy(truth or TRUTH), rounds)
    titled = [
        {**line, "title": TITLES[line["environment"]]} if line["kind"] == "environment" else line for line in made
    ]
    return estimate_all(read_results(campaign.write(folder, titled)))


@pytest.mark.parametrize(
    ("title", "named"),
    [("PyTorch 1.0", "PyTorch"), ("Keras 2.1 on TensorFlow 1.4", "Keras on TensorFlow"),
     ("JAX 0.10, Flax NNX", "JAX, Flax NNX")],
)  # fmt: skip
def test_titles_that_differ_in_versions_alone_name_one_software(title, named):
    assert lineage.software(title) == named


def test_what_the_years_brought_is_the_ratio_of_the_oldest_version_to_the_newest(tmp_path):
    (answer,) = answers(tmp_path)
    fern, moss = lineage.gains(answer)
    assert (fern.software, fern.older.cell.title, fern.newer.cell.title) == ("Fern", "Fern 1.0", "Fern 3.15")
    assert fern.ratio.low < 3 < fern.ratio.high
    assert fern.claim == "faster"
    assert moss.ratio.low < 1 < moss.ratio.high


@pytest.mark.parametrize(("most", "named"), [(then_and_now.MOST, ["Fern", "Moss on Oak"]), (1, ["Fern"])])
def test_a_legend_names_software_not_versions_and_no_more_than_may_be_read(tmp_path, monkeypatch, most, named):
    monkeypatch.setattr(then_and_now, "MOST", most)
    made = answers(tmp_path)
    (charts,) = then_and_now.wanted(Found(read_results(tmp_path), made, [], []))["then_and_now"]
    picture = then_and_now.draw(charts)
    (legend,) = picture.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [*named, then_and_now.OTHERS]
    assert then_and_now.MOST < 8
    assert len(picture.data) == len(made[0].measured)


def test_the_table_has_a_speed_up_with_its_interval_for_each_software(tmp_path):
    (answer,) = answers(tmp_path)
    ((workload, fern, moss),) = article._years([answer], "../")[1]
    assert "batch 128" in workload
    assert re.fullmatch(r"[23]\.\d\dx faster \(2\.\d\d to 3\.\d\d\)", fern)
    assert re.fullmatch(r"(not significant|a tie): (0\.9|1\.0)\d \(0\.9\d to 1\.\d\d\)", moss)
    (old,) = answers(tmp_path / "one", rounds=1)
    assert article._years([old], "../")[1] == [], "one round has no interval"


def test_versions_that_share_no_round_are_not_compared(tmp_path):
    old = answers(tmp_path / "old", ["red"])[0]
    (gain,) = lineage.gains(old._replace(cells=[*old.cells, *answers(tmp_path / "new", ["green"])[0].cells], pairs=[]))
    assert (gain.ratio, gain.claim) == (None, "unresolved")


def test_versions_of_the_same_years_are_no_history(tmp_path):
    (answer,) = answers(tmp_path, ["green", "gold"])
    assert not lineage.has_history(answer)
    assert lineage.with_history([answer]) == {}


def test_rankings_of_today_are_as_if_no_old_version_had_been_measured_beside(tmp_path):
    (beside,) = answers(tmp_path / "beside")
    (alone,) = answers(tmp_path / "alone", ["green", "gold"], rounds=6)
    today = lineage.of_today(beside)
    assert {cell.row[0] for cell in today.cells} == {"green", "gold"}
    assert [pair.p for pair in today.pairs] == [pair.p_alone for pair in today.pairs]  # one pair: nothing to adjust for
    assert [cell.rank for cell in today.cells] == [cell.rank for cell in alone.cells]


def test_where_old_versions_alone_were_measured_they_are_shown(tmp_path):
    (old,) = answers(tmp_path, ["red", "blue"])
    assert {cell.row[0] for cell in lineage.of_today(old).cells} == {"red", "blue"}


def test_of_one_workload_the_question_with_most_old_versions_is_shown(tmp_path):
    few = answers(tmp_path / "few", ["red", "green", "gold"], batch_size=16)[0]
    many = answers(tmp_path / "many", ["red", "blue", "green"])[0]
    assert lineage.with_history([few, many]) == {"mnist_mlp": many}


def test_every_folder_states_the_month_of_each_version():
    for each in registry.environments().values():
        year, month = each.released.split("-")
        assert len(year) == 4, each.name
        assert 1 <= int(month) <= 12, each.name
