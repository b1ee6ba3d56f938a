"""The home page: a sentence that follows from its table, and a figure of the same numbers."""

import re

import campaign
import shown
from page_parts import CASES, found
from shown import changed, text_of

from analysis import kinds
from analysis.figures import slowdowns
from analysis.site.pages import framework, workload
from bench import registry


def test_the_home_page_opens_with_who_leads_what_and_when_it_was_measured(tmp_path):
    truth = {"red": 0.010, "blue": 0.013, "green": 0.020}
    page = framework.home(found(tmp_path, CASES, campaign.noisy(truth), rounds=8))
    assert "Red leads everywhere. On CPUs, Red leads dense networks." in text_of(page)
    assert '<time class="age" datetime="2026&#45;11&#45;20">' in page or 'datetime="2026-11-20"' in page


def test_the_table_and_the_figure_show_the_same_set(tmp_path):
    made = found(tmp_path, CASES, campaign.noisy({"red": 0.010, "blue": 0.013, "green": 0.020}), rounds=8)
    (row,) = kinds.grid(made)
    lines, _ = slowdowns.wanted(made)["home"]
    (line,) = lines
    assert {mark.name: (mark.low, mark.high) for mark in line.marks} == {
        name: (own.low, own.high) for name, own in row.ranges.items()
    }


def test_a_network_is_shown_with_the_number_of_threads_that_is_usual_on_its_machine(tmp_path):
    times = campaign.noisy({"red": 0.010, "blue": 0.013})
    usual, linear = ([dict(each, **more) for each in CASES[:2]]
                     for more in ({}, {"workload": "linear", "optimizer": "adam"}))  # fmt: skip
    one = campaign.lines([*usual, *linear], times)
    other = changed(campaign.lines(usual, times, campaign="2026-11-20 1000"), "bench", threads=2)
    page = workload.page(shown.found(tmp_path, one, other), "mnist_mlp")
    assert re.findall(r"\d threads?", text_of("".join(re.findall("<caption>(.*?)</caption>", page)))) == ["4 threads"]


def test_the_home_page_shows_each_task_s_own_default_mode(tmp_path):
    cases = [make(name, mode) for make in (campaign.case, campaign.over_data) for name in ("red", "blue")
             for mode in ("eager", "compiled")]  # fmt: skip
    lines = campaign.lines(cases, campaign.noisy({"red": 0.010, "blue": 0.013}), rounds=8)
    made = shown.found(tmp_path, campaign.documenting(lines, train="eager", epochs="compiled"))
    assert {cell.row[1] for each in made.defaults for cell in each.cells} == {"eager"}


def test_the_list_of_networks_says_who_is_fastest_and_who_ties(tmp_path):
    truth = {"red": 0.010, "blue": 0.010, "green": 0.020}
    usual = next(iter(registry.workload("linear").OPTIMIZERS))
    cases = [*CASES, *(campaign.case(name, workload="linear", optimizer=usual) for name in ("red", "green"))]
    text = text_of(workload.index(found(tmp_path, cases, campaign.noisy(truth))))
    assert "MLP on MNIST dense Blue 1/1, Red 1/1" in text
    assert "Two dense layers, 1,000 vectors dense Red 1/1" in text
