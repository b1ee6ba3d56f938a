"""Without a reference there is a reason instead of a verdict, and the command prints all."""

import json

import campaign
import pytest
from verified import CASES, THEIRS, YOURS, found, gives_no_answer, lines, published, reasons, verdicts

from analysis import units
from analysis.__main__ import RESULTS, main
from analysis.load.campaigns import read_campaigns
from analysis.verify import report
from analysis.verify.bands import verify


def on_gpu(name, gpu="Some GPU", **changes):
    return lines([campaign.case("red", device="gpu")], name=name, gpu=gpu, **changes)


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
    assert [each.beside is None for each in verification.cases] == [True, True, False, False]
    beside = verification.cases[2].beside
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
        return found(lines(), *theirs).cases[2].beside

    assert "blue 1.0.3" in beside("1.0.3", "0.9.0", "1.1.0").differs
    assert beside("1.0.1", "1.0.1", "0.9.0").cell.campaign.name == "2026-11-11 0900"


def test_what_another_model_file_did_is_shown_beside_too():
    verification = found(lines(), campaign.remade(published()))
    assert report.sentence(verification).endswith("but what another version did is shown.")
    assert verification.cases[0].beside.differs == "published by another version of the model file"


def test_another_machine_or_other_threads_are_shown_nowhere():
    for other in (published(cpu="Another CPU"), published(threads=1), published(rounds=2)):
        assert [each.beside for each in found(lines(), with_version(other, "0.9.0")).cases] == [None] * 4


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
    assert (report.newest(tmp_path).name, report.newest(tmp_path, THEIRS).name) == (YOURS, THEIRS)


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


def test_the_newest_campaign_of_each_machine_can_be_judged_by_the_others():
    everything = read_campaigns(RESULTS)
    newest = {each.machine: each for each in sorted(everything, key=lambda each: each.name)}
    assert newest
    for each in newest.values():
        assert report.text(verify(each, everything))
