"""Each probe reports its cause where its evidence is there, and is silent otherwise."""

import pytest

from bench.versus import causes
from bench.versus.inside import facts

PROBES = {probe.__name__.removeprefix("versus_probe_"): probe for probe in causes.probes()}
ADAM = {"type": "Adam", "learning_rate": 1e-3, "epsilon": 1e-8}


def side(step_s=0.01, first_step_s=None, machine=None, examples=None, **known):
    """Return a program about which a framework knows some facts."""
    assert set(known) <= set(facts.FACTS)
    return causes.Side(
        "a", "", {"framework": known}, step_s, first_step_s or step_s, 1.0,
        machine=machine or {}, examples_per_step=examples,
    )  # fmt: skip


WITH_AND_WITHOUT = {  # probe -> (a program with the cause, the same program without it)
    "batch_size": (side(batch_size=32), side(batch_size=64)),
    "compiled_nothing": (
        side(is_compile_asked=True, compiled=[], graph_breaks={"unsupported": 1}),
        side(is_compile_asked=True, compiled=["f"]),
    ),
    "compiled_on_one_side": (side(compiled=[]), side(compiled=["f"])),
    "compiled_too_much": (
        side(compiled=["f"], compiled_graphs=149, switches={"compilation": "COMPILE=0"}), side(compiled_graphs=0),
    ),
    "cpu_build": (
        side(has_gpu_build=False, device="cpu", machine={"gpu": "A GPU"}),
        side(has_gpu_build=True, device="cpu", machine={"gpu": "A GPU"}),
    ),
    "denied_cores": (
        side(threads=16, device="cpu", machine={"cgroup_cores": 2.0}),
        side(threads=2, device="cpu", machine={"cgroup_cores": 2.0}),
    ),
    "fetches": (
        side(is_asynchronous=True, fetches_per_step=6.0), side(is_asynchronous=True, fetches_per_step=1.0),
    ),
    "first_step": (side(0.01, 30.0), side(0.01, 0.1)),
    "float64": (side(dtypes={"float64": 0.9, "float32": 0.1}), side(dtypes={"float64": 0.01, "float32": 0.99})),
    "gradients_recorded": (side(gradients_recorded=True), side(gradients_recorded=False)),
    "graph_breaks": (
        side(compiled=["f"], graph_breaks={"print": 2}, compiled_graphs=3), side(compiled=["f"], graph_breaks={}),
    ),
    "loader": (
        side(loader_s=0.004, loader={"kind": "item by item", "workers": 0}), side(loader_s=0.0),
    ),
    "memory_format": (
        side(memory_formats={"channels last": 3}), side(memory_formats={"channels first": 3}),
    ),
    "model_size": (side(parameters=1000), side(parameters=2000)),
    "not_compiled": (
        side(compiler="jit", dispatches_per_step=249.0, compiled=[]), side(compiler="jit", dispatches_per_step=1.0),
    ),
    "optimizer_settings": (
        side(optimizers=[ADAM]), side(optimizers=[{**ADAM, "learning_rate": 1.0}]),
    ),
    "precision": (side(dtypes={"bfloat16": 0.5, "float32": 0.5}), side(dtypes={"float32": 1.0})),
    "python_loop": (side(python_loops_per_step={"LSTM": 96.0}), side(python_loops_per_step={})),
    "recompilation": (side(compiles_per_step=1.0), side(compiles_per_step=0.0)),
    "slow_kernel": (
        side(0.238, slowest_operations=[["convolution (groups: 256)", 0.2, 0.95]]),
        side(0.017, slowest_operations=[["convolution", 0.016, 0.95]]),
    ),
    "subnormals": (side(subnormals=0.6), side(subnormals=0.0)),
    "threads": (side(threads=1, device="cpu"), side(threads=2, device="cpu")),
    "training_flag": (
        side(training_layers={"Dropout": 2}, is_training=False), side(training_layers={"Dropout": 2}, is_training=True),
    ),
    "uploads": (side(uploads_per_step=2.0, device="A GPU"), side(uploads_per_step=0.0, device="A GPU")),
}  # fmt: skip
UNCLEAR = (  # a probe, and a pair that is too close to its limits, or that lacks evidence
    ("batch_size", side(batch_size=32, examples=32), side(batch_size=64, examples=64)),  # compared per example
    ("compiled_too_much", side(compiled=["f"], compiled_graphs=149), side(compiled_graphs=0)),  # nothing to switch off
    ("fetches", side(0.01, fetches_per_step=1.0, fetches_s=0.00021), side(fetches_per_step=1.0, fetches_s=0.00019)),
    ("loader", side(loader_s=0.00051), side(loader_s=0.00049)),
    ("model_size", side(parameters=1000), side(parameters=1010)),  # a second bias
    ("optimizer_settings", side(optimizers=[ADAM, ADAM]), side(optimizers=[{**ADAM, "learning_rate": 1.0}])),
    (
        "slow_kernel",
        side(0.238, slowest_operations=[["mm", 0.2, 0.95]], python_loops_per_step={"LSTM": 96.0}),
        side(0.017),
    ),
    ("threads", side(threads=1), side(threads=None)),
    (
        "slow_kernel",
        side(0.238, slowest_operations=[["mm", 0.03, 0.9]]),
        side(0.017, slowest_operations=[["mm", 0.03, 0.9]]),
    ),  # as long for the same operation in both
)


