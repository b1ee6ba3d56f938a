"""Each error that a user makes gives one clear message: what happened, what was expected, what to do."""

import pytest

from bench.versus import measuring
from bench.versus.choosing import VersusError

NEEDS_ARGUMENTS = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", required=True)
parser.parse_args()
"""
FIFTH = """
steps = []
def step():
    steps.append(0)
    if len(steps) == 5:
        raise ValueError("the fifth batch is empty")
"""
ERRORS = {
    "no step": ("x = 1", ["there is no function step()", "build()", "--loop NAME"]),
    "a step that needs a batch": ("def step(batch): pass", ["step(batch) was found", "batch()"]),
    "an import error": ("import not_installed_here", ["has no module not_installed_here", "--python a=PATH"]),
    "a crash in the fifth step": (FIFTH, ["step 5: ValueError: the fifth batch is empty", "line 6"]),
    "out of memory": ("def step(): raise MemoryError", ["out of memory", "batch smaller"]),
    "needs arguments": (NEEDS_ARGUMENTS, ["ended itself", '--arguments a="--epochs 1"', "required: --epochs"]),
    "ends itself": ("raise SystemExit('no data')", ["ended itself (no data)"]),
    "killed": ("import os\ndef step(): os.kill(os.getpid(), 9)", ["SIGKILL", "memory runs out"]),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_of_a_program_is_explained(name, program, setup_of):
    source, words = ERRORS[name]
    with pytest.raises(VersusError) as error:
        measuring.measure(setup_of(program(source)))
    message = str(error.value)
    assert [word for word in ["a: a.py: ", *words] if word not in message] == []
    assert "inside/program.py" not in message


def test_programs_that_are_timed_by_other_units_are_refused(program, setup_of, monkeypatch):
    monkeypatch.setattr(measuring, "_round", lambda *_: [{"unit": "step"}, {"unit": "epoch"}])
    with pytest.raises(VersusError, match=r"a by step and b by epoch\. Give --loop for both"):
        measuring.measure(setup_of(program(), program(letter="b")))


def test_a_program_that_never_ends_is_ended(program, setup_of):
    with pytest.raises(VersusError, match=r"no result within 2 s, and ended.*--timeout"):
        measuring.measure(setup_of(program("import time\ndef step(): time.sleep(60)"), timeout_s=2.0))


def test_outputs_that_are_no_numbers_are_refused(program, setup_of):
    source = "def step(): pass\ndef outputs(): return ['cat', 'dog']"
    with pytest.raises(VersusError, match=r"outputs\(\) returned a str where arrays or numbers were expected"):
        measuring.measure(setup_of(program(source), budget_s=60.0))


def test_a_setting_that_the_script_overwrites_is_refused(program, setup_of):
    source = "import os\nos.environ.update(KERAS_BACKEND='jax')\ndef step(): pass"
    with pytest.raises(VersusError, match="sets KERAS_BACKEND to 'jax' itself"):
        measuring.measure(setup_of(program(source, settings={"KERAS_BACKEND": "torch"})))


def test_two_programs_may_import_modules_of_one_name(program, served):
    source = "import model\ndef step(): return model.VALUE"
    for number, folder in enumerate(("one", "two"), 1):
        program(f"VALUE = {number}.0", name=f"{folder}/model.py")
        assert served(program(source, name=f"{folder}/train.py"))["losses"][0] == number


def test_a_missing_module_of_the_user_s_own_is_no_package_to_install(program, setup_of):
    program("import nowhere_to_be_found_either", name="model.py")
    with pytest.raises(VersusError, match="has no module nowhere_to_be_found_either"):
        measuring.measure(setup_of(program("import model\ndef step(): pass")))
