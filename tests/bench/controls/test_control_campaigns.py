"""The key stays sealed until the end, and an interrupted control goes on."""

import json
import os

import pytest
from control_runs import Measured, measured
from replies import REPLY

from bench import controls, registry
from bench.campaign import campaign as campaigns
from bench.controls import asking, twins
from bench.results import records
from bench.results.schema import content


def test_each_competitor_is_asked_what_the_key_discloses_after_the_last_run(place, tmp_path, monkeypatch):
    asked = Measured(monkeypatch).asked
    twins.measure_planted(place)
    (lines,) = measured(tmp_path, "planted")
    assert [line.kind for line in lines[:3]] == ["bench", "environment", "control"]
    assert lines[2].about == {"environment": "numpy-a", "mode": "plain", "workload": "mnist_mlp"}
    assert [line.kind for line in lines[-3:]] == ["run", "control", "end"]
    key = lines[-2].about
    assert key == {name: "{} {}".format(*plan) for name, _, plan in asked}
    assert sorted(key.values()) == sorted("{} {}".format(*plan) for plan in twins.plans())
    assert len(asked) == 2 * len(twins.plans())


def test_an_interrupted_campaign_goes_on_with_the_same_key_and_has_disclosed_nothing(place, interrupted, tmp_path):
    (lines,) = measured(tmp_path, "planted")
    assert len([line for line in lines if line.kind == "run"]) == len(twins.plans())
    text = json.dumps(list(map(content, lines)))
    assert not [word for word in ("device ", "host ", "percent", 'planted": ') if word in text]
    twins.measure_planted(place)
    (lines,) = measured(tmp_path, "planted")
    asked = interrupted.asked
    assert len({(name, round_) for name, round_, _ in asked}) == len(asked)  # nothing twice
    assert {name: "{} {}".format(*plan) for name, _, plan in asked} == lines[-2].about
    assert not os.listdir(twins.KEYS)


@pytest.mark.usefixtures("interrupted")
@pytest.mark.parametrize("left", [None, "", '{"competitor-01": ["dev'])
def test_without_its_key_or_with_one_that_cannot_be_read_a_campaign_is_begun_anew(left, place, tmp_path):
    (key,) = (tmp_path / "keys").iterdir()
    key.unlink() if left is None else key.write_text(left)
    twins.measure_planted(place)
    assert [lines[-1].kind for lines in measured(tmp_path, "planted")] == ["run", "end"]


def test_a_kill_between_the_key_and_the_end_leaves_one_key(place, tmp_path, monkeypatch):
    Measured(monkeypatch)
    write = campaigns.CampaignFile.write

    def killed(campaign, record):
        if record.kind == "end":
            raise KeyboardInterrupt
        return write(campaign, record)

    monkeypatch.setattr(campaigns.CampaignFile, "write", killed)
    with pytest.raises(KeyboardInterrupt):
        twins.measure_planted(place)
    monkeypatch.setattr(campaigns.CampaignFile, "write", write)
    twins.measure_planted(place)
    (lines,) = measured(tmp_path, "planted")
    assert [line.kind for line in lines[-3:]] == ["run", "control", "end"]


@pytest.mark.usefixtures("interrupted")
def test_a_campaign_of_another_environment_is_not_gone_on_with(place, tmp_path):
    (path,) = (tmp_path / "results/test/controls/planted").glob("*.jsonl")
    lines = records.read(str(path))
    lines[2].about["environment"] = "numpy-b"  # as if that had been the steadiest then
    unsealed = [{name: value for name, value in content(line).items() if name != "seal"} for line in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in unsealed))
    twins.measure_planted(place)
    first, second = measured(tmp_path, "planted")
    assert (first[-1].kind, second[-1].kind) == ("run", "end")
    assert second[2].about["environment"] == "numpy-a"


def test_what_cannot_be_is_refused_on_writing_in_every_control_of_runs(two, tmp_path, monkeypatch):
    Measured(monkeypatch, reply=lambda *_: {**REPLY, "loss_last": REPLY["loss_first"]})
    two.arguments.rounds = 2
    twins.measure_planted(two)
    for name in ("spread", "planted"):
        (lines,) = measured(tmp_path, name)
        assert {line.status for line in lines if line.kind == "run"} == {"implausible"}


def test_the_key_differs_from_time_to_time(place, tmp_path, monkeypatch):
    Measured(monkeypatch)
    for _ in range(3):
        twins.measure_planted(place)
    assert len({json.dumps(lines[-2].about, sort_keys=True) for lines in measured(tmp_path, "planted")}) == 3


def test_the_command_measures_a_control_and_goes_on_where_it_stopped(bench):
    words = ("--only", "waiting", "--environment", "numpy-a")
    bench("controls", *words)
    (path,) = bench.results.glob("controls/waiting/*.jsonl")
    whole = path.read_text()
    asked = [line for line in records.read(str(path)) if line.kind == "control"]
    assert {line.about["sabotage"]: line.status for line in asked} == {
        "nothing": "ok", "constant": "ok", "previous": "ok", "handle": "unsupported",
    }  # fmt: skip
    kept = whole.splitlines(keepends=True)[:-2]  # as if it had been killed before the last question
    path.write_text("".join(kept))
    bench("controls", *words)
    assert path.read_text().startswith("".join(kept))
    assert len(path.read_text().splitlines()) == len(whole.splitlines())


def test_a_command_that_was_interrupted_repeats_no_control_that_it_finished(two, monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "STATE", str(tmp_path))
    two.arguments.rounds = 2
    stand_in = Measured(monkeypatch, interrupted_after=2 * 4)  # in the next control's first run
    with pytest.raises(KeyboardInterrupt):
        controls.measure_all(two, ["spread", "planted"], None)
    controls.measure_all(two, ["spread", "planted"], None)
    assert len(stand_in.asked) == 2 * 4 + 2 * len(twins.plans())
    assert [len(measured(tmp_path, name)) for name in ("spread", "planted")] == [1, 1]
    controls.measure_all(two, ["spread", "planted"], None)  # from the end on it begins anew
    assert [len(measured(tmp_path, name)) for name in ("spread", "planted")] == [2, 2]


def test_a_budget_that_holds_nothing_measures_nothing_and_says_so(bench):
    done = bench("controls", "--only", "waiting", "--environment", "numpy-a", "--budget", "1s")
    assert "waiting: left out" in done.stderr
    assert not list(bench.results.glob("controls/*/*.jsonl"))


@pytest.mark.parametrize("content", ["", "[[1, 2", "null"])
def test_what_is_finished_cannot_be_read_and_nothing_is_taken_for_finished(content, two, monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "STATE", str(tmp_path))
    (tmp_path / "controls-finished.json").write_text(content)
    stand_in = Measured(monkeypatch)
    two.arguments.rounds = 2
    controls.measure_all(two, ["spread"], None)
    assert len(stand_in.asked) == 2 * 4
    assert not (tmp_path / "controls-finished.json").exists()


def test_what_is_kept_is_whole_or_as_it_was(tmp_path):
    path = str(tmp_path / "new" / "kept.json")
    asking.keep(path, {"a": 1})
    with pytest.raises(TypeError):
        asking.keep(path, {"a": object()})
    assert asking.kept(path) == {"a": 1}


def test_the_help_tells_every_control_and_its_time():
    for name in controls.CONTROLS:
        assert f"\n  {name} " in controls.HELP, name


def test_each_control_is_judged():
    from analysis import controls as judging

    assert {module.MEASURED for module in judging.found().values()} == set(controls.CONTROLS)
