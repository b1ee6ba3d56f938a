"""Loops, waits and timers are measured inside an environment."""

from types import SimpleNamespace

import numpy as np
import pytest

from bench import measure, registry
from bench.replies import ControlPart
from bench.worker import contract, controls, run


@pytest.fixture
def inside(frameworks):
    """Ask a control inside an environment whose steps return handles: the NumPy framework, its numbers in a list."""
    environment = registry.environment("numpy-a", frameworks)
    real = registry.adapter(environment)

    class Lazy(real.Program):
        def __init__(self, *words):
            super().__init__(*words)
            step = self.step
            self.step = lambda batch: [step(batch)]

        def wait(self, handle):
            return handle[0]

    def ask(control, **more):
        part = ControlPart(control, "mnist_mlp", "plain", 0, **more)
        return controls.CONTROLS[control](part, environment, SimpleNamespace(Program=Lazy))

    return ask


@pytest.mark.parametrize("sabotage", controls.SABOTAGES)
def test_a_wait_that_was_left_out_breaks_a_sentence_of_the_contract_and_one_that_waits_breaks_none(sabotage, inside):
    caught_by = inside("waiting", sabotage=sabotage).about["caught_by"]
    if sabotage == controls.NOTHING:
        assert caught_by == ""
    else:
        assert contract.wait_returns_the_number_of_its_step.__name__ in caught_by


def test_blocks_alternate_and_a_loop_that_does_more_is_seen(inside, monkeypatch):
    monkeypatch.setattr(controls, "AT_LEAST_S", 0.0)
    monkeypatch.setattr(controls, "MOST_S", 0.0)
    real = controls.loop.block

    def slow(*words):
        begun = controls.time.perf_counter()
        _, cpu, loss = real(*words)
        run.pause_until(controls.time.perf_counter() + 0.01)
        return controls.time.perf_counter() - begun, cpu, loss

    monkeypatch.setattr(controls.loop, "block", slow)
    series = inside("overhead").series
    assert {len(series[name]) for name in ("ours_s", "within_s", "bare_s")} == {controls.FEWEST}
    assert np.median(np.subtract(series["ours_s"], series["within_s"])) > 0.009


def test_turns_end_when_the_interval_is_narrow_enough_or_the_time_is_spent():
    random = np.random.default_rng(0)
    ours, bare = (np.exp(random.normal(0, 0.05, 1000)).tolist() for _ in range(2))
    narrow = [controls.is_open({"ours_s": ours[:count], "bare_s": bare[:count]}, 20.0) for count in (10, 30, 500)]
    assert narrow == [True, True, False]
    assert not controls.is_open({"ours_s": ours[:10], "bare_s": bare[:10]}, controls.MOST_S)
    asked = []
    series = controls.alternate(0, {"a": float, "b": float}, 3, 0.0, lambda *_: asked.append(1) or len(asked) < 5)
    assert [len(own) for own in series.values()] == [3 + 4, 3 + 4]


def test_a_framework_without_a_timer_of_its_own_says_so(inside):
    with pytest.raises(controls.Unsupported, match="NumPy A has no timer of its own"):
        inside("agreement", beside="timer")


def test_a_timer_of_the_framework_s_own_is_called_in_turns(inside, monkeypatch):
    monkeypatch.setattr(controls, "OWN_AT_LEAST_S", 0.0)
    monkeypatch.setattr(controls, "OWN_BLOCK_S", 0.01)
    monkeypatch.setattr(controls, "OWN_FEWEST", 3)

    def own_timer(program, batch):
        return "a stop watch", lambda steps: measure.block(program, batch, steps)[0] / steps

    monkeypatch.setattr(controls, "_own", lambda _, name: {"own_timer": own_timer}[name])
    reply = inside("agreement", beside="timer")
    assert (reply.about, len(reply.series["theirs_s"])) == ({"name": "a stop watch"}, 3)
