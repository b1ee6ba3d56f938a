"""A framework's page says where it leads and lags no more surely than ranks do, and what its folder holds."""

import re

import campaign
import pytest
from shown import changed, found, text_of

from analysis.site.pages import framework, framework_ranks
from analysis.text import sentences
from bench import registry

NAMES = registry.framework_names()
OWN = {name: [each for each in registry.environments().values() if each.framework == name] for name in NAMES}
WORKLOADS = ("mnist_mlp", "linear", "imdb_gru")
NAME = next(each for each in NAMES if all(registry.answers(OWN[each][0], w) for w in WORKLOADS))
ONE = OWN[NAME][0]  # an environment of a framework that answers these workloads
TIMES = {ONE.name: {"mnist_mlp": 0.01, "linear": 0.01, "imdb_gru": 0.02},
         "other": {"mnist_mlp": 0.02, "linear": 0.01, "imdb_gru": 0.01}}  # fmt: skip
OLD, NEW = "2026-11-18 0900", "2026-11-20 0900"
STANDING, VERSIONS = "Where it leads and lags", "Its versions over time"


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
    """Return what stands below a heading."""
    return text_of(page.split(f"## {heading} {{")[1].partition("\n")[2].split("\n## ")[0])


def test_where_it_leads_alone_ties_and_lags_is_told_by_rank(tmp_path):
    made = found(tmp_path, measure(TIMES))
    told = part(framework.page(made, NAME), STANDING)
    assert told.startswith(f"{ONE.title} is among the fastest in 2 of 3 ranked workloads, in 1 of them alone.")
    assert re.search(r"It lags most in .*: (1\.9|2\.0)\d times the fastest \(1\.9\d to 2\.\d\d\)\.", told)


def test_a_place_says_no_more_than_the_rank(tmp_path):
    times = {"red": {"mnist_mlp": 0.01}, "blue": {"mnist_mlp": 0.01}, "gold": {"mnist_mlp": 0.02}}
    (answer,) = found(tmp_path, measure(times)).answers
    assert {cell.row[0]: framework_ranks.place(answer, cell) for cell in answer.cells} == {
        "red": framework_ranks.TIED, "blue": framework_ranks.TIED, "gold": framework_ranks.BEHIND,
    }  # fmt: skip
    (few,) = found(tmp_path / "few", measure(times, rounds=2)).answers
    assert {framework_ranks.place(few, cell) for cell in few.cells} == {framework_ranks.UNRANKED}


def test_its_ratios_are_those_of_the_workload_s_page(tmp_path):
    made = found(tmp_path, measure({ONE.name: {"linear": 0.015}, "other": {"linear": 0.01}}))
    (answer,) = made.defaults
    (cell,) = (each for each in answer.cells if each.row[0] == ONE.name)
    told = part(framework.page(made, NAME), STANDING)
    assert f"{sentences.rank(answer, cell)} {sentences.ratio(cell)} \u00d7 {sentences.ratio_between(cell)}" in told


def test_too_few_rounds_rank_nobody(tmp_path):
    made = found(tmp_path, measure({ONE.name: {"linear": 0.02}, "other": {"linear": 0.01}}, rounds=2))
    assert "too few rounds for a rank in any of 1 workload" in part(framework.page(made, NAME), STANDING)


def test_each_machine_has_its_own_standing(tmp_path):
    times = {ONE.name: {"linear": 0.01}, "other": {"linear": 0.02}}
    turned = {ONE.name: {"linear": 0.02}, "other": {"linear": 0.01}}
    made = found(tmp_path, measure(times, machine="one"), measure(turned, machine="two"))
    told = part(framework.page(made, NAME), STANDING)
    first, second = told.split("### On machine 2")
    assert "in 1 of 1 ranked workload, in 1 of them alone" in first
    assert "in 0 of 1 ranked workload" in second


