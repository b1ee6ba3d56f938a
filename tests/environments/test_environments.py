"""Inside every installed environment: contracts are kept, kept answers are of this code, cases are measured."""

import contextlib
import itertools

import numpy as np
import pytest
import waits
from within import adapters, inside, lightest, planted, printed, small

from bench import ablations, compiling, files, machine, proof, registry
from bench.campaign import campaign as campaigns
from bench.cases import FED, PIPELINES, TASKS, Selection, most_workers, select
from bench.data import photographs
from bench.errors import DefinitionError
from bench.replies import Contract
from bench.results import records
from bench.worker import contract, controls

pytestmark = pytest.mark.environment


def test_an_environment_loads_its_pinned_versions(environment, probed):
    row, _ = environment
    pinned = dict(pin.split("==") for pin in row.packages + row.cpu if ";" not in pin)
    installed = {name.lower().replace("_", "-"): version for name, version in probed.packages.items()}
    for name, version in pinned.items():
        assert installed[name.split("[")[0].lower().replace("_", "-")] == version


def test_the_adapter_keeps_its_contract_in_every_mode(environment, ask):
    row, _ = environment
    workload = lightest(row, "train").workload
    lacking = {mode.name: machine.missing_packages(mode.system or {}) for mode in registry.modes(row, "train")}
    modes = [mode for mode, reason in lacking.items() if reason is None]
    checks = ask("contract", Contract([(workload, mode, None) for mode in modes])).checks
    for mode, found in zip(modes, checks, strict=True):
        assert {sentence: problem for sentence, problem in found.items() if problem} == {}, mode
    for mode, reason in lacking.items():
        if reason:
            pytest.skip(f"in mode {mode}: {reason}")


def test_a_wait_that_was_left_out_is_noticed(environment, tmp_path, cache):
    row, python = environment
    case = lightest(row, "train")
    noticed = contract.wait_returns_the_number_of_its_step.__name__
    said = printed(inside(row, python, tmp_path, cache, waits.__file__, row.name, case.workload, case.mode))
    assert noticed not in said.pop(controls.NOTHING)
    if said[controls.HANDLE] is None:
        said.pop(controls.HANDLE)  # a step waits by itself and returns the number
    assert {name: noticed in by for name, by in said.items()} == dict.fromkeys(said, True)


def looks_words_up(problem):
    x, _ = registry.parity_batch(problem, np.random.RandomState(0))
    return (x[0] if isinstance(x, tuple) else x).dtype.kind == "i"


def questions_about_dropout_and_words(row):
    """Return what to ask of each small network: of all else, the kept answer has proven names, shapes and steps."""
    asked = []
    for workload in small(row):
        problem = registry.workload(workload)
        about = contract.ABOUT_DROPOUT * bool(problem.DROPOUT) + contract.ABOUT_WORDS * looks_words_up(problem)
        asked += [[workload, row.modes[0].name, [sentence.__name__ for sentence in about]]] if about else []
    return asked


def lightest_of_each(asked):
    """Return each sentence of these questions once, of the lightest network that it is about."""
    found, seen = [], set()
    for workload, mode, names in asked:
        new = [name for name in names if name not in seen]
        found += [[workload, mode, new]] if new else []
        seen.update(new)
    return found


@pytest.mark.long
@pytest.mark.parametrize("which", ["lightest", pytest.param("all", marks=pytest.mark.nightly)])
def test_models_that_drop_out_or_look_words_up_do_as_stated(which, environment, ask):
    row, _ = environment
    asked = questions_about_dropout_and_words(row)
    asked = lightest_of_each(asked) if which == "lightest" else asked
    for (workload, _, names), checks in zip(asked, ask("contract", Contract(asked)).checks, strict=True):
        assert checks == dict.fromkeys(names, ""), workload


def test_every_kept_answer_is_of_the_code_and_the_versions_that_the_environment_loads(environment, probed):
    """That answers agree with each other, tests/bench/test_parity.py shows without an environment."""
    row, _ = environment
    own = [subject for subject in proof.subjects(proof.FOLDER) if subject.environment == row.name]
    assert {subject.workload for subject in own} >= set(registry.answered(row))
    proofs = {subject: proof.about(subject, row, probed.loaded)["proof"] for subject in own}
    stale = [subject for subject in own if not proof.is_kept(subject, proofs[subject])]
    assert stale == [], "nox -s parity answers again"


def test_every_ablation_has_proven_what_it_says_of_itself(environment, probed):
    row, _ = environment
    if not row.is_default:
        pytest.skip(f"{row.title} is no default environment: nobody is asked for its ablations")
    tasks = [task for task in TASKS if task not in FED]  # a loader leaves programs as they are
    for workload, task in itertools.product(registry.answered(row), tasks):
        for mode in ablations.variants(row, workload, task, "cpu"):
            optimizer = "none" if task == "infer" else registry.optimizers(workload)[0]
            subject = proof.Subject(workload, optimizer, row.name, mode.name)
            own = proof.about(subject, row, probed.loaded)["proof"]
            assert proof.is_kept(subject, own), f"{subject}: nox -s parity -- --suite lessons"


