"""What the command line takes, refuses and says before anything is measured."""

import pytest
from running import ROOT

from bench import __main__ as command_line
from bench import cases, dataset, registry
from bench.campaign import preflight
from bench.cli import options, verbs
from bench.driver import processes
from bench.profiles import PROFILES
from bench.replies import Reply


@pytest.mark.parametrize("option", ["--rounds", "--threads", "--batch-size", "--examples"])
@pytest.mark.parametrize("value", ["0", "-1", "1.5", "many"])
def test_what_is_counted_is_at_least_one(option, value, capsys):
    with pytest.raises(SystemExit):
        options.parser().parse_args(["run", f"{option}={value}"])
    assert f"argument {option}: expected a number from 1 up, got '{value}'" in capsys.readouterr().err


def test_a_precision_that_no_adapter_sets_is_refused_with_those_that_some_set(capsys):
    assert command_line.main(["list", "--precision", "fp8"]) == 2
    assert "There is no precision 'fp8'; choose from: bf16, fp32, tf32." in capsys.readouterr().err
    faulty = str(ROOT / "tests" / "faults" / "frameworks")
    assert command_line.main(["list", "--frameworks", faulty, "--precision", "tf32"]) == 2
    assert "choose from: fp32." in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--mode=eager", "--precision=fp32", "--short", "--answers=here"])
def test_contract_takes_no_option_that_it_does_not_heed(option, capsys):
    with pytest.raises(SystemExit):
        options.parser().parse_args(["contract", option])
    assert "unrecognized arguments" in capsys.readouterr().err


def prepared(frameworks, proofs, *words):
    """Return what is prepared when `contract` is asked of an environment that has these proofs."""
    known = registry.environments(frameworks)
    arguments = options.parser().parse_args(["contract", f"--frameworks={frameworks}", *words])
    return preflight.Prepared(known, dict.fromkeys(known, ""), dict.fromkeys(known), {}, {}, proofs, arguments, print)


def test_contract_checks_the_environments_and_workloads_that_are_named(monkeypatch, frameworks):
    known = registry.environments(frameworks)
    asked = []

    def call(_python, environment, request, *_):
        asked.append((environment.name, request.work.asked))
        return Reply(checks=[{"it keeps it": ""}])

    monkeypatch.setattr(processes, "call", call)
    proofs = {(name, workload): "" for name in known for workload in ("linear", "mnist_mlp")}
    found = preflight.check_contracts(prepared(frameworks, proofs, "--environment=numpy-b", "--workload=linear"))
    assert found == {("numpy-b", "linear", "plain"): {"it keeps it": ""}}
    assert asked == [("numpy-b", [("linear", "plain", None)])]


def test_contracts_are_checked_in_every_mode_or_in_the_documented_ones_alone(monkeypatch, frameworks):
    known = registry.environments(frameworks)
    monkeypatch.setattr(processes, "call", lambda *_: Reply())
    given = prepared(frameworks, {("numpy-a", "mnist_mlp"): ""})
    assert [mode for _, _, mode in preflight.check_contracts(given)] == [mode.name for mode in known["numpy-a"].modes]
    assert list(preflight.check_contracts(given, documented_only=True)) == [("numpy-a", "mnist_mlp", "plain")]


@pytest.mark.parametrize(
    ("words", "budget_s"),
    [
        ([], PROFILES["quick"].budget_s),
        (["--profile", "full"], None),
        (["--short"], cases.SHORT_BUDGET_S),
        (["--short", "--profile", "full"], None),
        (["--short", "--budget", "20m"], 1200.0),
        (["--budget", "0s"], 0.0),
    ],
)
def test_a_budget_is_what_is_given_else_that_of_the_short_selection_else_the_profiles(words, budget_s):
    assert verbs.budget_s(options.parser().parse_args(["run", *words])) == budget_s


def test_folders_that_workers_read_or_write_are_named_from_here_for_workers_start_elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    given = options.parser().parse_args(["run", "--frameworks=mine", "--answers=given"])
    assert (given.frameworks, given.answers) == (str(tmp_path / "mine"), str(tmp_path / "given"))


def test_data_are_read_from_where_they_are_prepared_also_below_the_home_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("BENCH_DATA", "~/sets")
    assert dataset.default_folder() == str(tmp_path / "sets")
    assert options.parser().parse_args(["data"]).folder == str(tmp_path / "sets")