def test_the_index_counts_where_an_environment_is_among_the_fastest(tmp_path):
    index = framework.index(found(tmp_path, measure(TIMES)))
    assert re.search(rf"{re.escape(ONE.title)} {ONE.name} 1.0.0 3 2 1 (1\.9|2\.0)\d", text_of(index))


def test_one_version_is_said_to_be_one(tmp_path):
    page = framework.page(found(tmp_path, measure({ONE.name: {"linear": 0.01}})), NAME)
    assert part(page, VERSIONS).startswith("Each of its environments was measured in one version")


def test_a_new_version_stands_beside_the_one_before(tmp_path):
    new = changed(measure({ONE.name: {"linear": 0.005}}, seed=2), "environment", loaded={ONE.name: "2.0"})
    page = framework.page(found(tmp_path, measure({ONE.name: {"linear": 0.01}}, OLD), new), NAME)
    told = part(page, VERSIONS)
    assert "of 1 case in both, 1 shorter" in told
    assert f"{ONE.name} 2.0" in told


def test_a_framework_without_a_time_says_so(tmp_path):
    page = framework.page(found(tmp_path, measure({"other": {"linear": 0.01}})), NAME)
    assert "None of its environments has a time on this machine" in part(page, STANDING)
    assert part(page, VERSIONS) == "No version of it has a time yet."


@pytest.mark.parametrize("name", NAMES)
def test_its_pins_are_those_of_its_folder(tmp_path, name):
    told = part(framework.page(found(tmp_path), name), "Its environments")
    for environment in OWN[name]:
        for pin in (*environment.packages, *environment.cpu, *environment.gpu):
            assert " ".join(pin.split()) in told


@pytest.mark.parametrize("name", NAMES)
def test_its_defaults_are_those_of_the_rosetta_pages(tmp_path, name):
    told = part(framework.page(found(tmp_path), name), "What has to be written out")
    for key, value in OWN[name][0].differs.items():
        assert f"{key.replace('_', ' ')} {' '.join(value.split())}" in told


@pytest.mark.parametrize("name", NAMES)
def test_a_workload_without_a_model_file_is_named(tmp_path, name):
    told = part(framework.page(found(tmp_path), name), "What it does not answer")
    absent = [each for each in registry.workload_names() if not registry.answers(OWN[name][0], each)]
    stated = OWN[name][0].unanswered
    assert told.count("no model file: ") == len(absent) - len(stated)
    assert set(stated) <= set(absent), "what is answered needs no reason"
    assert all(stated.get(each, f"bench/frameworks/{name}/{each}.py") in told for each in absent)


def test_a_workload_that_failed_keeps_its_reason(tmp_path):
    cases = [campaign.case(ONE.name, workload="linear", optimizer="adam")]
    made = found(tmp_path, as_registered(campaign.lines(cases, campaign.always("out_of_memory"))))
    told = part(framework.page(made, NAME), "What it does not answer")
    assert "out of memory: it was planted" in told
    assert "no published campaign asked for it" in told


def test_several_environments_of_one_framework_stand_beside_each_other(tmp_path):
    several = next((name for name in NAMES if len(OWN[name]) > 1), None)
    if several is None:
        pytest.skip("every framework has one environment")
    first, second = OWN[several][:2]
    times = {first.name: {"mnist_mlp": 0.01, "linear": 0.01}, second.name: {"mnist_mlp": 0.02, "linear": 0.02}}
    page = framework.page(found(tmp_path, measure(times)), several)
    assert "### Its environments beside each other" in page
    assert f"By the geometric mean over 2 workloads: fastest of 2: {first.title} (eager); " in text_of(page)


def test_an_environment_that_the_newest_campaign_lacks_keeps_its_version(tmp_path):
    made = found(tmp_path, measure({ONE.name: {"linear": 0.01}}, OLD), measure({"other": {"imdb_gru": 0.01}}))
    assert f"{ONE.title} {ONE.name} 1.0.0 1 0 0" in text_of(framework.index(made))
