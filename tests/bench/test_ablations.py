"""An ablation changes one thing, is measured beside the unchanged program, and proves what it states."""

import os
import shutil
from pathlib import Path

import pytest
from running import Bench

from bench import ablations, proof, registry
from bench.cases import FED, TASKS, TIERS, Selection, select
from bench.errors import DefinitionError
from bench.results import records
from bench.results.lines import Epochs, Run

SUITE = Selection(suite="lessons")
ENVIRONMENTS = {name: row for name, row in registry.environments().items() if row.is_default}
DEVICES = dict.fromkeys(ENVIRONMENTS, "cpu")


@pytest.mark.parametrize("name", ablations.names())
def test_every_ablation_says_of_what_it_is_and_is_made_in_a_framework(name):
    stated = ablations.statement(name)
    assert ablations.title(name)
    assert set(stated.WORKLOADS) <= set(registry.workload_names())
    assert set(stated.TASKS) <= set(TASKS)
    assert any(os.path.exists(ablations.path(row, name)) for row in registry.environments().values())


def test_no_file_of_a_framework_makes_an_ablation_that_nobody_states():
    assert {path.stem for path in Path(registry.FRAMEWORKS).glob("*/ablations/*.py")} == set(ablations.names())


def test_what_is_changed_is_measured_beside_the_documented_mode_in_one_question():
    questions = {}
    for case in select(SUITE, DEVICES):
        questions.setdefault((case.question, case.environment), set()).add(ablations.split(case.mode))
    for (question, name), modes in questions.items():
        assert {base for base, _ in modes} == {registry.modes(ENVIRONMENTS[name], question.split("/")[1])[0].name}
        assert "" in {changed for _, changed in modes}
        assert len(modes) > 1


def test_every_ablation_of_this_device_is_among_them_and_none_of_another():
    found = {ablations.SIGN.join(ablations.parts(ablations.split(case.mode)[1])) for case in select(SUITE, DEVICES)}
    of_gpus = {name for name in ablations.names() if getattr(ablations.statement(name), "DEVICE", "") == "gpu"}
    loaders = {name for name in ablations.names() if set(ablations.statement(name).TASKS) <= set(FED)}
    assert found == {"", *ablations.names()} - of_gpus - loaders
    assert {ablations.split(case.mode)[1] for case in select(SUITE, dict.fromkeys(DEVICES, "gpu"))} >= of_gpus


def test_no_other_selection_has_one():
    cases = select(Selection(tasks=sorted(set(TASKS) - set(FED)), tiers=TIERS), DEVICES)
    assert not any(ablations.split(case.mode)[1] or case.tier == ablations.TIER for case in cases)


def test_an_ablation_that_does_not_exist_is_named_with_those_that_do():
    with pytest.raises(DefinitionError, match="one_hot"):
        ablations.statement("two_hot")


def test_a_proof_is_of_the_files_that_change_a_mode(tmp_path):
    shutil.copytree(os.path.join(registry.FRAMEWORKS, "pytorch"), tmp_path / "pytorch")
    row, mode = registry.environment("pytorch", str(tmp_path)), "eager+one_hot"
    before = proof.of_mode("0" * 16, row, mode)
    assert proof.of_mode("0" * 16, row, "eager") == "0" * 16 != before
    path = Path(ablations.path(row, "one_hot"))
    path.write_text(path.read_text() + "\n# a comment\n")
    assert proof.of_mode("0" * 16, row, mode) == before
    path.write_text(path.read_text() + "\nCHANGED = True\n")
    assert proof.of_mode("0" * 16, row, mode) != before


def runs(bench):
    lines = records.read(str(next(bench.results.glob("*.jsonl"))))
    return [line for line in lines if isinstance(line, (Run, Epochs)) and line.case.environment == "numpy-a"]


def of_task(found, task):
    return {run.case.mode: run for run in found if run.case.task == task}


def test_both_sides_are_measured_in_one_round_each_with_a_proof_of_its_own(bench):
    bench("run", "--suite", "lessons", "--profile", "smoke")
    steps, epochs = (of_task(runs(bench), task) for task in ("train", "epochs"))
    assert {mode: run.status for mode, run in steps.items()} == {"plain": "ok", "plain+waits_each_step": "ok"}
    assert {mode: run.status for mode, run in epochs.items()} == {"plain": "ok", "plain+he_initializer": "ok"}
    for found in (steps, epochs):
        assert len({run.round for run in found.values()}) == 1
        assert len({run.proof for run in found.values()}) == 2
        assert {run.case.tier for run in found.values()} == {"ablation"}


@pytest.mark.nightly
def test_a_process_starts_with_the_variables_that_what_is_changed_states(tmp_path, own_frameworks):
    (own_frameworks / "numpy" / "ablations" / "waits_each_step.py").write_text(
        "import os\n\nfrom bench.ablations import waits_each_step\n\n"
        'VARIABLES = {"TOLD_AT_THE_START": "yes"}\n'
        'assert os.environ["TOLD_AT_THE_START"] == "yes"\nvary = waits_each_step.vary\n'
    )
    bench = Bench(tmp_path, str(own_frameworks), ("numpy-a", "numpy-b"))
    bench("run", "--suite", "lessons", "--profile", "smoke", "--task", "train")
    assert {run.status for run in of_task(runs(bench), "train").values()} == {"ok"}
    assert (
        "TOLD_AT_THE_START"
        not in ablations.started(registry.environments(str(own_frameworks))["numpy-a"], "plain").variables
    )


def test_what_says_that_it_computes_something_else_and_does_not_is_refused(tmp_path, own_frameworks):
    idle = "def vary(program, source):\n    return program, source\n"
    (own_frameworks / "numpy" / "ablations" / "he_initializer.py").write_text(idle)
    bench = Bench(tmp_path, str(own_frameworks), ("numpy-a", "numpy-b"))
    bench("run", "--suite", "lessons", "--profile", "smoke", "--task", "epochs")
    found = of_task(runs(bench), "epochs")
    assert (found["plain"].status, found["plain+he_initializer"].status) == ("ok", "unproven")
    assert "computes what plain does" in found["plain+he_initializer"].reason


@pytest.mark.nightly
def test_what_says_that_it_computes_the_same_and_does_not_is_refused(tmp_path, own_frameworks):
    made = own_frameworks / "numpy" / "ablations"
    shutil.copy(made / "he_initializer.py", made / "waits_each_step.py")
    bench = Bench(tmp_path, str(own_frameworks), ("numpy-a", "numpy-b"))
    bench("run", "--suite", "lessons", "--profile", "smoke", "--task", "train")
    found = of_task(runs(bench), "train")
    assert (found["plain"].status, found["plain+waits_each_step"].status) == ("ok", "unproven")
    assert "outputs differ" in found["plain+waits_each_step"].reason
