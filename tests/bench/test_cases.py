"""A selection lists what was asked for, and a case names what it reads."""

import json

import pytest

from bench import registry
from bench.__main__ import main
from bench.campaign import preflight
from bench.cases import SHORT, SHORT_OVER_DATA, Data, Selection, read_data, select
from bench.errors import DefinitionError

NAMES = {
    "random": Data("random"),
    "mnist": Data("mnist"),
    "mnist-300": Data("mnist", False, 300),
    "mnist-stand-in": Data("mnist", True),
    "dog_breeds-stand-in-16": Data("dog_breeds", True, 16),
}


@pytest.mark.parametrize("text", NAMES)
def test_the_name_of_data_says_what_they_are(text):
    assert read_data(text) == NAMES[text]
    assert NAMES[text].text == text


@pytest.mark.parametrize(
    "text", ["", "mnist-", "mnist-0", "mnist-stand-in-", "mnist-5-stand-in", "a b", "mnist\n", "x(y)"]
)
def test_what_names_no_data_is_refused(text):
    with pytest.raises(DefinitionError, match="mnist-stand-in-300"):
        read_data(text)


def test_a_cut_stand_in_is_part_of_every_case_over_data_and_of_no_other(frameworks):
    selection = Selection(workloads=["mnist_mlp"], tasks=["train", "epochs"], examples=64)
    found = {case.task: case.data for case in select(selection, {"numpy-a": "cpu"}, frameworks)}
    assert found == {"train": "random", "epochs": "mnist-stand-in-64"}


def test_documented_means_the_mode_that_each_environment_names_first(frameworks):
    devices = dict.fromkeys(["numpy-a", "numpy-b"], "cpu")
    first = {name: registry.environment(name, frameworks).modes[0].name for name in devices}
    found = select(Selection(workloads=["mnist_mlp"], documented_only=True), devices, frameworks)
    assert {case.environment: case.mode for case in found} == first
    assert len(found) == 2


TIERED = """
layout = "nchw"
precisions = ["fp32"]

[modes]
plain = { compiles = false, tier = "documented" }
last = { compiles = true, tier = "matched", layout = "nhwc" }
frozen = { compiles = true, tier = "tuned", tasks = ["infer"] }

[environments.one]
title = "One"
color = "#e69f00"
marker = "o"
python = ["3.11"]
modes = ["plain", "last", "frozen"]
matched = ["plain"]
packages = []
"""


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, [("plain", "documented", "nchw")]),
        ({"tiers": ["matched"]}, [("plain", "matched", "nchw"), ("last", "matched", "nhwc")]),
        ({"tiers": ["tuned"], "tasks": ["infer"]}, [("frozen", "tuned", "nchw")]),
        ({"modes": ["last"]}, [("last", "matched", "nhwc")]),
        ({"modes": ["plain"]}, [("plain", "documented", "nchw")]),
        ({"modes": ["plain"], "tiers": ["matched"]}, [("plain", "matched", "nchw")]),
    ],
)
def test_a_tier_is_measured_when_it_is_asked_for_and_a_mode_in_its_own(tmp_path, asked, found):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "framework.toml").write_text(TIERED)
    cases = select(Selection(workloads=["linear"], **asked), {"one": "cpu"}, str(tmp_path))
    assert sorted({(case.mode, case.tier, case.layout) for case in cases}) == sorted(found)


def test_a_further_version_is_a_row_like_another_and_not_asked_of_every_edit(tmp_path):
    before = '[environments.one-before]\nlike = "one"\ntitle = "One of before"\ndefault = false\n'
    for name, text in {
        "one": TIERED + before,
        "two": TIERED.replace("environments.one", "environments.two") + "default = false\n"
        '[environments.two-before]\nlike = "two"',
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "framework.toml").write_text(text)
    assert set(registry.environments(str(tmp_path))) == {"one", "one-before", "two", "two-before"}
    assert registry.usual(str(tmp_path)) == ["one", "two"]
    one, before = (registry.environment(name, str(tmp_path)) for name in ("one", "one-before"))
    assert before == one._replace(name="one-before", title="One of before", is_default=False)


def test_a_row_may_be_there_for_some_workloads_alone(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "framework.toml").write_text(TIERED + '[environments.some]\nlike = "one"\nonly = ["linear"]')
    for name in ("linear", "mnist_mlp"):
        (tmp_path / "one" / f"{name}.py").touch()
    known = registry.environments(str(tmp_path))
    assert {name: sorted(registry.answered(row)) for name, row in known.items()} == {
        "one": ["linear", "mnist_mlp"], "some": ["linear"]}  # fmt: skip


