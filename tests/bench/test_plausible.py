"""What cannot be is refused with its reason: each rule by a record that breaks just that one."""

import glob
import os

import pytest
from replies import BENCH, CASE, RUN

from bench import costs, proof, registry
from bench.cases import Case
from bench.results import lines, peaks, plausible, records, schema

OVER_DATA = {
    **{key: RUN[key] for key in RUN if key in schema.fields(lines.Epochs)},
    "kind": "epochs", "case": CASE._replace(task="fit", data="mnist")._asdict(), "duration_s": 60.0,
    "epoch_s": [9.0, 6.1, 6.0], "evaluation_s": [0.1, 0.1, 0.1], "losses": [2.3, 0.5, 0.1],
    "test_scores": [0.8, 0.9, 0.95], "steps_per_epoch": 468, "score": "accuracy",
}  # fmt: skip
FED = {
    **{key: OVER_DATA[key] for key in OVER_DATA if key not in ("evaluation_s", "test_scores")},
    "case": CASE._replace(workload="photo_cnn", task="feed", data="photographs-stand-in-64")._asdict(),
    "evaluation_s": [], "test_scores": [], "score": None, "epoch_s": [9.0, 6.0], "losses": [2.3, 0.1],
    "steps_per_epoch": 2, "loading_s": [1.0], "loading_cold_s": 2.0, "waiting_s": [8.0, 5.0], "conversion_s": None,
    "conversion_bytes": None, "utilization": [[1.0, 1.9, None], [8.0, 0.2, 0.4]],
}  # fmt: skip
VGG = {
    "case": CASE._replace(workload="vgg16", optimizer="adam", batch_size=4)._asdict(),
    "block_s": [50.1, 50.0, 50.2], "block_cpu_s": [90.0] * 3, "steps_per_block": 1, "duration_s": 200.0,
}  # fmt: skip


ENVIRONMENT = {
    "kind": "environment", "campaign": "c", "environment": "pytorch", "title": "PyTorch", "framework": "pytorch",
    "color": "#000000", "marker": "o", "default_mode": "eager", "modes": {}, "python": "3.11", "device": "cpu",
    "loaded": {"torch": "2.0"}, "packages": {}, "libraries": [], "variables": {},
}  # fmt: skip
REFUSED = {"20261124-090946.jsonl": [58]}  # line: a tenth of its seven blocks took less than half of the median


def ceiling(environment="pytorch", flops_s=1e11, bytes_s=1e10, **changes):
    return {"kind": "ceiling", "campaign": "c", "environment": environment, "device": "cpu", "precision": "fp32",
            "matmul_flops_s": flops_s, "copy_bytes_s": bytes_s, "reason": None, **changes}  # fmt: skip


def found(run, *others, machine=BENCH):
    assert schema.problems(run) == []  # what the schema refuses already needs no rule
    content = [schema.read(record) for record in (machine, run, *others)]
    return plausible.problems(content[1], plausible.context(content))


POSSIBLE = {
    "steps": RUN,
    "epochs": OVER_DATA,
    "photographs": FED,
    "what is fed by a loop that tells no waiting": {**FED, "waiting_s": []},
    "long steps": {**RUN, **VGG},
    "an import with half the machine": {**RUN, "import_s": 4.0},
    "an ablation's first run, beside others": {
        **RUN, "case": CASE._replace(tier="ablation")._asdict(), "first_step_s": None, "block_order": [0, 1, 0]},
    "a single epoch of a framework's own loop": {**OVER_DATA, "epoch_s": [6.0], "losses": [2.3], "loss_last": 2.3},
    "inference, which keeps its sum of outputs": {
        **RUN, "case": CASE._replace(task="infer", optimizer="none")._asdict(), "loss_last": 2.3},
    "what has no time": {**RUN, "status": "failed", "reason": "it broke", "block_s": [], "proof": None},
}  # fmt: skip


@pytest.mark.parametrize("run", POSSIBLE.values(), ids=POSSIBLE)
def test_a_possible_run_has_no_problem(run):
    assert found(run) == found(run, ceiling()) == []


