"""What a framework's file says of dropout is so: under XLA on a CPU its random numbers take most of a step."""

import statistics

import pytest

from bench.cases import Selection, select

pytestmark = [pytest.mark.environment, pytest.mark.nightly]
SEVERAL = 4.0  # times as long; 12 to 20 were measured


def step_s(measure, row, workload, mode):
    """Return the median time of a training step of one mode."""
    asked = Selection(environments=[row.name], workloads=[workload], tasks=["train"], modes=[mode])
    case = next(iter(select(asked, {row.name: "cpu"})))
    run = measure(case)
    return statistics.median(run["block_s"]) / run["steps_per_block"]


def test_dropout_is_slow_under_xla_on_a_cpu_and_a_network_without_it_is_not(environment, measure):
    row, _ = environment
    by_xla = [mode.name for mode in row.modes if "xla" in mode.name]
    if "dropout" not in row.differs or not by_xla:
        pytest.skip(f"{row.title} has no mode by XLA whose dropout its file says to be slow")
    usual, slow = row.modes[0].name, by_xla[0]
    ratios = {name: step_s(measure, row, name, slow) / step_s(measure, row, name, usual)
              for name in ("bn_mlp", "lstm_forecast")}  # fmt: skip
    assert ratios["bn_mlp"] > SEVERAL, "dropout is fast now: remove its row from [differs] in framework.toml"
    assert ratios["lstm_forecast"] < SEVERAL
