"""A contribution is checked alone: what belongs to it is looked at, what broke is reported, and no other fault."""

import contextlib
from pathlib import Path
from types import SimpleNamespace

import pytest
from running import Bench

from bench import ablations, costs, oracle, registry
from bench.campaign import preflight
from bench.cli import check, program_checks
from bench.data import photographs
from bench.driver import lock
from bench.errors import DefinitionError
from bench.replies import Reply
from bench.worker import contract

LINEAR = Path(registry.WORKLOADS, "linear.py").read_text(encoding="utf-8")
SENTENCES = len(contract.CHECKS)


def rows(done):
    """Return {(check, of): [outcome, what was found]} of the table at the end."""
    lines = done.stdout.splitlines()
    begin, end = next(i for i, line in enumerate(lines) if line.startswith("---")) + 1, lines.index("")
    cells = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines[begin:end]]
    return {tuple(row[:2]): row[2:] for row in cells}


def test_a_workload_that_two_environments_answer_alike_is_whole(tmp_path, frameworks):
    done = Bench(tmp_path, frameworks, ("numpy-a", "numpy-b"))("check", "--workload", "mnist_mlp")
    found = rows(done)
    assert found["parameters", "mnist_mlp"] == ["ok", "669706 numbers"]
    assert found["costs", "mnist_mlp"] == ["ok", "3 kernels"]
    assert found["parity", "mnist_mlp"] == ["ok", "4 answers, 2 pairs equal"]
    for name in ("numpy-a", "numpy-b"):
        same, different = (f"mnist_mlp (rmsprop) {name}/plain+{each}" for each in ("waits_each_step", "he_initializer"))
        assert found["ablation", same] == ["ok", "computes the same"]
        assert found["ablation", different] == ["ok", "differs from the program as it was, as stated"]
    assert found["contract", "mnist_mlp"] == ["ok", f"{2 * SENTENCES} sentences kept"]
    assert {outcome for outcome, _ in found.values()} <= {"ok", "warning"}
    assert "Next: nox -s tests" in done.stdout
    kept = f"/2  mnist_mlp numpy-a/plain: {SENTENCES} of {SENTENCES} sentences kept in"  # first or second: side by side
    assert kept in done.stderr
    assert "mnist_mlp (rmsprop, none) numpy-b/plain: answered in" in done.stderr


def test_a_wrong_model_breaks_and_the_right_ones_are_not_blamed(three):
    done = three("check", "--workload", "mnist_mlp", expect=1)
    broken = {key: found for key, (outcome, found) in rows(done).items() if outcome == "BROKE"}
    assert {of.split()[-1].split("+")[0] for _, of in broken} == {"numpy-wrong/plain"}
    assert "agrees with only 0 of 2" in broken["parity", "mnist_mlp (rmsprop) numpy-wrong/plain"]
    assert "the_first_step_is_the_stated_optimizers" in broken["contract", "mnist_mlp numpy-wrong/plain"]
    assert "Fix what is BROKE" in done.stdout
    below = done.stdout.split("Fix what is BROKE")[1].splitlines()
    assert [line for line in below if line.startswith("mnist_mlp")]
    assert not [line for line in below if line.endswith("  equal")]
    again = three("check", "--workload", "mnist_mlp", "--all-rows", expect=1)
    assert [line for line in again.stdout.splitlines() if line.endswith("  equal")]


def test_an_ablation_that_is_not_what_it_states_breaks(tmp_path, own_frameworks):
    ablation = own_frameworks / "numpy" / "ablations" / "waits_each_step.py"
    ablation.write_text((ablation.parent / "he_initializer.py").read_text(encoding="utf-8"), encoding="utf-8")
    (ablation.parent / "he_initializer.py").write_text("def vary(program, source):\n    return program, source\n")
    done = Bench(tmp_path, str(own_frameworks), ("numpy-a", "numpy-b"))("check", "--workload", "mnist_mlp", expect=1)
    found = {of.split()[-1]: found for (what, of), (outcome, found) in rows(done).items() if outcome == "BROKE"}
    assert sorted(found) == [f"{name}/plain+{each}" for name in ("numpy-a", "numpy-b")
                             for each in ("he_initializer", "waits_each_step")]  # fmt: skip


