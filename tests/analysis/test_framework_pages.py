"""A framework's page says where it leads and lags no more surely than ranks do, and what its folder holds."""

import re

import campaign
import pytest
from shown import changed, found, text_of

from analysis import units
from analysis.site.pages import framework, workload
from bench import registry

NAMES = registry.framework_names()
OWN = {name: [each for each in registry.environments().values() if each.framework == name] for name in NAMES}
WORKLOADS = ("mnist_mlp", "linear", "imdb_gru")
NAME = next(each for each in NAMES if all(registry.answers(OWN[each][0], w) for w in WORKLOADS))
ONE = OWN[NAME][0]  # an environment of a framework that answers these workloads
TIMES = {ONE.name: {"mnist_mlp": 0.01, "linear": 0.01, "imdb_gru": 0.02},
         "other": {"mnist_mlp": 0.02, "linear": 0.01, "imdb_gru": 0.01}}  # fmt: skip
OLD, NEW = "2026-11-18 0900", "2026-11-20 0900"
STANDING, VERSIONS, TRAPS = (
    "Where it leads, where it is behind",
    "Versions over time",
    "Known traps, with measured cost",
)


def as_registered(lines):
    """Give the synthetic environments what their framework's folders say."""
    known = registry.environments()
    return [dict(each, framework=known[each["environment"]].framework, title=known[each["environment"]].title)
            if each["kind"] == "environment" and each["environment"] in known else each for each in lines]  # fmt: skip


def measure(times, name=NEW, rounds=5, noise=0.01, seed=1, **about):
    """Return a campaign: times are {environment: {workload: seconds}}."""
    cases = [campaign.case(environment, workload=workload, optimizer=next(iter(registry.workload(workload).OPTIMIZERS)))
             for environment, own in times.items() for workload in own]  # fmt: skip
    noisy = campaign.noisy(dict.fromkeys(times, 1.0), noise, seed)
    truth = lambda about, number: times[about["environment"]][about["workload"]] * noisy(about, number)  # noqa: E731
    return as_registered(campaign.lines(cases, truth, rounds=rounds, seed=seed, campaign=name, **about))


def part(page, heading):
    """Return the content below a heading."""
    return text_of(page.split(f"## {heading} {{")[1].partition("\n")[2].split("\n## ")[0])


def test_where_it_leads_and_where_it_is_behind_is_told_with_numbers(tmp_path):
    page = framework.page(found(tmp_path, measure(TIMES)), NAME)
    (brief,) = re.findall(r'<p class="brief">(.*?)</p>', page)
    assert "fastest or tied in 2 of 3 results" in text_of(brief)
    assert re.search(r"GRU on IMDB reviews: (1\.9|2\.0|2\.1)x slower \(\d\.\d+ to \d\.\d+\)", part(page, STANDING))


def test_a_difference_that_is_not_proven_is_not_told_as_behind(tmp_path):
    page = framework.page(found(tmp_path, measure({ONE.name: {"linear": 0.01}, "other": {"linear": 0.01}})), NAME)
    assert "slower (" not in part(page, STANDING)


def test_two_versions_are_compared_where_both_were_measured(tmp_path):
    new = changed(measure({ONE.name: {"linear": 0.005}}, seed=2), "environment", loaded={ONE.name: "2.0"})
    page = framework.page(found(tmp_path, measure({ONE.name: {"linear": 0.01}}, OLD), new), NAME)
    assert re.search(r"The second is faster in 1, slower in 0 of 1 comparison, ratio 0\.(4|5)\d", part(page, VERSIONS))


def test_a_framework_without_a_time_says_so(tmp_path):
    page = framework.page(found(tmp_path, measure({"other": {"linear": 0.01}})), NAME)
    assert "Not measured yet." in part(page, STANDING)
    assert "No significant effect measured." in part(page, TRAPS)


@pytest.mark.parametrize("name", NAMES)
def test_its_pins_and_defaults_are_on_its_page_of_code(name):
    assert f'--8<-- "bench/frameworks/{name}/framework.toml"' in workload.code_page(name)


@pytest.mark.parametrize("name", [name for name in NAMES if any(each.is_default for each in OWN[name])])
def test_the_defaults_of_a_framework_of_today_are_on_its_page(tmp_path, name):
    told = text_of(framework.page(found(tmp_path), name))
    assert [value for value in OWN[name][0].differs.values() if " ".join(value.split()) not in told] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_network_without_code_is_named(tmp_path, name):
    told = text_of(framework.page(found(tmp_path), name)).rpartition("No code for: ")[2]
    absent = [each for each in registry.workload_names() if not registry.answers(OWN[name][0], each)]
    assert [each for each in absent if units.workload_title(each) not in told] == []


def test_the_index_lists_every_framework_with_its_environments(tmp_path):
    told = text_of(framework.index(found(tmp_path)))
    assert [each.title for own in OWN.values() for each in own if each.title not in told] == []
