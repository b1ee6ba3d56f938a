"""The newest whole campaign of a control is judged and shown, and damage stops its own control alone."""

import campaign
import numpy as np
import shown
from judging import NAME, about, cost, judge, lines, runs, sabotaged, said, twins, without, write

from analysis import controls
from analysis.controls import spread
from analysis.data import schema
from analysis.data.judged import CONTROLS
from analysis.site.pages import checked


def apart(*spreads, rounds=6):
    """Return a campaign of two names for each environment's program: so far apart from round to round, in turns."""
    random = np.random.default_rng(7)
    truth = dict(zip(["red", "blue", "green"], spreads, strict=False))

    def times(number):
        drift, sign = random.normal(1, 0.1), (-1) ** number
        return {f"{name}-{twin}": 0.002 * drift * np.exp(sign * own * (twin == "a")) * np.array([1, 1, 2])
                for name, own in truth.items() for twin in "ab"}  # fmt: skip

    return lines(*runs(times, rounds))


def test_names_that_lie_close_together_pass_and_the_steadiest_environment_is_named():
    judged = judge(spread, apart(0.02, 0.005))
    assert judged.passes
    assert "The steadiest is blue" in judged.finding
    assert "differs by 0.55 %" in judged.finding  # +-0.005, with one degree of freedom less than rounds
    assert dict(zip(judged.evidence["environment"], judged.evidence["for twins"], strict=True)) == {
        "blue": "chosen", "Red 1.0": "",
    }  # fmt: skip
    assert judge(spread, apart(0.02, 0.03)).passes is False
    assert judge(spread, lines()).passes is None
    assert judge(spread, apart(0.001, rounds=2)).passes is None


def test_an_environment_of_which_a_run_has_no_time_is_not_the_steadiest_and_says_why():
    judged = judge(spread, without(apart(0.02, 0.005), "blue-a", [2]))
    assert judged.passes is False
    assert "The steadiest is Red 1.0" in judged.finding
    assert "killed: planted" in judged.evidence.to_string()


def test_names_that_were_not_alive_together_are_no_pair():
    given = apart(0.005)
    for line in given:
        if line["kind"] == "run" and line["round"] <= 3 and line["case"]["environment"] == "red-b":
            line["group"] = 1
    assert list(judge(spread, given).evidence["rounds"]) == ["3"]


def test_every_control_says_what_it_is_when_it_passes_and_how_it_is_measured():
    for module in controls.found().values():
        assert controls.about(module).criterion.startswith("Passes when")
        assert module.__doc__.count("\n\n") >= 2


def evidence(folder):
    """Return the data file of controls, made of the results in a folder."""
    judged = controls.judge_all(folder / "results")
    return schema.text(CONTROLS, shown.found(folder / "results")._replace(controls=judged))


def page(folder):
    """Return the page of controls, made of the results in a folder."""
    judged = controls.judge_all(folder / "results")
    return checked.controls_page(shown.found(folder / "results")._replace(controls=judged))


def test_the_newest_whole_campaign_is_judged(tmp_path):
    write(tmp_path, "waiting", lines(sabotaged("constant", "")), "20261120-000000")
    write(tmp_path, "waiting", lines(sabotaged("constant", "training_learns_one_batch")), "20261121-000000")
    write(tmp_path, "waiting", lines(sabotaged("constant", ""))[:-1], "20261122-000000")
    write(tmp_path, "overhead", lines()[:-1])
    judged = controls.judge_all(tmp_path)["test-machine"]
    assert judged["waiting"].passes
    assert judged["overhead"].finding.startswith("It was begun and not finished")
    assert judged["spread"].finding.startswith("Not measured here yet")


def test_an_impossible_run_counts_as_one_without_a_time(tmp_path):
    given = apart(0.005)
    for line in given:
        if line["kind"] == "run" and line["case"]["environment"] == "red-a":
            line["loss_last"] = line["loss_first"]
    write(tmp_path, "spread", given)
    judged = controls.judge_all(tmp_path)["test-machine"]["spread"]
    assert judged.passes is None
    assert judged.finding.startswith("No environment has enough rounds")


def test_a_control_says_which_program_bore_all_names_and_which_rounds_were_void(tmp_path):
    given = twins()
    void = campaign.void(campaign.case("competitor-01"), 9, NAME, kept="it was repeated 2 times already")
    write(tmp_path / "results", "planted", [*given[:2], said("planted", about()), *given[2:-1], void, given[-1]])
    judged = controls.judge_all(tmp_path / "results")["test-machine"]["same"]
    assert judged.subject == "linear in Red 1.0; void rounds: 1 kept though disturbed (other processes)"
    assert "1 kept though disturbed (other processes)" in evidence(tmp_path)


def test_a_damaged_file_stops_its_control_alone_and_the_reason_is_shown(tmp_path):
    two_keys = twins(rounds=2)
    write(tmp_path / "results", "planted", [*two_keys[:-1], two_keys[-2], two_keys[-1]])
    write(tmp_path / "results", "spread", apart(0.005))
    judged = controls.judge_all(tmp_path / "results")["test-machine"]
    assert judged["spread"].passes
    for name in ("same", "planted", "coverage"):
        assert judged[name].passes is None
        assert "It cannot be read: planted/2026-11-21 1500.jsonl, line 30: expected one line" in judged[name].finding
    assert page(tmp_path).count("It cannot be read") == 3


def test_an_older_file_that_is_damaged_does_not_hide_the_newest(tmp_path):
    write(tmp_path, "waiting", lines(sabotaged("constant", "training_learns_one_batch")), "20261121-000000")
    (tmp_path / "test-machine/controls/waiting/20261120-000000.jsonl").write_text("{}\n{}\n")
    assert controls.judge_all(tmp_path)["test-machine"]["waiting"].passes
    (tmp_path / "test-machine/controls/waiting/20261122-000000.jsonl").write_text("{}\n{}\n")
    assert "It cannot be read" in controls.judge_all(tmp_path)["test-machine"]["waiting"].finding


def test_the_page_says_that_no_control_was_measured(tmp_path):
    assert page(tmp_path).count("not measured") == len(controls.found())


def test_the_page_shows_each_verdict_and_nothing_hostile(tmp_path):
    hostile = "<script>alert(1)</script>"
    write(tmp_path / "results", "overhead", lines(cost([0.02] * 10, [0.02] * 10, [0.02] * 10, environment=hostile)))
    write(tmp_path / "results", "spread", apart(0.02))
    text = page(tmp_path)
    assert "<script" not in text
    assert text.count("passes</strong>") == text.count("fails</strong>") == 1
