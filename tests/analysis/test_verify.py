"""Is a machine as fast as published: bands, verdicts, what has no reference and why, and the command that tells."""

import json

import campaign
import numpy as np
import pytest

from analysis import units
from analysis.__main__ import RESULTS, main
from analysis.compare import baseline
from analysis.load.campaigns import campaign_of, read_campaigns
from analysis.verify import report
from analysis.verify.bands import HOSTS, half_widths, judge, place
from bench.cases import Case

RED, BLUE = campaign.case("red"), campaign.case("blue")
CASES = [campaign.case(name, workload=workload) for name in ("red", "blue") for workload in ("mnist_mlp", "imdb_gru")]
TRUTH = {"red": 0.010, "blue": 0.013}
YOURS, THEIRS = "2026-11-25 0900", "2026-11-20 0900"


def lines(cases=CASES, factor=1.0, name=YOURS, seed=1, noise=0.01, rounds=5, **changes):
    """Return a campaign whose times are `factor` times the truth; `changes` are of its machine."""
    times = campaign.noisy({key: factor * value for key, value in TRUTH.items()}, noise, seed)
    made = campaign.lines(cases, times, rounds=rounds, seed=seed, campaign=name)
    threads = changes.pop("threads", made[0]["threads"])
    made[0] = {**made[0], "threads": threads, "machine": {**made[0]["machine"], **changes}}
    return made


def found(yours, *theirs):
    return report.verify(campaign_of(yours), [campaign_of(each) for each in theirs])


def published(**changes):
    return lines(name=THEIRS, seed=2, **changes)


def verdicts(verification):
    return [each.verdict for each in verification.verdicts.cases]


def reasons(verification):
    return {each.reason for each in verification.verdicts.cases}


def test_a_machine_like_the_published_one_is_within():
    verification = found(lines(), published())
    assert verdicts(verification) == ["within"] * 4
    assert (verification.exit_code, report.sentence(verification)) == (0, "As fast as published. Of 4 cases: 4 within.")


def test_a_slower_machine_is_told_by_how_much_and_with_its_interval():
    verification = found(lines(factor=1.5), published())
    assert verdicts(verification) == ["slower"] * 4
    assert verification.exit_code == 1
    for each in verification.verdicts.cases:
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
    (red,) = verification.verdicts.groups
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
        found = judge(campaign_of(yours), [campaign_of(theirs)])
        places = [each.place for each in (*found.cases, *found.groups)]
        wrong += any(each.verdict != "within" for each in places)
    assert wrong <= 7  # of 200 at one in a hundred: more comes by chance in one case of a thousand


def test_the_band_spans_the_campaigns_that_are_published_and_the_ratio_is_to_the_nearest():
    slow, fast = lines(factor=1.3, name="2026-11-18 0900", seed=3), published()
    assert verdicts(found(lines(factor=1.15), slow, fast)) == ["within"] * 4
    assert set(verdicts(found(lines(factor=1.7), slow, fast))) == {"slower"}
    (first, *_) = found(lines(factor=1.3), slow, fast).verdicts.cases
    assert first.references[first.place.nearest].campaign.name == "2026-11-18 0900"
    assert first.place.ratio.value == pytest.approx(1.0, abs=0.1)


def test_a_published_campaign_is_not_compared_with_itself():
    verification = found(published(), published())
    assert verdicts(verification) == ["no reference"] * 4


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


def on_gpu(name, gpu="Some GPU", **changes):
    cases = [campaign.case("red", device="gpu")]
    return lines(cases, name=name, gpu=gpu, **changes)


def test_on_a_gpu_the_gpu_decides_and_not_the_processor():
    assert verdicts(found(on_gpu(YOURS), on_gpu(THEIRS, cpu="Another CPU", threads=64))) == ["within"]
    assert reasons(found(on_gpu(YOURS), on_gpu(THEIRS, gpu="Other GPU"))) == {"nothing is published of Some GPU"}


def test_another_version_is_no_reference_and_is_named():
    verification = found(lines(), with_version(published(), "0.9.0"))
    assert reasons(verification) == {None, "published with blue 0.9.0, here blue 1.0.0"}
    assert verdicts(verification) == ["within", "within", "no reference", "no reference"]


def with_version(records, version):
    """Return records in which Blue loaded another version."""
    blue = records[1]
    assert (blue["kind"], blue["environment"]) == ("environment", "blue")
    return [records[0], {**blue, "loaded": {"blue": version}}, *records[2:]]


def test_what_another_version_did_is_shown_beside_and_gives_no_verdict():
    verification = found(lines(factor=1.5), with_version(published(), "0.9.0"))
    assert [each.beside is None for each in verification.verdicts.cases] == [True, True, False, False]
    beside = verification.verdicts.cases[2].beside
    assert beside.differs == "published with blue 0.9.0, here blue 1.0.0"
    assert beside.ratio.low < 1.5 < beside.ratio.high
    assert verdicts(verification)[2:] == ["no reference"] * 2
    assert not any("Blue" in name for name in verification.slower)
    text = report.text(verification)
    assert text.count("published with blue 0.9.0, here blue 1.0.0") == 3  # each case, and the reason
    assert report.FOR_INFORMATION in text
    assert json.loads(report.as_json(verification))["cases"][2]["beside"]["campaign"] == THEIRS


def test_of_several_other_versions_the_nearest_is_shown_and_of_its_campaigns_the_newest():
    def beside(*versions):
        theirs = [with_version(lines(name=f"2026-11-1{number} 0900", seed=number), version)
                  for number, version in enumerate(versions)]  # fmt: skip
        return found(lines(), *theirs).verdicts.cases[2].beside

    assert "blue 1.0.3" in beside("1.0.3", "0.9.0", "1.1.0").differs
    assert beside("1.0.1", "1.0.1", "0.9.0").cell.campaign.name == "2026-11-11 0900"


