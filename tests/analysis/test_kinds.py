"""What kind of network a workload is follows from its layers, and the home page says who is ahead at each kind."""

import re

import campaign
import pytest
import shown

from analysis import kinds, releases
from analysis.estimate import standing
from analysis.site import feed
from analysis.site.pages import framework, workload
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


def grid(folder, *campaigns):
    return {row.kind: row for row in kinds.grid(shown.found(folder, *campaigns))}


def lines(times, workloads=("mnist_mlp", "imdb_gru"), **about):
    cases = [campaign.case(name, workload=workload, optimizer=next(iter(registry.workload(workload).OPTIMIZERS)))
             for workload in workloads for name in times]  # fmt: skip
    return campaign.lines(cases, campaign.noisy(times), 6, **about)


def test_a_row_holds_each_family_s_slow_down_and_no_row_is_empty(tmp_path):
    rows = grid(tmp_path, lines({"red": 0.01, "blue": 0.02}))
    assert set(rows) == {kinds.DENSE, kinds.RECURRENCES}
    blue = rows[kinds.DENSE].ranges["Blue"]
    assert blue.low == blue.high == pytest.approx(2, rel=0.05)
    assert kinds.on_all(rows[kinds.DENSE]) == ["Red"]


def test_a_machine_with_one_campaign_stands_beside_none_with_many(tmp_path):
    published = [lines({"red": 0.01, "blue": 0.02}, campaign=f"2026-11-2{day} 0900") for day in (0, 1)]
    own = campaign.changed(lines({"red": 0.02, "blue": 0.01}, campaign="2026-11-23 0900"), "bench",
                           machine={**campaign.bench([])["machine"], "name": "own"})  # fmt: skip
    assert grid(tmp_path, *published, own)[kinds.DENSE].ranges["Red"].machines == ["test-machine"]


def test_networks_that_a_family_lacks_do_not_count_for_the_others(tmp_path):
    both = lines({"red": 0.01, "blue": 0.02}, ("mnist_mlp", "linear"))
    more = lines({"red": 0.01, "blue": 0.02, "green": 0.03}, ("mnist_mlp",), campaign="2026-11-21 0900")
    assert {tuple(own.networks) for own in grid(tmp_path, both, more)[kinds.DENSE].ranges.values()} == {("mnist_mlp",)}


def test_the_headline_says_who_leads_and_where_that_depends_on_the_machine():
    led = {kinds.DENSE: {"a": ["Red"], "b": ["Red", "Blue"]}, kinds.ATTENTION: {"a": ["Red"], "b": ["Blue"]}}
    rows = [kinds.Row(kind, "CPU", {}, leaders, ["fp32"]) for kind, leaders in led.items()]
    assert kinds.headline(rows, "CPU") == "Red leads dense networks; attention depends on the machine"
    assert kinds.headline(rows, "GPU") == ""


RANKED = [each for each in registry.environments().values() if each.is_default][:2]
BESIDE = next(each for each in map(registry.environment, sorted(releases.of_recent_years())) if not each.is_default)


def beside(folder):
    """Return what a campaign found in which a framework that is not measured by default is half as fast as the best."""
    times = {RANKED[0].name: 0.01, RANKED[1].name: 0.03, BESIDE.name: 0.02}
    made = lines(times, ("mnist_mlp",))
    titles = {each.name: each.title for each in (*RANKED, BESIDE)}
    titled = ({**line, "title": titles[line["environment"]]} if line["kind"] == "environment" else line
              for line in made)  # fmt: skip
    return shown.found(folder, list(titled))


def test_a_framework_that_is_not_measured_by_default_is_shown_beside_the_ranked_ones(tmp_path):
    (row,) = kinds.grid(beside(tmp_path))
    assert row.ranges.keys() == {standing.family(each.title) for each in RANKED}
    own = row.others[standing.family(BESIDE.title)]
    assert (own.networks, own.low) == (["mnist_mlp"], pytest.approx(2, rel=0.05))


def test_the_home_page_the_network_s_page_and_the_framework_s_page_tell_how_far_it_is_behind(tmp_path):
    made = beside(tmp_path)
    assert f"Also measured: {standing.family(BESIDE.title)}" in shown.text_of(framework.home(made))
    assert f"{BESIDE.title} 2.0x" in shown.text_of(framework.index(made))
    beside_the_table = shown.text_of(workload.page(made, "mnist_mlp"))
    assert re.search(
        rf"Beside the fastest above \(~: not significant\): {standing.family(BESIDE.title)} 2\.\d+x", beside_the_table
    )
    assert f"{standing.family(BESIDE.title)} 2.0x" in shown.text_of(framework.page(made, BESIDE.framework))


def test_the_feed_names_an_environment_when_it_is_first_measured(tmp_path):
    (entry,) = feed.new(beside(tmp_path))
    assert entry.title.startswith("Measured for the first time: ")
    assert all(each.title in entry.title for each in (*RANKED, BESIDE))
