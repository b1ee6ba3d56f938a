"""The steadiest environment bears all names."""

import numpy as np
import pytest
from control_runs import Measured, measured
from replies import REPLY

from bench import registry
from bench.campaign import estimates
from bench.controls import asking, twins
from bench.replies import Reply
from bench.results import spread


def apart(ratios):
    """Return replies in which the first of an environment's two names is so much slower, round by round."""

    def reply(case, number):
        name, _, twin = case.environment.rpartition("-")
        ratio = ratios[name][number - 1] if twin == "a" else 1.0
        if ratio is None:
            return {"status": "failed", "reason": "planted", "error_tail": None, "duration_s": 1.0}
        blocks = [0.1 * ratio, 0.11 * ratio, 0.12 * ratio]
        return {**REPLY, "block_s": blocks, "block_cpu_s": blocks, "block_order": [0, 1, 0]}

    return reply


STEADY, UNSTEADY = [1.0, 1.001, 1.0, 0.999, 1.0, 1.0], [1.0, 1.02, 1.0, 0.99, 1.01, 1.0]


def test_two_names_of_every_environment_take_turns_in_the_same_rounds(two, monkeypatch, tmp_path):
    stand_in = Measured(monkeypatch, reply=apart({"numpy-a": UNSTEADY, "numpy-b": STEADY}))
    twins.measure_spread(two)
    assert stand_in.together == [["numpy-a-a", "numpy-a-b", "numpy-b-a", "numpy-b-b"]] * twins.ROUNDS["spread"]
    (lines,) = measured(tmp_path, "spread")
    assert spread.spreads(lines) == pytest.approx(
        {"numpy-b": np.std(np.log(STEADY), ddof=1), "numpy-a": np.std(np.log(UNSTEADY), ddof=1)}
    )
    assert list(spread.spreads(lines)) == ["numpy-b", "numpy-a"]


def test_the_environment_whose_names_differ_least_stands_for_all_in_the_controls_of_twins(two, monkeypatch):
    assert twins.steadiest_case(two).environment == "numpy-a"  # nothing was measured yet: the first
    Measured(monkeypatch, reply=apart({"numpy-a": UNSTEADY, "numpy-b": STEADY}))
    twins.measure_spread(two)
    assert twins.steadiest_case(two).environment == "numpy-b"
    two.arguments.environment = ["numpy-a"]  # it was not asked for
    assert twins.steadiest_case(two).environment == "numpy-a"


def test_an_environment_of_which_a_run_failed_is_not_the_steadiest(two, monkeypatch):
    Measured(monkeypatch, reply=apart({"numpy-a": UNSTEADY, "numpy-b": [*STEADY[:-1], None]}))
    twins.measure_spread(two)
    assert twins.steadiest_case(two).environment == "numpy-a"


def test_planted_slow_downs_look_for_the_steadiest_environment_first_and_once(two, monkeypatch, tmp_path):
    asked = Measured(monkeypatch).asked
    two.arguments.rounds = 2
    before = twins.expected_s(two, "planted")
    twins.measure_planted(two)
    twice = 2 * len(twins.plans())
    assert len(asked) == 2 * 4 + twice
    assert before - twins.expected_s(two, "planted") == pytest.approx(2 * 4 * twins.RUN_S)
    twins.measure_planted(two)
    assert len(asked) == 2 * 4 + 2 * twice
    assert len(measured(tmp_path, "planted")) == 2


def test_a_spread_of_before_competitors_took_turns_tells_nobody_s_steadiness(two):
    campaign = asking.begin(two, "spread", [])
    for number in range(1, 6):
        about = {"environment": "numpy-b", "mode": "plain", "workload": "mnist_mlp", "run": str(number)}
        asking.write(campaign, "spread", about, Reply(series={"step_s": [0.1]}))
    campaign.end("every question was asked")
    assert twins.newest(two) == []
    assert twins.steadiest_case(two).environment == "numpy-a"


def test_what_names_need_of_the_memory_is_known_from_what_they_stand_for(two, monkeypatch):
    case = asking.first_case(two, "mnist_mlp", "numpy-a")
    monkeypatch.setattr(estimates, "as_before", lambda *_: estimates.Known({}, {case.id: 10**9}, {}))
    setting = twins._setting(two, "planted", {"one": case, "other": case._replace(environment="numpy-b")})
    assert setting.known.memory_bytes == {case._replace(environment="one").id: 10**9}


def test_an_environment_that_answers_neither_end_is_asked_for_what_it_answers(place):
    assert asking.extremes(place, "numpy-a") == ["mnist_mlp"]
    known = registry.workload_names()
    proofs = {("one", "cifar10_cnn"): "", ("one", "mnist_mlp"): "", ("one", "vgg19"): "",
              **{("all", name): "" for name in known}}  # fmt: skip
    wide = place._replace(proofs=proofs)
    assert asking.extremes(wide, "one") == ["mnist_mlp", "cifar10_cnn"]
    assert asking.extremes(wide, "all") == [asking.LIGHT, asking.HEAVY]
    assert asking.extremes(wide, "none") == []