def test_what_another_model_file_did_is_shown_beside_too():
    verification = found(lines(), campaign.remade(published()))
    assert report.sentence(verification).endswith("but what another version did is shown.")
    assert verification.verdicts.cases[0].beside.differs == "published by another version of the model file"


def test_another_machine_or_other_threads_are_shown_nowhere():
    for other in (published(cpu="Another CPU"), published(threads=1), published(rounds=2)):
        assert [each.beside for each in found(lines(), with_version(other, "0.9.0")).verdicts.cases] == [None] * 4


def test_what_the_device_adds_to_versions_does_not_count():
    other = published()
    other[1]["loaded"] = {"blue": "1.0.0", "cudnn": "9", "device_name": "x"}
    assert set(verdicts(found(lines(), other))) == {"within"}


def test_another_case_is_no_reference():
    verification = found(lines(), lines(CASES[:1], name=THEIRS))
    assert verdicts(verification) == ["within", *["no reference"] * 3]
    assert reasons(verification) == {None, "nothing is published of this case on Test CPU at 3 GHz with 8 CPUs"}


def test_unfinished_and_smoke_campaigns_are_not_published():
    smoke = published()
    smoke[0]["profile"] = "smoke"
    for each in (smoke, published()[:-1]):
        assert reasons(found(lines(), each)) == {"nothing is published yet"}


def test_the_nearest_obstacle_is_the_reason():
    other = lines(name="2026-11-18 0900", cpu="Another CPU")
    assert reasons(found(lines(threads=1), published(), other)) == {"published with 4 threads, here 1"}


def test_too_few_rounds_of_your_own_give_no_verdict():
    verification = found(lines(rounds=2), published())
    assert reasons(verification) == {"a verdict needs 3 rounds with a time, here 2: give --budget"}
    assert gives_no_answer(verification)


def gives_no_answer(verification):
    return (verification.exit_code, report.sentence(verification)[:10]) == (2, "No answer:")


def test_too_few_rounds_are_no_answer_although_another_case_has_no_reference():
    more = [*CASES, campaign.over_data("red")]
    assert gives_no_answer(found(lines(more, rounds=2), published()))
    assert found(lines(more), published()).exit_code == 0


def test_a_case_without_a_time_keeps_its_reason():
    times = lambda about, _number: "out_of_memory" if about == CASES[0] else 0.01  # noqa: E731
    yours = campaign.lines(CASES, times, campaign=YOURS)
    verification = found(yours, published())
    assert verdicts(verification)[0] == "not measured"
    assert "not measured: out of memory: it was planted\n    mnist_mlp, Red 1.0" in report.text(verification)


def test_where_nothing_was_measured_there_is_no_answer():
    assert gives_no_answer(found(campaign.lines(CASES, campaign.always("absent"), campaign=YOURS), published()))


def test_without_noise_the_band_is_that_of_hosts():
    found = place([2.0] * 3, [[2.0] * 3], 0.99)
    assert (found.verdict, found.band) == ("within", pytest.approx((2.0 / HOSTS, 2.0 * HOSTS)))


def test_every_case_that_was_asked_for_is_a_cell_in_order():
    found = baseline.cells(campaign_of(lines()))
    assert list(found) == [Case(**each) for each in CASES]


def test_the_command_tells_and_its_exit_code_is_for_scripts(tmp_path, capsys):
    campaign.write(tmp_path / "published", published())
    for factor, code in ((1.0, 0), (1.5, 1)):
        mine = campaign.write(tmp_path / str(code), lines(factor=factor))
        assert main(["verify", str(mine), "--published", str(tmp_path / "published")]) == code
    assert "published band" in capsys.readouterr().out


def test_the_command_answers_in_json(tmp_path, capsys):
    published_in, mine = campaign.write(tmp_path / "p", published()), campaign.write(tmp_path / "m", lines())
    assert main(["verify", str(mine), "--published", str(published_in), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [each["verdict"] for each in answer["cases"]] == ["within"] * 4
    assert {each["of"] for each in answer["together"]} == {"Red 1.0", "Blue 1.0", "all of them"}


def test_the_newest_campaign_is_judged_unless_one_is_named(tmp_path):
    for name in (THEIRS, YOURS):
        campaign.write(tmp_path, lines(name=name))
    assert report.newest(tmp_path).name == YOURS
    assert report.newest(tmp_path, THEIRS).name == THEIRS


def test_an_empty_folder_says_how_to_measure(tmp_path, capsys):
    assert main(["verify", str(tmp_path)]) == 2
    assert "nox -s verify" in capsys.readouterr().err


def test_a_result_file_cannot_move_the_terminals_cursor():
    yours = lines()
    for each in yours[1:3]:
        each["title"] = "Red \x1b[31m"
    assert "\x1b" not in report.text(found(yours, published()))


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.314, "31 %"), (0.69, "31 %"), (1.99, "99 %"), (2.0, "a factor of 2.00"), (51.8, "a factor of 51.8")],
)
def test_how_far_a_ratio_is_from_one_is_said_in_words(ratio, text):
    assert units.away(ratio) == text


def test_help_says_what_the_exit_codes_mean(capsys):
    with pytest.raises(SystemExit):
        main(["verify", "--help"])
    assert "1 something is clearly slower" in capsys.readouterr().out


def test_each_published_campaign_can_be_judged_by_the_others():
    everything = read_campaigns(RESULTS)
    for each in everything:
        assert report.text(report.verify(each, everything))
