"""Nothing wrong gets into a result file, or out of one."""

import copy

import jsonschema
import pytest
from replies import BENCH, CASE, RUN

from bench import machine, registry
from bench.cases import Case
from bench.errors import RecordError
from bench.results import lines, records, schema

VOID = {
    "kind": "void", "campaign": "c", "round": 2, "attempt": 1, "rule": "swap", "reason": "128 MiB more", "kept": None,
    "case": CASE._asdict(),
}  # fmt: skip
END = {"kind": "end", "campaign": "c", "ended": "2026-11-21T01:00:00Z", "rounds": 3, "reason": "the budget"}


def changed(path, value, record=RUN):
    record = copy.deepcopy(record)
    holder = record
    *parents, last = path.split(".")
    for name in parents:
        holder = holder[name]
    if value is KeyError:
        del holder[last]
    else:
        holder[last] = value
    return record


WRONG = [  # what no value of another type shows
    ("step_s", 0.1), ("duration_s", KeyError), ("duration_s", -1.0), ("case.batch_size", 0), ("case.color", "red"),
    ("case.workload", "../../etc"), ("case.workload", "a/../b"), ("case.workload", "x" * 65),
    ("case.batch_size", 10**6 + 1), ("round", 2**53), ("duration_s", 1.1e9),
    ("loss_last", -1e40), ("peak_host_memory_bytes", 10**300), ("reason", "x" * 4001), ("block_s", [0.1, "0.1"]),
]  # fmt: skip


@pytest.fixture(scope="module")
def reference():
    """What the reference implementation of JSON Schema says of a record."""
    validator = jsonschema.Draft202012Validator(schema.json_schema())
    return lambda record: list(validator.iter_errors(record))


@pytest.mark.parametrize(("path", "value"), WRONG)
def test_a_wrong_field_is_found_as_the_reference_validator_finds_it(path, value, reference):
    record = changed(path, value)
    assert schema.problems(record)
    assert reference(record)
    assert path.split(".")[-1] in " ".join(schema.problems(record))


VALUES = (None, True, 0, -7, 1.5, "", "<script>", "gpu", [], [[]], [None], [0.5], {}, {"a": 1}, {"a": {"b": []}})


@pytest.mark.parametrize("kind", ["bench", "control", "end", "run", "void"])
def test_any_value_in_any_field_is_judged_as_the_reference_validator_judges_it(kind, reference):
    (right,) = [record for record in (BENCH, CONTROL, END, RUN, VOID) if record["kind"] == kind]
    within = ((name, field) for name, value in right.items() if isinstance(value, dict) for field in value)
    for path in [*((name,) for name in right if name != "kind"), *within]:
        for value in VALUES:
            record = changed(".".join(path), value, right)
            found = schema.problems(record)
            assert bool(found) == bool(reference(record)), (path, value)
            assert all(path[0] in problem for problem in found)


CONTROL = {
    "kind": "control", "campaign": "c", "control": "overhead", "about": {"environment": "red"}, "series": {},
    "started": "2026-11-21T01:00:00Z", "duration_s": 1.0, "status": "ok", "reason": None, "error_tail": None,
}  # fmt: skip


@pytest.mark.parametrize("name", ["<b>", "x" * 65, "a..b", ""])
def test_the_names_of_fields_that_a_control_may_choose_are_names(name, reference):
    assert schema.problems(CONTROL) == reference(CONTROL) == []
    wrong = {**CONTROL, "about": {name: "x"}}
    assert "about.a field's name: expected text like" in schema.problems(wrong)[0]
    assert reference(wrong)


@pytest.mark.parametrize("text", ["AMD Ryzen(TM) ... 9", "x" * 200, "Intel(R) Xeon(R) <Gold> @ 2 GHz\n", "a \u202e b"])
def test_what_a_system_calls_its_processor_becomes_a_name(text, monkeypatch):
    monkeypatch.setattr(machine, "_from_file", lambda _, pattern: text if "model name" in pattern else None)
    described = machine.describe()
    assert schema.problems({**BENCH, "machine": described}) == []
    assert described["name"].endswith("cores")


CPUINFO = """processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: %s
model name\t: AMD EPYC
flags\t\t: fpu sse2 avx avx2 %s
"""


def test_processors_that_a_virtual_machine_calls_alike_are_two_machines(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "CPUINFO", str(tmp_path / "cpuinfo"))
    found, have_bfloat16 = [], []
    for model, more in ("1", "vaes"), ("17", "avx512f avx512_bf16"):
        (tmp_path / "cpuinfo").write_text(CPUINFO % (model, more))
        found.append(machine.describe())
        have_bfloat16.append(machine.has_bfloat16())
    assert have_bfloat16 == [False, True]
    assert [each["cpu"] for each in found] == ["AMD EPYC (family 25, model 1)", "AMD EPYC (family 25, model 17)"]
    assert [each["instructions"] for each in found] == ["avx, avx2", "avx, avx2, avx512f, avx512_bf16"]
    assert found[0]["name"].startswith("amd-epyc-family-25-model-1-")
    assert found[0]["name"] != found[1]["name"]


def test_a_task_stands_in_a_line_of_its_kind(tmp_path):
    with pytest.raises(RecordError, match=r"case\.task: expected a task of kind run, got epochs"):
        records.append(str(tmp_path / "a.jsonl"), changed("case.task", "epochs"))


def test_a_line_break_at_the_end_of_a_name_is_refused():
    assert schema.problems(changed("case.workload", "mnist_mlp\n"))


@pytest.mark.parametrize("record", [RUN, dict(RUN, machine_state=None), VOID, END])
def test_a_right_record_passes_both_validators(record, reference):
    assert schema.problems(record) == []
    assert reference(record) == []


def test_a_record_comes_back_as_it_was_written(tmp_path):
    path = str(tmp_path / "a.jsonl")
    records.append(path, RUN)
    records.append(path, END)
    assert [schema.content(line) for line in records.read(path)] == [RUN, END]


def test_a_wrong_record_is_refused_before_anything_is_written(tmp_path):
    path = tmp_path / "a.jsonl"
    with pytest.raises(RecordError, match="duration_s"):
        records.append(str(path), changed("duration_s", -1.0))
    assert not path.exists()


def test_every_field_of_the_schema_is_explained_in_the_readme():
    with open(registry.ROOT + "/results/README.md", encoding="utf-8") as file:
        text = file.read()
    kinds = [*lines.KINDS.values(), lines.Machine, lines.MachineState, lines.CpuState, lines.GpuState, Case]
    assert [(kind, name) for kind in kinds for name in schema.fields(kind) if f"`{name}`" not in text] == []
