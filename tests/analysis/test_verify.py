"""A machine is held against what is published of its like: within, faster, slower by how much."""

import campaign
import numpy as np
import pytest
from verified import CASES, THEIRS, YOURS, found, gives_no_answer, lines, published, reasons, verdicts

from analysis.compare import baseline
from analysis.verify import report
from analysis.verify.bands import HOSTS, half_widths, place, verify
from bench.cases import Case


def test_a_machine_like_the_published_one_is_within():
    verification = found(lines(), published())
    assert verdicts(verification) == ["within"] * 4
    assert (verification.exit_code, report.sentence(verification)) == (0, "As fast as published. Of 4 cases: 4 within.")


def test_a_slower_machine_is_told_by_how_much_and_with_its_interval():
    verification = found(lines(factor=1.5), published())
    assert (verdicts(verification), verification.exit_code) == (["slower"] * 4, 1)
    for each in verification.cases:
        assert each.place.ratio.low < 1.5 < each.place.ratio.high
    assert report.sentence(verification).startswith("Slower than published: Red 1.0 by 5")


def test_a_faster_machine_is_no_reason_to_act():
    verification = found(lines(factor=0.6), published())
    assert (set(verdicts(verification)), verification.exit_code) == ({"faster"}, 0)
    assert report.sentence(verification).startswith("As fast as published, or faster.")


def test_one_slow_case_is_found_among_others():
    slow = lines()
    for each in slow:
        if each["kind"] == "run" and each["case"] == CASES[1]:
            each["block_s"] = [1.6 * value for value in each["block_s"]]
    verification = found(slow, published())
    assert verdicts(verification).count("slower") == 1
    assert "imdb_gru, Red 1.0, eager b128 rmsprop by" in report.sentence(verification)


def test_what_hosts_of_one_kind_differ_by_is_not_slower():
    theirs = campaign.lines(CASES, campaign.always(0.010), campaign=THEIRS)
    for factor, code in ((0.99 * HOSTS, 0), (1.03 * HOSTS, 1)):
        assert found(campaign.lines(CASES, campaign.always(factor * 0.010), campaign=YOURS), theirs).exit_code == code


def test_an_environment_tells_more_than_its_cases():
    workloads = ("linear", "mnist_mlp", "bn_mlp", "mnist_cnn", "imdb_gru", "cifar10_cnn")
    cases = [campaign.case("red", workload=workload) for workload in workloads]
    random = np.random.default_rng(5)
    noise = lambda factor: lambda _about, _number: float(factor * random.normal(1, 0.05))  # noqa: E731
    slow = campaign.lines(cases, noise(1.25), campaign=YOURS)
    verification = found(slow, campaign.lines(cases, noise(1.0), campaign=THEIRS))
    (red,) = verification.groups
    assert red.place.verdict == "slower"
    assert verdicts(verification).count("slower") < len(cases)
    assert report.sentence(verification).startswith("Slower than published: Red 1.0 by 2")


def test_the_band_is_the_textbooks_prediction_interval_for_a_mean():
    yours, theirs = [1.0, 1.2, 1.1], [1.0, 1.05, 1.1, 1.2]
    logs = [np.log(yours), np.log(theirs)]
    pooled = np.sqrt((2 * logs[0].var(ddof=1) + 3 * logs[1].var(ddof=1)) / 5)
    quantile = 4.0321  # Student's t, five degrees of freedom, 99.5 %
    assert half_widths(yours, [theirs], 0.99) == pytest.approx([quantile * pooled * np.sqrt(1 / 3 + 1 / 4)], rel=1e-4)


def test_one_verification_in_a_hundred_misjudges_a_machine_like_the_published_one():
    cases = [campaign.case(name, workload=f"w{number}") for name in ("red", "blue") for number in range(4)]
    random = np.random.default_rng(11)
    wrong = 0
    for _ in range(200):
        times = lambda _about, _number: float(np.exp(random.normal(0, 0.2)))  # noqa: E731
        yours, theirs = (campaign.lines(cases, times, rounds=rounds, campaign=name)
                         for rounds, name in ((3, YOURS), (4, THEIRS)))  # fmt: skip
        found = verify(campaign.of(yours), [campaign.of(theirs)])
        places = [each.place for each in (*found.cases, *found.groups)]
        wrong += any(each.verdict != "within" for each in places)
    assert wrong <= 7  # of 200 at one in a hundred: more comes by chance in one case of a thousand


def test_the_band_spans_the_campaigns_that_are_published_and_the_ratio_is_to_the_nearest():
    slow, fast = lines(factor=1.3, name="2026-11-18 0900", seed=3), published()
    assert verdicts(found(lines(factor=1.15), slow, fast)) == ["within"] * 4
    assert set(verdicts(found(lines(factor=1.7), slow, fast))) == {"slower"}
    (first, *_) = found(lines(factor=1.3), slow, fast).cases
    assert first.references[first.place.nearest].campaign.name == "2026-11-18 0900"
    assert first.place.ratio.value == pytest.approx(1.0, abs=0.1)


def test_a_published_campaign_is_not_compared_with_itself():
    assert verdicts(found(published(), published())) == ["no reference"] * 4


def test_without_anything_published_it_says_what_was_measured_and_how_to_contribute():
    verification = found(lines())
    text = report.text(verification)
    assert (verification.exit_code, reasons(verification)) == (0, {"nothing is published yet"})
    assert "No reference:" in text
    assert " ms" in text
    assert "pull request" in text


@pytest.mark.parametrize(
    ("yours", "theirs", "why"),
    [
        (lines(), published(cpu="Another CPU"), "nothing is published of Test CPU at 3 GHz with 8 CPUs"),
        (lines(threads=1), published(), "published with 4 threads, here 1"),
        (lines(), published(rounds=2), "published with 2 rounds: a band needs 3"),
        (lines(), campaign.remade(published()), "published by another version of the model file"),
    ],
)
def test_another_machine_other_threads_few_rounds_and_another_model_file_are_no_reference(yours, theirs, why):
    assert reasons(found(yours, theirs)) == {why}


def test_a_folder_of_the_same_name_is_not_the_same_machine():
    assert set(verdicts(found(lines(name="x", logical_cpus=4), published()))) == {"no reference"}
    other_name = lines()
    other_name[0]["machine"]["name"] = "renamed"
    assert set(verdicts(found(other_name, published()))) == {"within"}


def test_too_few_rounds_are_no_answer_although_another_case_has_no_reference():
    more = [*CASES, campaign.over_data("red")]
    assert gives_no_answer(found(lines(more, rounds=2), published()))
    assert found(lines(more), published()).exit_code == 0


def test_a_case_without_a_time_keeps_its_reason():
    times = lambda about, _number: "out_of_memory" if about == CASES[0] else 0.01  # noqa: E731
    verification = found(campaign.lines(CASES, times, campaign=YOURS), published())
    assert verdicts(verification)[0] == "not measured"
    assert "not measured: out of memory: it was planted\n    mnist_mlp, Red 1.0" in report.text(verification)


def test_where_nothing_was_measured_there_is_no_answer():
    assert gives_no_answer(found(campaign.lines(CASES, campaign.always("absent"), campaign=YOURS), published()))


def test_without_noise_the_band_is_that_of_hosts():
    found = place([2.0] * 3, [[2.0] * 3], 0.99)
    assert (found.verdict, found.band) == ("within", pytest.approx((2.0 / HOSTS, 2.0 * HOSTS)))


def test_every_case_that_was_asked_for_is_a_cell_in_order():
    assert [times.case for times in baseline.cells(campaign.of(lines()))] == [Case(**each) for each in CASES]