def test_one_workload_is_measured_in_training_and_inference(environment, measure):
    row, _ = environment
    for task in ("train", "infer"):
        reply = measure(lightest(row, task))
        assert len(reply["block_s"]) == 3
        assert min(reply["block_s"]) > 0
        assert reply["peak_host_memory_bytes"] > 10**7


def test_training_over_data_is_measured_by_hand_and_by_the_frameworks_own_loop(environment, measure):
    row, _ = environment
    for task in ("epochs", "fit"):
        if task == "fit" and not row.has_fit:
            continue
        case = lightest(row, task)
        reply = measure(case)
        steps = 300 // case.batch_size
        losses = steps if task == "epochs" else 1
        assert (reply["steps_per_epoch"], len(reply["losses"]), len(reply["epoch_s"])) == (steps, losses, 1)
        assert (reply["first_step_s"] is None) == (task == "fit")
        assert 0 <= reply["test_scores"][0] <= 1
        assert all(0 < loss < 100 for loss in reply["losses"])


def loaders(row, examples):
    """Return the cases of an environment's loaders, and of the network alone; none where it has no loader."""
    asked = Selection(["photo_cnn"], [row.name], batch_sizes=[8], examples=examples, suite=PIPELINES)
    documented = registry.modes(row, FED[0])[0].name
    if_asked = [f"{documented}+{name}+{number}" for name in ablations.names() for number in (0, 2)
                if getattr(ablations.statement(name), "NUMBERS", None) == ()]  # fmt: skip
    found = []
    for modes in ([], if_asked):
        with contextlib.suppress(DefinitionError):
            found += select(asked._replace(modes=modes), {row.name: "cpu"})
    return found


@pytest.mark.parametrize("which", ["most workers", pytest.param("all", marks=pytest.mark.nightly)])
def test_every_loader_brings_what_is_in_the_files(which, environment, measure, tmp_path):
    row, _ = environment
    cases = loaders(row, 16) if which == "all" else most_workers(loaders(row, 16))
    if not cases:
        pytest.skip(f"{row.title} has no loader")
    photographs.prepare(cases, str(tmp_path), "", print)
    for case in cases:
        # Which holds a loader against the photographs before it is timed, and says where a version has none.
        reply = measure(case, str(tmp_path), may_skip=bool(ablations.split(case.mode)[1]))
        assert (reply["steps_per_epoch"], len(reply["epoch_s"])) == (2, 2), case.mode
        assert len(reply["loading_s"]) == bool(ablations.split(case.mode)[1]), case.mode


def compiling_case(row):
    """Return the lightest training case of an environment's first mode that compiles; skip if none can here."""
    modes = [
        mode
        for mode in registry.modes(row, "train")
        if mode.compiles and not machine.missing_packages(mode.system or {})
    ]
    if not modes:
        pytest.skip(f"{row.title} has no mode that compiles here")
    return lightest(row, "train")._replace(mode=modes[0].name)


def test_a_line_of_a_campaign_says_what_was_compiled(environment, measure, tmp_path):
    """From the worker to the file."""
    case = compiling_case(environment[0])
    where, folder = campaigns.Where(1, 0, 0), str(tmp_path / "campaign.jsonl")
    reply = {"status": "ok", "reason": None, "error_tail": None, **measure(case)}
    campaign = campaigns.CampaignFile(folder, [])
    campaign.write(campaigns.run_record(case, reply, where, files.now(), "cold", 1, None))
    (line,) = records.read(folder)
    assert line.status == "ok"
    assert line.compiled not in (None, compiling.NOTHING)


def test_a_compiling_mode_that_is_forced_to_run_eagerly_says_so(environment, measure, tmp_path):
    row, _ = environment
    if "eager" not in row.planted:
        pytest.skip(f"{row.title} says in no [planted.eager] how its step could stay as it is")
    frameworks = planted(row, tmp_path / "frameworks", adapters, row.planted["eager"])
    assert measure(compiling_case(row), frameworks=frameworks)["compiled"] == compiling.NOTHING


def test_a_variable_that_changes_arithmetic_is_refused_in_the_shell_and_part_of_the_proof_in_the_environment(
    environment, ask, monkeypatch
):
    row, _ = environment
    workload = registry.answered(row)[0]
    stated = row._replace(variables={**row.variables, "ONEDNN_DEFAULT_FPMATH_MODE": "BF16"})
    assert proof.proof_hash(workload, stated, {}) != proof.proof_hash(workload, row, {})
    monkeypatch.setenv("ONEDNN_DEFAULT_FPMATH_MODE", "BF16")
    with pytest.raises(DefinitionError, match=r"ONEDNN_DEFAULT_FPMATH_MODE=BF16 changes what .* Unset it"):
        ask("probe")
    monkeypatch.delenv("ONEDNN_DEFAULT_FPMATH_MODE")
    assert ask("probe").probed.loaded