def test_a_misspelled_layer_is_told_with_the_names_on_both_sides(tmp_path, own_frameworks):
    model = own_frameworks / "numpy" / "mnist_mlp.py"
    model.write_text(model.read_text(encoding="utf-8").replace('"head"', '"fc"'), encoding="utf-8")
    done = Bench(tmp_path, str(own_frameworks), ("numpy-a",))("check", "--workload", "mnist_mlp", expect=1)
    broken = {key: found for key, (outcome, found) in rows(done).items() if outcome == "BROKE"}
    for key in [("parity", "mnist_mlp (rmsprop) numpy-a/plain"), ("contract", "mnist_mlp numpy-a/plain")]:
        assert "the workload does not state: fc.bias, fc.kernel;" in broken[key]
        assert "never asks for: head.bias, head.kernel. Likely a layer is misspelled" in broken[key]
        assert "bench/frameworks/numpy/mnist_mlp.py as in bench/workloads/mnist_mlp.py" in broken[key]
    assert "KeyError: 'fc" not in done.stdout


LOADERS = {"ok": ["ok", ""], "BROKE": ["failed", "training pass 2: noise"], "warning": ["unsupported", "too old"]}


@pytest.mark.parametrize("outcome", LOADERS)
def test_each_loader_of_what_is_named_has_a_row_in_the_table(outcome, monkeypatch):
    monkeypatch.setattr(photographs, "prepare", lambda *_: None)
    (name, row), *_ = [each for each in registry.environments().items() if "arrays_in_memory" in made_by(each[1])]
    asked = []

    def ask(_kind, _name, _timeout_s, work, **_):
        asked.extend(work.cases)
        return Reply(checks=[LOADERS[outcome]] * len(work.cases))

    def found(*workloads):
        named = SimpleNamespace(workload=list(workloads), environment=[name], frameworks=registry.FRAMEWORKS)
        proofs = {(name, each): "" for each in registry.answered(row)}
        return program_checks.loaders(SimpleNamespace(
            arguments=named, environments={name: row}, probes={name: {}}, names=[name], devices={name: "cpu"},
            proofs=proofs, ask=ask, say=print))  # fmt: skip

    rows = found()
    loaders = {each.of.split("+")[1] for each in rows}
    assert loaders == {each for each in made_by(row) if "feed" in ablations.statement(each).TASKS}
    assert {(each.what, each.outcome, each.found) for each in rows} == {("loader", outcome, rows[0].found)}
    assert LOADERS[outcome][1] in rows[0].found
    assert {case.workload for case in asked} == {"photo_cnn"}
    assert found("mnist_mlp") == []


def made_by(row):
    """Return the ablations that an environment's framework makes."""
    return [name for name in ablations.names() if Path(ablations.path(row, name)).exists()]


def test_a_workload_that_nobody_answers_and_an_environment_that_is_not_here_are_told(bench):
    found = rows(bench("check", "--workload", "linear", "--absent", "numpy-wrong=no Python 3.11", expect=1))
    assert found["parity", "linear"] == ["BROKE", "no model file: write bench/frameworks/<framework>/linear.py"]
    assert found["environment", "numpy-wrong"] == ["warning", "not here: no Python 3.11"]
    words = ("--workload", "linear", "--environment", "numpy-a", "--workload", "mnist_mlp")
    found = rows(bench("check", *words, expect=1))
    assert found["parity", "linear numpy-a"][0] == "BROKE"


def test_an_environment_that_cannot_be_told_in_a_figure_breaks(bench):
    found = rows(bench("check", "--environment", "numpy-a", expect=1))
    assert found["looks", "numpy-a"][0] == "BROKE"
    assert 'color = "#000000" is none of' in found["looks", "numpy-a"][1]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "Say what is new: --workload NAME"),
        (("--workload", "minst"), "There is no workload 'minst'"),
        (("--environment", "numpy-z"), "There is no environment 'numpy-z'"),
    ],
)
def test_what_is_not_named_or_not_there_is_said_before_anything_runs(words, why, bench):
    done = bench("check", *words, expect=2)
    assert why in done.stderr
    assert "ready" not in done.stderr


@pytest.fixture
def stated(tmp_path, monkeypatch):
    """State a workload of the name `linear` in other words."""
    real = registry.workload

    def state(was, instead):
        assert was in LINEAR
        (tmp_path / "linear.py").write_text(LINEAR.replace(was, instead), encoding="utf-8")
        monkeypatch.setattr(registry, "workload", lambda name: real(name, str(tmp_path)))

    return state


def test_parameters_that_are_not_the_statements_own_count_are_told(stated):
    assert check.parameters("linear") == "14218 numbers"
    stated("14_218", "14_219")
    with pytest.raises(DefinitionError, match=r"PARAMETERS is 14219, and weights\(\) makes 14218"):
        check.parameters("linear")


def asked(*workloads):
    return SimpleNamespace(workload=list(workloads), environment=[], frameworks=registry.FRAMEWORKS)


def test_a_wrong_count_of_parameters_ends_the_check_with_the_row_that_names_it(stated, monkeypatch):
    monkeypatch.setattr(preflight, "prepare", pytest.fail)
    stated("14_218", "14_219")
    (row,) = check.look_at_all(asked("linear"), print).rows
    assert (row.what, row.of, row.outcome) == ("parameters", "linear", "BROKE")


