"""A remedy that is one variable is measured: the program beside itself."""

from bench.versus import remedies, report

SOURCE = """
import os
count = 4000 if os.environ.get("FAST") else 400000
def step(): return float(sum(range(count)))
"""


def found_with(switch):
    finding = {"switch": switch, "cost_s": None, "evidence": "It is slow.", "remedy": "Set FAST."}
    return {"pairs": [{"causes": [{"side": "a", "finding": finding}]}]}, finding


def test_a_remedy_that_helps_has_its_measured_cost(program, setup_of):
    found, finding = found_with(("FAST", "1"))
    remedies.try_remedies(found, setup_of(program(SOURCE), budget_s=60.0))
    assert finding["tried"]["word"] == "different"
    assert finding["cost_s"] > 0
    cause = {"finding": finding, "side": "a", "is_on_both": False, "cause": "It counts far.", "lesson": "",
             "unit": "epoch"}  # fmt: skip
    said = report._cause(cause)
    assert "FAST=1 was measured: " in said
    assert "per epoch (measured)" in said


def test_a_variable_that_the_script_sets_itself_cannot_be_tried(program, setup_of):
    found, finding = found_with(("FAST", "1"))
    remedies.try_remedies(found, setup_of(program("import os\nos.environ['FAST'] = ''\ndef step(): return 1.0")))
    assert "sets FAST to '' itself" in finding["tried"]["reason"]
