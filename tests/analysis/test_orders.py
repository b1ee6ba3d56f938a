"""An article's order of frameworks survives where the same software is claimed to be in it, and not otherwise."""

import campaign
import pytest
import shown

from analysis import literature
from analysis.compare import orders
from analysis.estimate import lineage
from analysis.estimate.estimates import estimate_all
from analysis.literature import Figure
from analysis.load.table import read_results
from analysis.site.pages import article
from bench import registry

NAMES = {"red": "Rose", "blue": "Bluebell", "green": "Moss"}


@pytest.fixture(autouse=True)
def _printed(monkeypatch):
    (some, *_) = registry.environments().values()
    known = {name: some._replace(name=name, printed=printed) for name, printed in NAMES.items()}
    again = {"gold": some._replace(name="gold", printed="Rose")}
    monkeypatch.setattr(registry, "environments", lambda *_: {**known, **again})


def printed(monkeypatch, unit="s", **values):
    figures = [Figure("An article", "1. Times", "mnist_mlp", name, "K80", "time", value, unit, "")
               for name, value in values.items()]  # fmt: skip
    monkeypatch.setattr(literature, "figures", lambda *_: figures)


def found(folder, **truth):
    cases = [campaign.case(name) for name in truth]
    (answer,) = estimate_all(read_results(campaign.write(folder, campaign.lines(cases, campaign.noisy(truth), 8))))
    return orders.of(answer)


def test_each_published_order_is_confirmed_or_reversed_or_not_significant(tmp_path, monkeypatch):
    printed(monkeypatch, Rose="30", Bluebell="50", Moss="70")
    (own,) = found(tmp_path, red=0.03, blue=0.01, green=0.01)
    assert (own.same, own.contrary) == ([], [("Rose", "Bluebell"), ("Rose", "Moss")])
    assert own.open == [("Bluebell", "Moss")]
    assert own.told == (
        "3 published orders in '1. Times' (K80): 2 reversed and 1 not significant. "
        "Reversed: Rose before Bluebell and Rose before Moss."
    )
    assert found(tmp_path / "as-then", red=0.01, blue=0.02, green=0.03)[0].told == (
        "3 published orders in '1. Times' (K80): 3 as published."
    )


def test_printed_ranges_that_overlap_are_in_no_order(tmp_path, monkeypatch):
    printed(monkeypatch, Rose="2.5-2.7", Bluebell="2.6", Moss="1.4")
    (own,) = found(tmp_path, red=0.03, blue=0.02, green=0.01)
    assert sorted(own.same) == [("Moss", "Bluebell"), ("Moss", "Rose")]
    assert (own.contrary, own.open) == ([], [])


def test_of_two_environments_of_one_name_the_first_with_a_time_stands_for_it(tmp_path, monkeypatch):
    printed(monkeypatch, Rose="1", Bluebell="2")
    assert found(tmp_path / "first", red=0.01, blue=0.02, gold=0.04)[0].same == [("Rose", "Bluebell")]
    assert found(tmp_path / "other", blue=0.02, gold=0.04)[0].contrary == [("Rose", "Bluebell")]


@pytest.mark.parametrize("unit", ["", "images/s"])
def test_what_is_no_time_has_no_order(tmp_path, monkeypatch, unit):
    printed(monkeypatch, unit, Rose="0.7", Bluebell="0.8")
    assert found(tmp_path, red=0.01, blue=0.02) == []


def test_an_article_s_page_says_what_the_years_brought_and_what_became_of_its_order(tmp_path, monkeypatch):
    printed(monkeypatch, Rose="30", Bluebell="50")
    monkeypatch.setattr(lineage, "released", lambda: {"red": "2017-11", "blue": "2018-01", "green": "2026-06"})
    truth = {"red": 0.03, "blue": 0.02, "green": 0.01}
    made = shown.found(tmp_path, campaign.lines([campaign.case(name) for name in truth], campaign.noisy(truth)))
    told = shown.text_of(article.then(made, ["linear", "mnist_mlp"]))
    assert "1 published order in '1. Times' (K80): 1 reversed. Reversed: Rose before Bluebell." in told
    assert "Test at 3 GHz, 8 CPUs: 1 published order, 1 reversed." in shown.text_of(article.then_and_now(made))
    assert "No version of years ago" in article.then(made, ["linear"])


def test_every_name_that_a_folder_says_is_printed_stands_in_a_table(monkeypatch):
    monkeypatch.undo()
    known = {each.framework for each in literature.figures()}
    assert {each.printed for each in registry.environments().values()} - {""} <= known