BROKEN = {
    "a turn without a block": ({"block_order": [0]}, "it has 3 blocks, but took 1 turns"),
    "a look without a block": ({"block_slowdown": [1.0]}, "it has 3 blocks, but a search for quiet cores before 1"),
    "a zero time": ({"block_s": [0.1, 0.0, 0.1], "block_cpu_s": [], "wait_s": 0.0}, "block_s holds 0.0 s"),
    "a first step of no time": ({"first_step_s": 0.0}, "the first step took 0.0 s"),
    "a step below the clock's resolution": ({"steps_per_block": 10**7}, "too short for a clock to measure"),
    "a step that no number is small enough for": (
        {"block_s": [5e-324, 1e-323, 5e-324], "block_cpu_s": [], "wait_s": 0.0},
        "a step of 0.0e+00 s is too short",
    ),
    "a wait longer than its block": ({"wait_s": 0.2}, "a wait of 0.2 s is longer than its block of 0.1 s"),
    "milliseconds as seconds": ({"block_s": [101.0, 100.0, 102.0]}, "its process took 10 s: is a unit wrong"),
    "an import in milliseconds": ({"import_s": 1000.0}, "its process took 10 s: is a unit wrong"),
    "seconds as milliseconds": ({"block_s": [1.01e-4, 1e-4, 1.02e-4]}, "of processor time in 0.000303 s on 2 cores"),
    "an unchanged loss": ({"loss_last": 2.3}, "training left the loss at exactly 2.3"),
    "zero variance": ({"block_s": [0.1, 0.1, 0.1]}, "all 3 times are exactly 0.1 s"),
    "one block in three that did not wait": (
        {"block_s": [0.1, 0.02, 0.1], "block_cpu_s": []},
        "did some waits return too early?",
    ),
    "no proof": ({"proof": None}, "it has a time, but lacks proof"),
    "no code": ({"code": None}, "it has a time, but lacks code"),
    "no loss": ({"loss_first": None}, "it has a time, but lacks loss_first"),
    "no block": ({"block_s": []}, "it has a time, but lacks block_s"),
    "no step": ({"steps_per_block": None}, "it has a time, but lacks steps_per_block"),
}
OVER_DATA_BROKEN = {
    "an epoch without a time": ({"epoch_s": [9.0, 0.0, 6.0]}, "epoch_s holds 0.0 s"),
    "epochs longer than the process": ({"epoch_s": [9.0, 61.0, 60.0]}, "its process took 60 s"),
    "an unchanged loss": ({"loss_last": 2.3}, "training left the loss"),
    "zero variance": ({"epoch_s": [6.0, 6.0, 6.0]}, "all 3 times are exactly 6.0 s"),
    "no steps": ({"steps_per_epoch": None}, "lacks steps_per_epoch"),
}
FED_BROKEN = {
    "a wait longer than its pass": ({"waiting_s": [8.0, 6.1]}, "a pass of 6 s waited 6.1 s for its batches"),
    "waits in milliseconds": ({"waiting_s": [8.0, 5000.0]}, "a pass of 6 s waited 5e+03 s for its batches"),
    "more cores than there are": ({"utilization": [[1.0, 2.3, None]]}, "2.3 cores were busy, but the machine has 2"),
    "per cent of a GPU": ({"utilization": [[1.0, 1.0, 40.0]]}, "a GPU utilisation of 40: expected a share"),
    "a sample without its cores": ({"utilization": [[1.0]]}, "a sample of the machine is [1.0]: expected seconds"),
}
BREAKING = {"steps": (RUN, BROKEN), "over data": (OVER_DATA, OVER_DATA_BROKEN), "fed": (FED, FED_BROKEN)}


@pytest.mark.parametrize(("run", "rules"), BREAKING.values(), ids=BREAKING)
def test_a_run_that_breaks_one_rule_is_refused_with_its_reason(run, rules, subtests):
    for rule, (changes, reason) in rules.items():
        with subtests.test(rule):
            (problem,) = found({**run, **changes})
            assert reason in problem


def faster_by(share, flops_s):
    """Return a run at `share` of what a machine of `flops_s` is held to be able to."""
    step_s = costs.of(CASE).least_flops / (share * plausible.MARGIN * flops_s)
    return {**RUN, "steps_per_block": 1, "wait_s": step_s / 1e4,
            "block_s": [step_s, 1.01 * step_s, 0.99 * step_s], "block_cpu_s": [step_s] * 3}  # fmt: skip


def test_a_run_faster_than_the_measured_matrix_product_is_refused():
    assert found(faster_by(0.95, 1e11), ceiling()) == []
    (problem,) = found(faster_by(1.05, 1e11), ceiling())
    assert "this machine does 2e+11 per second" in problem


def test_the_machines_ceiling_is_the_best_that_any_environment_reached():
    assert found(faster_by(1.05, 1e11), ceiling(), ceiling("jax", 2e11)) == []


def test_a_ceiling_of_another_precision_or_one_that_failed_says_nothing():
    broken = ceiling(matmul_flops_s=None, copy_bytes_s=None, reason="it broke")
    assert found(faster_by(9.0, 1e11), ceiling(precision="tf32"), broken) == []


