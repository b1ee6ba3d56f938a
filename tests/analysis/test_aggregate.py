"""Questions taken together: the kind of run that most networks have, and means that are never over unequal parts."""

import campaign
import pytest

from analysis.estimate import aggregate
from analysis.estimate.estimates import estimate_all
from analysis.load.table import read_results
from analysis.stats.shared_variance import Between


def near(value):
    """Return a planted value, which blocks of a synthetic run scatter around."""
    return pytest.approx(value, rel=1e-2)


def read(folder, cases, times, rounds=5):
    results = read_results(campaign.write(folder, campaign.lines(cases, times, rounds=rounds)))
    return results, estimate_all(results)


def tasks(answers):
    return {each.question.task for each in answers}


def by_size(sizes=(128, 256), names=("red", "blue"), **more):
    return [campaign.case(name, batch_size=size, **more) for name in names for size in sizes]


def by_network(networks):
    return [campaign.case(name, workload=each) for name in ("red", "blue") for each in networks]


CUT = campaign.over_data("red", data="mnist-stand-in-8")


@pytest.mark.parametrize(
    ("others", "best"),
    [
        ([campaign.over_data("red")], "epochs"),
        ([CUT], "train"),
        ([campaign.over_data("red"), campaign.case("red", workload="linear")], "train"),
    ],
)
def test_training_over_data_comes_before_steps_but_not_where_it_is_cut_or_fewer_networks_have_it(
    tmp_path, others, best
):
    _, answers = read(tmp_path, [campaign.case("red"), *others], campaign.always(1.0))
    assert tasks(aggregate.best(answers)) == {best}
    assert tasks(aggregate.over_data(answers)) == {"epochs"}


def geometric_means(results, answers, rows):
    return aggregate.pooled(results, answers, average=aggregate.geometric, rows=rows)


def test_a_stand_in_and_its_data_set_are_never_shown_as_one(tmp_path):
    cases = [campaign.over_data("red"), campaign.over_data("red", data="mnist")]
    _, answers = read(tmp_path, cases, campaign.always(1.0))
    assert {each.question.data for each in aggregate.best(answers)} == {"mnist"}


def test_sizes_of_a_data_set_are_never_shown_as_one_and_the_largest_comes_first(tmp_path):
    names = ("mnist-stand-in-32", "mnist-stand-in", "mnist-stand-in-64")
    _, answers = read(tmp_path, [campaign.over_data("red", data=name) for name in names], campaign.always(1.0))
    assert {each.question.data for each in aggregate.best(answers)} == {"mnist-stand-in"}
    cut = [each for each in answers if each.question.data != "mnist-stand-in"]
    assert {each.question.data for each in aggregate.best(cut)} == {"mnist-stand-in-64"}


def test_without_any_time_nothing_is_best(tmp_path):
    _, answers = read(tmp_path, [campaign.case("red")], campaign.always("failed"))
    assert aggregate.best(answers) == []


def test_tiers_and_precisions_stay_apart(tmp_path):
    cases = [campaign.case("red"), campaign.case("red", tier="tuned"), campaign.case("red", precision="tf32")]
    _, answers = read(tmp_path, cases, campaign.always(1.0))
    assert len(aggregate.blocks(answers)) == 3


def test_the_mean_is_arithmetic_and_its_ratios_are_paired(tmp_path):
    drift = {1: 1.0, 2: 2.0, 3: 4.0, 4: 8.0, 5: 16.0}
    truth = {("red", 128): 1.0, ("red", 256): 3.0, ("blue", 128): 2.0, ("blue", 256): 4.0}
    times = lambda about, number: truth[about["environment"], about["batch_size"]] * drift[number]  # noqa: E731
    results, answers = read(tmp_path, by_size(), times)
    (pair,) = aggregate.pooled(results, answers).pairs
    assert pair.ratio.value == near(1.5)  # (2 + 4) / (1 + 3) in every round
    assert pair.claim == "faster"


def test_a_competitor_that_lacks_a_part_has_no_mean_and_a_reason(tmp_path):
    lost = lambda about, _: "timeout" if (about["environment"], about["batch_size"]) == ("blue", 256) else 1.0  # noqa: E731
    results, answers = read(tmp_path, by_size(), lost)
    cells = {cell.row[0]: cell for cell in aggregate.pooled(results, answers).cells}
    assert cells["red"].time.value == near(1.0)
    assert (cells["blue"].time, cells["blue"].reason) == (None, "timeout: it was planted")


def test_a_competitor_that_was_not_asked_everywhere_has_no_mean(tmp_path):
    results, answers = read(tmp_path, [*by_size(names=("red",)), campaign.case("blue")], campaign.always(1.0))
    blue = next(cell for cell in aggregate.pooled(results, answers).cells if cell.row[0] == "blue")
    assert blue.time is None
    assert aggregate.PART_MISSING in blue.reason


def test_a_mean_over_networks_is_over_what_all_of_them_have(tmp_path):
    cases = [*by_size(), *by_size(sizes=(128,), workload="linear")]
    results, answers = read(tmp_path, cases, lambda about, _: float(about["batch_size"]))
    means = aggregate.means(results, answers)
    assert set(means) == {"", "mnist_mlp", "linear"}
    assert all(cell.time.value == near(128.0) for each in means.values() for cell in each.measured)


def test_a_mean_is_over_the_facets_that_share_the_most_rounds_where_campaigns_measured_others(tmp_path):
    for day, size, rounds in ((18, 128, 5), (19, 256, 3)):
        cases = by_size(sizes=(size,)) + by_size(sizes=(size,), workload="linear")
        times = campaign.always(float(size))
        campaign.write(tmp_path, campaign.lines(cases, times, rounds=rounds, campaign=f"2026-11-{day} 0900"))
    results = read_results(tmp_path)
    means = aggregate.means(results, estimate_all(results))
    assert all(cell.time.value == near(128.0) for each in means.values() for cell in each.measured)
    assert means[""].measured


