"""What a user's script may contain, and how its steps are timed."""

import time
import types

import pytest

from bench import measure
from bench.versus.inside.program import Program

LOOP = """
loader = [float(number) for number in range(7)]
for epoch in range({epochs}):
    for number, batch in enumerate(loader):
        loss = batch * 2 + sum(range(2000)) * 0
        {body}
"""


def test_a_script_is_imported_so_its_main_part_does_not_run(program, served):
    source = "def step(): return 1.0\nif __name__ == '__main__':\n    raise SystemExit('timed naively')"
    assert served(program(source))["status"] == "ok"


def test_build_returns_the_step(program, served):
    source = "def build():\n    weights = [3.0]\n    return lambda: weights[0]"
    assert served(program(source))["losses"] == [3.0] * 4


def test_a_step_gets_the_batch_and_its_result_is_waited_for(program, served):
    source = """
waited = []
def batch(): return [1.0, 2.0]
def step(numbers): return sum(numbers)
def wait(result): waited.append(result)
def outputs(): return [float(len(waited) > 0), waited[-1] if waited else 0.0]
EXAMPLES_PER_STEP = 2
"""
    reply = served(program(source))
    assert (reply["losses"][0], reply["examples_per_step"], reply["waits"]) == (3.0, 2, ["the script's wait()"])
    assert served(program(source), "twin")["after"]["outputs"] == [{"shape": [2], "values": [1.0, 3.0]}]


def test_a_program_has_the_user_s_folder_arguments_and_input(program, served, tmp_path):
    source = """
import os, sys
assert os.getcwd() == {folder!r} and sys.argv[1:] == ["--epochs", "1"] and sys.stdin.read() == ""
import bench  # the user's own, though this project has a package of this name
def step(): return bench.VALUE
"""
    program("VALUE = 5.0", name="bench.py")
    reply = served(program(source.format(folder=str(tmp_path)), arguments=["--epochs", "1"]))
    assert (reply["reason"], reply["losses"][0]) == (None, 5.0)


def test_a_step_is_over_when_the_framework_has_done_its_work():
    pending = []

    def finish():
        time.sleep(0.005 * len(pending))
        pending.clear()
        return ["fake.synchronize"]

    program = Program(types.ModuleType("script"), lambda: pending.append(1), finish)
    wall_s, _, _ = measure.block(program, None, 4)
    assert wall_s >= 0.02
    assert program.waited == ["fake.synchronize"]


def test_what_a_program_prints_disturbs_no_turn(program, served):
    reply = served(program("def step():\n    print('bench: done')\n    return 1.0"), turns=4)
    assert len(reply["block_s"]) == 4


def test_memory_is_read_after_each_turn(program, served):
    reply = served(program("kept = []\ndef step(): kept.append(bytearray(200_000))"), turns=4)
    assert len(reply["resident_bytes"]) == 4
    assert reply["resident_bytes"][-1] > reply["resident_bytes"][0]


def test_a_loop_of_an_untouched_script_is_timed_and_its_loss_is_read(program, served):
    reply = served(program(LOOP.format(epochs=2, body="pass"), loop="loader"), turns=4)
    assert (reply["reason"], len(reply["block_s"])) == (None, 4)
    assert reply["losses"][:3] == [0.0, 2.0, 4.0]


def test_an_epoch_that_ends_by_break_goes_on_with_the_next(program, served):
    source = LOOP.format(epochs=10**9, body="if number == 2: break")
    assert served(program(source, loop="loader"))["losses"][:4] == [0.0, 2.0, 4.0, 0.0]


def test_work_between_epochs_is_no_part_of_a_step(program, served):
    body = "time.sleep(0.001)\n        if number == 5: break"
    source = "import time\n" + LOOP.format(epochs=10**9, body=body) + "    time.sleep(0.05)\n"
    reply = served(program(source, loop="loader"))
    assert min(reply["block_s"]) / reply["steps_per_block"] < 0.004


def test_a_module_marks_its_loop_by_steps(program, served):
    program("def train(loader):\n    for batch in steps(loader):\n        loss = batch", name="training.py")
    reply = served(program("import training\ntraining.train([4.0, 5.0])", loop="steps"))
    assert reply["losses"][:3] == [4.0, 5.0, 4.0]


@pytest.mark.parametrize(
    ("source", "loop", "words"),
    [
        ("for batch in data: pass", "loader", "there is no loop over loader. The script's loops are over: data"),
        ("for x in d: pass\nfor y in d: pass", "d", "2 loops over d were found, in lines 1, 2. Name one: --loop d:1"),
        (LOOP.format(epochs=1, body="break"), "loader", "the script ended after 1 steps of the loop over loader"),
        ("loader = []\nfor batch in loader: pass", "loader", "The loop over loader has no batches"),
    ],
)  # fmt: skip
def test_a_loop_that_cannot_be_timed_is_explained(program, served, source, loop, words):
    assert words in served(program(source, loop=loop))["reason"]


def test_one_of_several_loops_is_named_by_its_line(program, served):
    source = "d = [1.0]\nfor x in d: loss = x\nfor y in d: loss = y + 1"
    assert served(program(source, loop="d:3"))["losses"][0] == 2.0
