"""What the page on input pipelines says of loaders comes from the rounds: rates, waiting, and claims that can lose."""

import re

import campaign
import pytest

from analysis import lessons, literature
from analysis.estimate.estimates import estimate_all
from analysis.found import Found
from analysis.load.table import read_results
from analysis.text import loaders
from analysis.text.summary import summary

MODES = {"": 0.1, "image_files": 0.4, "raw_records": 0.2}  # seconds of a pass of 96 photographs


def found(folder, passes=MODES, machines=("test-machine",), device="cpu"):
    cases = [campaign.fed("red", loader, device=device) for loader in passes]
    times = campaign.noisy({"red": 1.0})

    def pass_s(about, number):
        return times(about, number) * passes[about["mode"].partition("+")[2]]

    for machine in machines:
        campaign.write(folder, campaign.lines(cases, pass_s, machine=machine))
    results = read_results(folder)
    return Found(results, [], [], [], changed=estimate_all(results.ablations))


def test_a_network_waits_for_what_it_takes_longer_than_alone(tmp_path):
    (answer,) = found(tmp_path).changed
    shares = {cell.row[1]: loaders.waits(answer, cell) for cell in answer.measured}
    assert shares["eager"] is None
    assert shares["eager+image_files"].value == pytest.approx(0.75, abs=0.01)
    assert shares["eager+image_files"].low < 0.75 < shares["eager+image_files"].high
    assert shares["eager+raw_records"].value == pytest.approx(0.5, abs=0.01)
    assert "Red 1.0 50 % (One file of raw pixels)" in loaders.finding(answer)


def test_a_network_whose_steps_are_changed_is_held_against_itself_alone(tmp_path):
    passes = {**MODES, "trunk_trained": 0.3, "trunk_trained+image_files": 0.6, "trunk_trained+raw_records": 0.4}
    (answer,) = found(tmp_path, passes).changed
    shares = {cell.row[1]: loaders.waits(answer, cell) for cell in answer.measured}
    assert shares["eager+trunk_trained"] is None
    assert shares["eager+trunk_trained+image_files"].value == pytest.approx(0.5, abs=0.01)
    assert shares["eager+image_files"].value == pytest.approx(0.75, abs=0.01)
    told = [loaders.named(loaders.fed_by(cell)) for cell in answer.measured]
    assert told[0] == loaders.ALONE
    assert sum(each.endswith(loaders.ALONE) for each in told) == 2


@pytest.mark.parametrize(("passes", "verdict"), [
    (MODES, "true"), ({**MODES, "raw_records": 0.8}, "false"), ({"": 0.1, "image_files": 0.4}, "not measured"),
    ({"trunk_trained": 0.3, "trunk_trained+image_files": 0.6, "trunk_trained+raw_records": 0.4}, "true"),
    ({"trunk_trained+image_files": 0.6, "raw_records": 0.2}, "not measured"),  # they train other networks
])  # fmt: skip
def test_the_claim_that_records_beat_files_is_judged_by_the_rounds(tmp_path, passes, verdict):
    claims = [each for each in literature.claims() if each.id == "records-beat-files"]
    assert [each.verdict for each in lessons.judge_claims(claims, found(tmp_path, passes).results, [])] == [verdict]


def test_the_terminal_ranks_loaders_and_tells_what_waits(tmp_path):
    text = summary(found(tmp_path).results)
    assert re.search(r"^rank +environment +mode +pass ", text, re.MULTILINE)
    modes = [line.split()[3] for line in text.splitlines() if line.split()[1:2] == ["Red"]]
    assert modes == ["eager", "eager+raw_records", "eager+image_files"]
    assert "CNN on photographs waits for its photographs at least: Red 1.0 50 % (One file of raw" in text
    assert "No ratio has an interval" not in text