def test_networks_without_a_common_batch_size_have_no_mean(tmp_path):
    cases = [campaign.case("red", batch_size=64), campaign.case("red", workload="linear", batch_size=128)]
    results, answers = read(tmp_path, cases, campaign.always(1.0))
    assert aggregate.means(results, answers) == {}


def test_the_first_epoch_and_the_cold_first_step_are_read_alike(tmp_path):
    results, answers = read(tmp_path, [campaign.case("red"), campaign.over_data("red")], campaign.always(1.0))
    epochs, steps = (aggregate.pooled(results, [each], aggregate.first_s).cells[0] for each in answers)
    assert (epochs.time.value, epochs.rounds) == (near(2.0), 1)  # only the first round emptied the caches
    assert (steps.time.value, steps.rounds) == (near(8.0), 1)


def test_what_a_first_epoch_takes_more_is_held_against_an_epoch_of_the_whole_data_set(tmp_path):
    results, _ = read(tmp_path, [campaign.over_data("red", batch_size=100)], campaign.always(1.0))
    steps = 60_000 // 100  # of 10 in the stand-in's epoch
    whole, first = (made(results.runs).iloc[0] for made in (aggregate.whole_epoch_s, aggregate.whole_first_s))
    assert (whole, first) == (near(steps / 10), near(steps / 10 + 1.0))


def test_a_geometric_mean_weighs_each_workload_alike(tmp_path):
    truth = {("red", "mnist_mlp"): 1.0, ("blue", "mnist_mlp"): 2.0, ("red", "linear"): 1e-4, ("blue", "linear"): 8e-4}
    cases = [campaign.case(name, workload=workload) for name, workload in truth]
    results, answers = read(tmp_path, cases, lambda about, _: truth[about["environment"], about["workload"]])
    own, rows = aggregate.shared(aggregate.of_one_campaign(results, answers))
    mean = geometric_means(results, own, rows)
    assert mean.pairs[0].ratio.value == near(4.0)  # the root of 2 times 8
    assert [cell.rank for cell in mean.cells] == [1, 2]


def test_means_of_what_took_turns_tell_nothing_of_blocks(tmp_path):
    cases = [campaign.case("red", workload=each) for each in ("mnist_mlp", "linear")]
    lines = campaign.in_turns(campaign.lines(cases, campaign.always(0.01), rounds=4))
    results = read_results(campaign.write(tmp_path, lines))
    (red,) = geometric_means(results, *aggregate.shared(estimate_all(results))).cells
    assert (red.time.value, red.trend) == (near(0.01), None)


def test_equals_tie_over_workloads_too(tmp_path):
    results, answers = read(tmp_path, by_network(("mnist_mlp", "linear")), campaign.noisy({"red": 0.01, "blue": 0.01}))
    assert [cell.rank for cell in geometric_means(results, *aggregate.shared(answers)).cells] == [1, 1]


@pytest.mark.parametrize(("pooled", "variance"), [(["mnist_mlp"] * 2, 0.04), (["mnist_mlp", "linear"], 0.01)])
def test_a_mean_over_workloads_has_the_variance_between_campaigns_that_they_have_in_common(tmp_path, pooled, variance):
    between = {("", True): Between(0.01, 9.0), ("mnist_mlp", True): Between(0.04, 9.0)}
    _, answers = read(tmp_path, by_network(("mnist_mlp",)), campaign.always(0.01))
    shared = answers[0].shared
    known = shared._replace(pairs=shared.pairs._replace(freedom=8.0, between=between)).of_mean(pooled)
    assert (known.pairs.apart("mnist_mlp", in_turns=True).variance, known.pairs.freedom) == (variance, 0)


def test_rounds_of_two_campaigns_are_never_one(tmp_path):
    for day, workload in ((18, "mnist_mlp"), (19, "linear")):
        lines = campaign.lines(by_network([workload]), campaign.always(0.01), campaign=f"2026-11-{day} 0900")
        campaign.write(tmp_path, lines)
    results = read_results(tmp_path)
    answers = estimate_all(results)
    assert aggregate.pooled(results, answers).measured == []
    (one,) = aggregate.of_one_campaign(results, answers)
    assert one.question.workload == "linear"  # the newest of two that answer as many


def test_a_campaign_that_made_one_round_of_a_workload_leaves_the_mean_of_the_others_as_many_as_they_have(tmp_path):
    cases = {each: by_network([each]) for each in ("mnist_mlp", "linear")}
    first = campaign.lines([*cases["mnist_mlp"], *cases["linear"]], campaign.always(0.01), rounds=4)
    cut = [line for line in first if line["kind"] != "run" or line["case"] in cases["mnist_mlp"] or line["round"] == 1]
    campaign.write(tmp_path, cut)
    campaign.write(tmp_path, campaign.lines(cases["linear"], campaign.always(0.01), campaign="2026-11-21 0900"))
    results = read_results(tmp_path)
    own = aggregate.of_one_campaign(results, estimate_all(results))
    assert [each.question.workload for each in own] == ["linear"]  # the newest of two that answer as many


def test_one_that_answers_little_is_left_out_of_the_mean_instead_of_what_others_share(tmp_path):
    cases = [*by_network(("mnist_mlp", "linear", "bn_mlp")), campaign.case("gold", workload="linear")]
    _, answers = read(tmp_path, cases, campaign.always(0.01))
    own, rows = aggregate.shared(answers)
    assert (len(own), {row[0] for row in rows}) == (3, {"red", "blue"})