def test_an_epoch_faster_than_its_steps_could_be_is_refused():
    (problem,) = found({**OVER_DATA, "epoch_s": [0.5, 0.41, 0.4]}, ceiling())
    assert problem.startswith("an epoch needs at least")


def test_a_step_that_reads_more_than_memory_gives_is_refused():
    (problem,) = found({**RUN, **VGG}, ceiling(flops_s=1e15, bytes_s=1e7))
    assert "bytes" in problem


def test_what_a_cache_may_hold_need_not_be_read():
    assert found(RUN, ceiling(bytes_s=1.0)) == []


def on_gpu(step_s):
    case = {**VGG["case"], "device": "gpu", "precision": "tf32"}
    return {**RUN, **VGG, "case": case, "block_s": [step_s, 1.01 * step_s, 0.99 * step_s], "block_cpu_s": [step_s] * 3}


def test_without_a_measured_ceiling_a_known_gpu_is_held_to_its_datasheet():
    gpu = {**BENCH, "machine": {**BENCH["machine"], "gpu": "NVIDIA H200"}}
    least = costs.of(Case(**on_gpu(1.0)["case"])).least_bytes - plausible.CACHE_BYTES["gpu"]
    fastest = least / peaks.of("NVIDIA H200").bytes_s
    assert found(on_gpu(1.05 * fastest), machine=gpu) == []
    assert found(on_gpu(0.95 * fastest), machine=gpu)
    assert found(on_gpu(0.95 * fastest)) == []  # of an unknown machine nothing is known


def test_a_workload_without_costs_is_held_to_all_other_rules():
    case = CASE._replace(workload="a_workload_of_tomorrow")._asdict()
    assert found({**RUN, "case": case, "steps_per_block": 10**5}, ceiling()) == []
    assert found({**RUN, "case": case, "loss_last": 2.3}, ceiling())


@pytest.mark.parametrize(
    ("differs", "said"), [("code", "also belongs to other code"), ("proof", "has other parity proofs")]
)
def test_one_proof_for_two_codes_and_two_proofs_for_one_are_refused(differs, said):
    (problem,) = found(RUN, {**RUN, differs: "f" * 16})
    assert said in problem


def test_what_is_learned_line_by_line_is_what_a_campaign_says_as_a_whole():
    content = [schema.read(record) for record in (
        BENCH, ENVIRONMENT, ceiling(), ceiling("jax", flops_s=2e11), RUN, {**RUN, "proof": "f" * 16}, OVER_DATA,
    )]  # fmt: skip
    about = plausible.context(content[:1])
    for line in content[1:]:
        plausible.learn(about, line)
    assert about == plausible.context(content)
    assert about.ceilings["cpu", "fp32"].flops_s == 2e11
    assert about.proofs == {("pytorch", "mnist_mlp", ""): {(RUN["code"], RUN["proof"]), (RUN["code"], "f" * 16)}}


def test_a_proof_of_files_that_were_edited_meanwhile_is_refused(frameworks):
    row = registry.environment("numpy-a", frameworks)
    loaded = {"numpy": "1.2.3", "device_name": None}
    now = proof.proof_hash("mnist_mlp", row, loaded)
    run = {**RUN, "case": CASE._replace(environment="numpy-a")._asdict(), "proof": now}
    environment = schema.read({**ENVIRONMENT, "environment": "numpy-a", "loaded": loaded})
    run, bench = schema.read(run), schema.read(BENCH)
    about = plausible.context([bench, environment, run], {"numpy-a": row})
    assert plausible.problems(run, about) == []
    (problem,) = plausible.problems(schema.changed(run, proof="f" * 16), about)
    assert "were they edited since?" in problem
    newer = schema.changed(environment, loaded={"numpy": "1.2.4"})
    assert plausible.problems(run, plausible.context([bench, newer, run], {"numpy-a": row}))


def test_a_refused_run_keeps_its_numbers_and_has_no_time():
    run = {**RUN, "loss_last": 2.3}
    (_, refused) = plausible.judge_all([schema.read(BENCH), schema.read(run)])
    assert refused.status == "implausible"
    assert schema.problems(schema.content(refused)) == []
    assert schema.changed(refused, status="ok", reason=None) == schema.read(run)
    assert records.time_s(refused) is None


@pytest.mark.parametrize("path", sorted(glob.glob(os.path.join(registry.ROOT, "results", "*", "*.jsonl"))))
def test_no_committed_result_is_refused_but_one_whose_blocks_were_disturbed(path):
    content = records.read(path)
    changed = [place for place, both in enumerate(zip(content, plausible.judge_all(content), strict=True), 1)
               if both[0] != both[1]]  # fmt: skip
    assert changed == REFUSED.get(os.path.basename(path), [])