def reported(probe, one, other):
    return [cause for cause in causes.find(one, other, [PROBES[probe]]) if not cause.is_on_both]


def test_each_probe_has_a_pair_here():
    assert set(WITH_AND_WITHOUT) == set(PROBES)


@pytest.mark.parametrize("probe", sorted(PROBES))
def test_a_probe_reports_the_program_with_its_cause_and_not_the_other(probe):
    guilty, innocent = WITH_AND_WITHOUT[probe]
    guilty, innocent = guilty._replace(name="guilty"), innocent._replace(name="innocent")
    for one, other in ((guilty, innocent), (innocent, guilty)):
        (cause,) = reported(probe, one, other)
        assert cause.side == ("" if getattr(PROBES[probe], "IS_DIFFERENCE", False) else "guilty")
        assert cause.finding.evidence.endswith((".", '"'))
        assert cause.finding.remedy


@pytest.mark.parametrize("probe", sorted(PROBES))
def test_twins_have_no_cause(probe):
    for program in WITH_AND_WITHOUT[probe]:
        assert reported(probe, program, program._replace(name="b", step_s=program.step_s * 1.05)) == []


@pytest.mark.parametrize("probe", sorted(PROBES))
def test_what_is_unknown_is_no_cause(probe):
    unknown = side()._replace(name="b", by_framework={})
    assert PROBES[probe].find(unknown, unknown) is None
    assert PROBES[probe].find(unknown, WITH_AND_WITHOUT[probe][0]) is None


@pytest.mark.parametrize(("probe", "one", "other"), UNCLEAR)
def test_a_probe_is_silent_without_clear_evidence(probe, one, other):
    assert reported(probe, one, other._replace(name="b")) == []


def test_a_difference_in_work_comes_before_a_measured_cost():
    one = side(loader_s=0.004, training_layers={"Dropout": 1}, is_training=False)
    other = side(loader_s=0.0, training_layers={"Dropout": 1}, is_training=True)._replace(name="b")
    assert [cause.probe for cause in causes.find(one, other)] == ["training_flag", "loader"]


def test_an_epsilon_alone_weighs_little():
    one, other = side(optimizers=[ADAM]), side(optimizers=[{**ADAM, "type": "adam", "epsilon": 1e-7}])
    (cause,) = reported("optimizer_settings", one, other._replace(name="b"))
    assert cause.weight == PROBES["optimizer_settings"].SMALL


def test_denied_cores_can_be_tried_with_fewer_threads():
    denied = side(threads=16, device="cpu", switches={"threads": "THREADS"}, machine={"cgroup_cores": 2.0})
    assert PROBES["denied_cores"].find(denied, side()).switch == ("THREADS", "2")


def test_a_slow_kernel_is_no_cause_of_a_tie():
    one, other = WITH_AND_WITHOUT["slow_kernel"]
    assert "slow_kernel" in [cause.probe for cause in causes.find(one, other)]
    assert "slow_kernel" not in [cause.probe for cause in causes.find(one._replace(is_slower=False), other)]
