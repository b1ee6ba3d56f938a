"""Other timing tools measure pairs of known ratio: each task once, in random order, and a failure ends nothing."""

import contextlib
import json
import sys

import pytest

from bench.driver import lock
from bench.peers import __main__ as campaign
from bench.peers import pairs, tools
from bench.peers.tools import Outcome, Tool


def fake(measure, absence=""):
    return Tool(measure, lambda: absence, lambda: "1.0")


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """Return a function that runs the command with some tools, and returns the lines of the results."""
    monkeypatch.setattr(campaign.registry, "STATE", str(tmp_path / "state"))
    monkeypatch.setattr(lock, "alone", lambda **_: contextlib.nullcontext())
    monkeypatch.setattr(pairs, "scale", lambda *_: pairs.Scale(0.1, 0.005))

    def run(known, *words):
        monkeypatch.setattr(campaign, "TOOLS", known)
        results = tmp_path / "results"
        monkeypatch.setattr(sys, "argv", ["peers", f"--results={results}", "--machine=a-machine", *words])
        assert campaign.main() == 0
        return [json.loads(line) for line in (results / "a-machine/peers/numpy.jsonl").read_text().splitlines()]

    return run


def right(pair, _):
    return Outcome(pair.truth, pair.truth > 1, [[1.0, 1.0], [pair.truth, pair.truth]])


def test_an_interrupted_campaign_measures_only_what_is_left(measured):
    measured({"one": fake(right)}, "--repeats=1")
    lines = measured({"one": fake(right)}, "--repeats=2")
    keys = [(line["truth"], line["repeat"]) for line in lines]
    assert sorted(keys) == [(1.0, 0), (1.0, 1), (1.03, 0), (1.03, 1)]


def test_a_tool_that_fails_is_recorded_and_the_others_continue(measured):
    def fails(*_):
        raise RuntimeError("no such option")

    lines = measured({"one": fake(fails), "other": fake(right)}, "--repeats=1")
    assert {line["tool"]: line["problem"] for line in lines} == {"one": "RuntimeError: no such option", "other": ""}


def test_a_tool_that_is_absent_is_left_out_with_the_reason(measured, capsys):
    lines = measured({"one": fake(right, "not installed: apt install one"), "other": fake(right)}, "--repeats=1")
    assert {line["tool"] for line in lines} == {"other"}
    assert "one is left out. not installed: apt install one" in capsys.readouterr().err


def test_the_slower_program_comes_first_about_as_often_as_second():
    firsts = [campaign.Task("one", 1.03, repeat).is_slower_first for repeat in range(100)]
    assert 30 < sum(firsts) < 70


def test_the_slower_program_does_the_stated_share_more():
    assert "range(103)" in pairs.source("numpy", 1.03)
    assert pairs.source("numpy", 1.0) == pairs.source("numpy", 1.001)


def test_each_compared_tool_states_its_rule():
    assert [name for name in tools.TOOLS if name.split()[0] not in tools.__doc__] == []
