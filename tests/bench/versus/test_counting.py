"""Calls are counted without changing what a program does."""

import types

import pytest

from bench.versus.inside import counting


class Array:
    def __init__(self):
        self.read = 0

    def item(self):
        return float(self)

    def __float__(self):
        self.read += 1
        return 2.0

    @property
    def value(self):
        return 3.0


class Inherits(Array):
    pass


def test_nested_calls_are_counted_once_and_results_are_unchanged():
    calls = counting.Calls()
    calls.watch(Array, ["item", "__float__", "value", "absent"])
    array = Array()
    assert (array.item(), float(array), array.value) == (2.0, 2.0, 3.0)
    assert calls.count == 3
    assert calls.seconds >= 0.0
    calls.stop()
    assert array.item() == 2.0
    assert calls.count == 3


def test_an_inherited_method_is_inherited_again_afterwards():
    calls = counting.Calls()
    calls.watch(Inherits, ["item"])
    Inherits().item()
    calls.stop()
    assert calls.count == 1
    assert "item" not in vars(Inherits)


@pytest.mark.parametrize(("name", "counted"), [("bench.versus.inside.program", 0), ("library.part", 0), ("script", 1)])
def test_calls_of_the_framework_and_of_this_project_do_not_count(name, counted):
    calls = counting.Calls(ignored=["library."])
    calls.watch(Array, ["item"])
    caller = types.ModuleType(name)
    exec("def call(array):\n    return array.item()", vars(caller))  # noqa: S102 - a function of another module
    caller.call(Array())
    calls.stop()
    assert calls.count == counted


def test_an_error_of_the_program_ends_the_count_of_its_call():
    calls = counting.Calls()
    broken = types.SimpleNamespace(read=lambda: 1 / 0)
    calls.watch(broken, ["read"])
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            broken.read()
    assert calls.count == 2


def test_a_reader_that_fails_hides_no_other_fact():
    assert counting.gather(None, [lambda _: {"a": 1}, lambda _: 1 / 0, lambda _: {"b": 2}]) == {"a": 1, "b": 2}


def test_the_slowest_operations_come_first_with_their_share():
    assert counting.slowest({"add": 1.0, "mm": 3.0}, 2) == [["mm", 1.5, 0.75], ["add", 0.5, 0.25]]


def test_float32_settings_are_rounded_and_missing_ones_left_out():
    settings = {"learning_rate": 0.0010000000474974513, "weight_decay": None, "nesterov": False}
    assert counting.rounded(settings) == {"learning_rate": 0.001, "nesterov": False}