def test_a_check_waits_while_another_bench_measures_and_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "STATE", str(tmp_path / "state"))
    monkeypatch.setenv("BENCH_NODE", str(tmp_path))
    monkeypatch.setattr(check, "lint", lambda *_: check.Row("lint", "", "ok", ""))
    monkeypatch.setattr(preflight, "prepare", raises(DefinitionError("nothing is here")))
    other, said = contextlib.ExitStack(), []
    other.enter_context(lock.machine())

    def say(text):
        said.append(text)
        other.close()

    found = check.look_at_all(asked("linear"), say).rows
    assert (found[-1].what, found[-1].found) == ("environments", "nothing is here")
    assert len(said) == 1
    assert said[0].startswith("The check waits for its turn. Another bench is measuring on this machine")


def raises(error):
    def raise_it(*_):
        raise error

    return raise_it


def test_a_statement_that_raises_is_what_broke(stated):
    stated('"head", 128', '"hidden", 128')
    row = check._looked("parameters", "linear", check.parameters)
    assert (row.outcome, row.found) == ("BROKE", "ValueError: the weight 'hidden.kernel' is stated twice")


def test_a_workload_without_costs_is_a_warning_and_a_kernel_that_is_not_applied_breaks(monkeypatch):
    monkeypatch.setattr(costs, "_counted", costs._counted.__wrapped__)
    monkeypatch.setattr(costs, "kernels", costs.kernels.__wrapped__)
    monkeypatch.setattr(oracle, "forward", lambda _: lambda net, x: net.dense(x, "hidden"))
    row = check.costs_of("linear")
    monkeypatch.setattr(oracle, "is_known", lambda _: False)
    assert check.costs_of("linear").outcome == "warning"
    assert row.outcome == "BROKE"
    assert "'head'" in row.found


def test_ruff_looks_at_the_files_of_a_workload_and_of_a_framework(monkeypatch):
    known, asked, said = registry.environments(), [], []
    (name, row), *_ = known.items()
    named = type("Named", (), {"workload": ["linear"], "environment": [name]})
    found = {Path(path).relative_to(registry.ROOT).as_posix() for path in check.files(named, known)}
    assert {"bench/workloads/linear.py", "bench/oracle/linear.py"} <= found
    assert f"bench/frameworks/{row.framework}/adapter.py" in found
    monkeypatch.setattr(check.importlib.util, "find_spec", lambda _: "here")
    monkeypatch.setattr(check, "_ruff", lambda words, _: asked.append(words) or words[0] == "check")
    assert check.lint(["a.py"], said.append)[1:3] == ("files: 1", "BROKE")
    assert asked == [["check", "a.py"], ["format", "--check", "a.py"]]
    monkeypatch.setattr(check, "_ruff", lambda *_: True)
    assert check.lint(["a.py"], said.append).outcome == "ok"
    monkeypatch.setattr(check.importlib.util, "find_spec", lambda _: None)
    assert check.lint(["a.py"], said.append).outcome == "warning"


@pytest.mark.parametrize("file", ["adapter.py", "linear.py"])
def test_a_function_within_a_function_that_has_the_name_of_one_at_the_top_breaks(file, tmp_path):
    adapter, model = tmp_path / "adapter.py", tmp_path / "linear.py"
    adapter.write_text("def loaded():\n    pass\n\n\ndef step():\n    def once():\n        pass\n")
    model.write_text("def build():\n    def layer():\n        pass\n")
    paths = [str(adapter), str(model)]
    assert check.names(paths) == "2 functions within functions have names of their own"
    changed = tmp_path / file
    changed.write_text(changed.read_text().replace("once", "loaded").replace("layer", "loaded"))
    reason = rf"{file}, line \d: the file or its adapter also defines loaded\(\) at the top"
    with pytest.raises(DefinitionError, match=reason):
        check.names(paths)


def test_no_function_within_a_function_of_a_framework_has_the_name_of_one_at_the_top():
    assert int(check.names([str(path) for path in Path(registry.FRAMEWORKS).glob("*/*.py")]).split()[0]) > 0


def test_a_version_without_quotes_is_told_with_the_quotes_it_needs(tmp_path):
    path = tmp_path / "keras" / "framework.toml"
    path.parent.mkdir()
    path.write_text('[environments."keras-jax-3.14"]\n[environments.jax.variables]\n')
    check.require_quotes(str(tmp_path))
    path.write_text("[environments.keras-jax-3.14]\n")
    with pytest.raises(DefinitionError, match=r'write \[environments\."keras-jax-3\.14"\]'):
        check.require_quotes(str(tmp_path))