@pytest.mark.parametrize(
    ("workload", "task", "first"),
    [("resnet50", "train", [128, 256]), ("mnist_mlp", "train", [512, 4096]), ("babi_rnn", "train", [512, 4096]),
     ("resnet50", "infer", [1, 128])],
)  # fmt: skip
def test_a_gpu_gets_what_it_is_bought_for_before_the_batches_of_the_source_unless_named(
    workload, task, first, frameworks
):
    asked = Selection(workloads=[workload], tasks=[task], modes=["plain"], optimizers=["adam", "sgd", "rmsprop"])
    own = list(registry.workload(workload).BATCH_SIZES)

    def sizes(device, **changes):
        cases = select(asked._replace(**changes), {"numpy-a": device}, frameworks)
        return list(dict.fromkeys(case.batch_size for case in cases))

    assert sizes("gpu") == [*first, *(size for size in own if size not in first)]
    assert sizes("gpu", first_only=True) == first[:1]
    assert sizes("cpu") == own
    for device in ("gpu", "cpu"):
        assert sorted(sizes(device, batch_sizes=[7, 5, 7])) == [5, 7]


def test_short_means_a_few_workloads_in_documented_modes_unless_others_are_named(capsys, frameworks):
    def listed(*words):
        assert main(["list", "--frameworks", frameworks, "--short", "--json", *words]) == 0
        found = json.loads(capsys.readouterr().out)
        return {case["workload"] for case in found}, {case["mode"] for case in found}, {case["task"] for case in found}

    assert listed() == (set(SHORT), {"plain"}, {"train", "epochs"})
    assert listed("--workload", "linear", "--mode", "nan") == ({"linear"}, {"nan"}, {"train"})
    assert listed("--task", "infer") == (set(SHORT), {"plain"}, {"infer"})


def test_short_trains_one_workload_over_data_beside_its_steps_so_that_waiting_for_data_shows(frameworks):
    selection = Selection(workloads=SHORT, over_data=SHORT_OVER_DATA, documented_only=True)
    found = {(case.workload, case.task): case.data for case in select(selection, {"numpy-a": "cpu"}, frameworks)}
    over_data = {key: data for key, data in found.items() if key[1] != "train"}
    assert over_data == {("mnist_mlp", "epochs"): "mnist-stand-in"}
    assert all((workload, "train") in found for workload in SHORT)


def test_a_selection_without_a_case_says_what_was_asked_for(frameworks):
    with pytest.raises(DefinitionError, match="workloads linear; optimizers sgd"):
        select(Selection(workloads=["linear"], optimizers=["sgd"]), {"numpy-a": "cpu"}, frameworks)


def test_a_row_says_why_it_does_not_answer_a_workload():
    row = next(iter(registry.environments().values()))._replace(unanswered={"nothing": "it has no words"}, only=[])
    assert preflight.why_unanswered(row, "nothing") == "does not answer nothing: it has no words"
    assert preflight.why_unanswered(row._replace(unanswered={}), "nothing") == "has no model file for nothing"
    assert preflight.why_unanswered(row._replace(only=["gpt"]), "nothing") == "is there for gpt alone"


def test_what_keeps_a_framework_from_a_workload_keeps_no_row_that_says_so():
    rows = [each for each in registry.environments().values() if each.framework == "keras2" and not each.only]
    assert [each.name for each in rows if registry.answers(each, "resnet50")] == ["keras-2.1"]
    assert [each.name for each in rows if "resnet50" not in each.unanswered] == ["keras-2.1"]


@pytest.mark.parametrize(
    ("device", "asked", "found"),
    [("cpu", [], ["fp32"]), ("gpu", [], ["fp32", "tf32"]), ("gpu", ["fp32"], ["fp32"]), ("gpu", ["bf16"], ["bf16"])],
)
def test_a_frameworks_own_default_is_measured_beside_strict_float32_on_a_gpu(tmp_path, device, asked, found):
    (tmp_path / "one").mkdir()
    text = TIERED.replace('["fp32"]', '["fp32", "tf32", "bf16"]\ngpu_precision = "tf32"')
    (tmp_path / "one" / "framework.toml").write_text(text)
    cases = select(Selection(workloads=["linear"], precisions=asked), {"one": device}, str(tmp_path))
    assert sorted({case.precision for case in cases}) == sorted(found)


@pytest.mark.parametrize("name", [name for name, row in registry.environments().items() if row.gpu_precision])
def test_what_is_a_default_on_a_gpu_can_be_set_there(name):
    row = registry.environment(name)
    assert row.gpu_precision in row.precisions
