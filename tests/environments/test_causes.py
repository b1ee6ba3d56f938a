"""The likely causes that `versus` names, of small programs with and without a cause, in real environments."""

import json
import os
from pathlib import Path

import pytest
from within import inside

from bench.versus import causes
from bench.versus.inside import facts

pytestmark = pytest.mark.environment

INSIDE = Path(causes.__file__).parent / "inside"
PROGRAMS = Path(__file__).parent / "programs"
QUESTIONS = {  # program -> (the environments that it needs, the probe that explains it)
    "recurrent_keras": (("keras-torch",), "python_loop"),
    "double_precision": (("pytorch",), "float64"),
    "without_jit": (("jax",), "not_compiled"),
    "many_graphs": (("keras-torch",), "compiled_too_much"),
    "depthwise": (("jax",), "slow_kernel"),
    "loading": (("pytorch",), "loader"),
    "nothing_compiled": (("pytorch",), "compiled_nothing"),
    "optimizer_defaults": (("keras-jax", "keras-tensorflow"), "optimizer_settings"),
    "forgotten_flag": (("keras-tensorflow",), "training_flag"),
}
AT_THE_GATE = ("without_jit", "double_precision")
SMALL = {
    "pytorch": (
        "graph_breaks", "recompilation", "compiled_on_one_side", "fetches", "gradients_recorded", "training_flag",
        "memory_format", "precision", "subnormals", "batch_size", "model_size", "optimizer_settings", "threads",
        "python_loop",
    ),
    "jax": ("fetches", "recompilation", "float64"),
    "tensorflow": ("recompilation", "gradients_recorded", "not_compiled", "float64"),
}  # fmt: skip


@pytest.fixture
def side(environment, tmp_path, cache):
    """Look at a program in the environment, and return it as probes see it. `step_s` is not measured."""
    row, python = environment

    def look(program, *arguments, step_s):
        name = "-".join((program, *arguments))
        work = {"path": str(PROGRAMS / f"{program}.py"), "arguments": list(arguments), "loop": "", "settings": {}}
        request = {"kind": "look", "work": work, "reply": str(tmp_path / f"{name}.reply.json")}
        (tmp_path / f"{name}.json").write_text(json.dumps(request))
        done = inside(row, python, tmp_path, cache, str(INSIDE), str(tmp_path / f"{name}.json"))
        assert os.path.exists(request["reply"]), done.stderr[-2000:]
        reply = json.loads(Path(request["reply"]).read_text())
        assert reply["status"] == "ok", reply["error_tail"]
        seen = reply["measured"]
        assert not seen["problems"]
        assert not {fact for known in seen["facts"].values() for fact in known} - set(facts.FACTS)
        return causes.Side(name, "", seen["facts"], step_s, step_s, 1.0)

    return look


def named(one, other):
    """Return the probes whose causes are on one side or compare both, most important first."""
    return [cause.probe for cause in causes.find(one, other) if not cause.is_on_both]


@pytest.mark.parametrize("program", [
    pytest.param(name, marks=[] if name in AT_THE_GATE else pytest.mark.nightly) for name in QUESTIONS
])  # fmt: skip
def test_the_cause_of_a_question_is_among_the_first_three_and_twins_have_none(program, environment, side):
    places, probe = QUESTIONS[program]
    if environment[0].name not in places:
        pytest.skip(f"the program needs {' or '.join(places)}")
    slow, fast = side(program, "with", step_s=0.002), side(program, "without", step_s=0.0005)
    assert probe in named(slow, fast)[:3]
    assert probe in named(fast, slow)[:3]
    twin = side(program, "with", step_s=0.00201)
    assert named(slow, twin) == []


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("framework", "probe"), [(framework, probe) for framework in SMALL for probe in SMALL[framework]]
)
def test_a_program_with_a_cause_has_it_and_one_without_it_has_not(framework, probe, environment, side):
    if environment[0].name != framework:
        pytest.skip(f"the program needs {framework}")
    program = f"causes_of_{framework}"
    slow, fast = side(program, probe, "with", step_s=0.003), side(program, probe, "without", step_s=0.003)
    assert named(slow, fast) == [probe]
