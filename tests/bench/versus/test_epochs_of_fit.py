"""A framework's own training loop is timed by epoch, through a callback that its folder makes."""

import threading
import time
import types

import pytest

from bench.measure import Clock
from bench.versus.inside.loops import LoopProgram
from bench.versus.inside.program import ProgramError

EPOCH_S, EVALUATION_S, BETWEEN_S = 0.02, 0.2, 0.2


class Model:
    def fit(self, x, batch_size=32, epochs=1, **kwargs):
        self.given = (x, batch_size, epochs)
        for _ in range(epochs):
            kwargs["begin"]()
            time.sleep(EPOCH_S)
            kwargs["pause"]()
            time.sleep(EVALUATION_S)
            kwargs["resume"]()
            kwargs["end"]()
            time.sleep(BETWEEN_S)


def endless(keywords, begin, end, pause, resume):
    return dict(keywords, epochs=1000, begin=begin, end=end, pause=pause, resume=resume)


class Waits(list):
    def __call__(self):
        return []

    def imported(self):
        return list(self)


def test_an_epoch_excludes_evaluation_and_what_follows_it():
    program, model, clock = LoopProgram("model.fit", Waits([types.SimpleNamespace(fit=endless)])), Model(), Clock()
    threading.Thread(target=lambda: program.fit(model.fit)("data", 16, 2), daemon=True).start()
    program.loop(None, 1, Clock())
    program.loop(None, 2, clock)
    assert model.given == ("data", 16, 1000)
    assert program.unit == "epoch"
    assert 2 * EPOCH_S <= clock.wall_s < EVALUATION_S


def test_a_training_loop_of_no_known_framework_is_refused():
    with pytest.raises(ProgramError, match="belongs to no framework"):
        LoopProgram("trainer.fit", Waits()).fit(print)
