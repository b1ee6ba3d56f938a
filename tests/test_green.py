"""A change makes the gate test the environments that depend on it, and no other."""

import json
import shutil
import subprocess
import sys

import pytest
from running import ROOT

from bench import registry
from tasks import green

ASK = """
import json, sys
from tasks import green
from bench import registry
for _ in sys.stdin:
    print(json.dumps({name: green.inputs(registry.environment(name)) for name in registry.usual()}), flush=True)
"""
KERAS = {"keras-jax", "keras-tensorflow", "keras-torch"}
USUAL = set(registry.usual())
RECORD = green.Record({"workloads": "1", "pins and Python": "2"}, "2026-11-28", 80.0, 20, {}, ["a", "b"])


def answering(workload):
    return {name for name in USUAL if registry.answers(registry.environment(name), workload)}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A checkout elsewhere, without Git and without kept answers."""
    folder = tmp_path_factory.mktemp("elsewhere") / "checkout"
    for name in ("bench", "tasks", "tests/environments"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "analysis").mkdir()
    analysis = ("analysis/__init__.py", "analysis/cache.py", "analysis/inputs.py")
    for name in (*analysis, "tests/conftest.py", "tests/running.py", "tests/tally.py", "tests/requirements.txt"):
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def hashes(copy):
    """Return a function that hashes the current checkout."""
    process = subprocess.Popen([sys.executable, "-B", "-c", ASK], cwd=copy, text=True, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)  # fmt: skip

    def ask():
        process.stdin.write("again\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    yield ask
    process.communicate()


@pytest.fixture(scope="module")
def before(hashes):
    return hashes()


@pytest.fixture
def changes(copy, hashes, before):
    """Return a function that changes files and returns the changed groups of each environment; undo it later."""
    kept = {}

    def change(*names, text="\n# changed\n"):
        for name in names:
            path = copy / name
            kept[path] = path.read_text(encoding="utf-8") if path.exists() else None
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text((kept[path] or "") + text, encoding="utf-8")
        now = hashes()
        changed = {name: {key for key in now[name] if now[name][key] != before[name].get(key)} for name in now}
        return {name: groups for name, groups in changed.items() if groups}

    yield change
    for path, text in kept.items():
        path.unlink() if text is None else path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "group", "environments"),
    [
        ("bench/workloads/text_transformer.py", "workloads", answering("text_transformer")),
        ("bench/workloads/gpt.py", "workloads", answering("gpt")),
        ("bench/oracle/gpt.py", "oracle", answering("gpt")),
        ("bench/datasets/shakespeare.py", "data sets", answering("gpt")),
        (
            "bench/datasets/mnist.py",
            "data sets",
            answering("mnist_mlp") | answering("mnist_cnn") | answering("mnist_hrnn"),
        ),
        ("bench/ablations/channels_last.py", "ablations", {"pytorch"}),
        ("bench/frameworks/pytorch/ablations/channels_last.py", "framework folder", {"pytorch"}),
        ("bench/frameworks/jax/adapter.py", "framework folder", {"jax"}),
        ("bench/frameworks/keras/adapter.py", "framework folder", KERAS),
        ("bench/frameworks/keras/gpt.py", "framework folder", KERAS & answering("gpt")),
        ("bench/frameworks/keras/upstream/embedding_adam.py", "framework folder", {*KERAS, "tensorflow"}),
        ("bench/worker/__main__.py", "worker and tests", USUAL),
        ("bench/measure.py", "worker and tests", USUAL),
        ("bench/problem.py", "worker and tests", USUAL),
        ("tests/environments/test_counts.py", "worker and tests", USUAL),
        ("tests/environments/defects.py", "worker and tests", USUAL),
        ("tests/conftest.py", "worker and tests", USUAL),
        ("tasks/installing.py", "worker and tests", USUAL),
        ("bench/campaign/rounds.py", "", set()),
        ("bench/campaign/turns.py", "", set()),
        ("bench/controls/twins.py", "", set()),
        ("bench/frameworks/README.md", "", set()),
        ("docs/method.md", "", set()),
        ("analysis/estimate/cells.py", "", set()),
    ],
)
def test_a_changed_file_selects_the_environments_that_depend_on_it(file, group, environments, changes):
    assert file.startswith(("docs", "analysis")) or (ROOT / file).exists()
    assert changes(file) == {name: {group} for name in environments}


def test_a_new_model_file_selects_the_environments_of_the_folder_that_answer_it(changes):
    folder = registry.environment("keras-2.0-theano").folder
    rows = {name: registry.environment(name) for name in USUAL if registry.environment(name).folder == folder}
    new = next(
        name for name in sorted(path.stem for path in (ROOT / "bench" / "workloads").glob("*.py"))
        if not name.startswith("_") and not any(registry.answers(row, name) for row in rows.values())
        and any(name not in row.unanswered and name in (row.only or [name]) for row in rows.values())
    )  # fmt: skip
    meant = {name for name, row in rows.items() if new not in row.unanswered and new in (row.only or [new])}
    assert set(changes(f"bench/frameworks/keras2/{new}.py")) == meant
    assert meant < set(rows) or not any(row.only for row in rows.values())


def test_a_new_pin_or_python_selects_its_environment_and_a_new_color_none(changes, copy):
    text = (copy / "bench/frameworks/keras/framework.toml").read_text(encoding="utf-8")
    try:
        for old, new, expected in (
            ('color = "#0072b2"', 'color = "#0072b3"', set()),
            ("keras==3.15.0", "keras==3.15.1", KERAS),
            ('python = ["3.11", ', 'python = ["3.10", "3.11", ', KERAS),
        ):
            assert old in text
            (copy / "bench/frameworks/keras/framework.toml").write_text(text.replace(old, new), encoding="utf-8")
            assert changes() == {name: {"pins and Python"} for name in expected}
    finally:
        (copy / "bench/frameworks/keras/framework.toml").write_text(text, encoding="utf-8")


def test_a_hash_depends_on_no_folder_and_not_on_git(before):
    for name, groups in before.items():
        assert {**green.inputs(registry.environment(name)), "kept answers": ""} == {**groups, "kept answers": ""}


DOCSTRING = '"""'


def test_a_docstring_selects_nothing_and_the_line_below_it_does(changes, copy):
    name = "bench/measure.py"
    text = (copy / name).read_text(encoding="utf-8")
    try:
        (copy / name).write_text(
            f'"""Another title.\n\nOf three lines."""{text.split(DOCSTRING, 2)[2]}', encoding="utf-8"
        )
        assert changes() == {}
        (copy / name).write_text(f'{text}\n"""No docstring: nothing is documented by it."""\n', encoding="utf-8")
        assert set(changes()) == set(USUAL)
    finally:
        (copy / name).write_text(text, encoding="utf-8")


def test_a_new_answer_selects_its_environment(changes):
    assert changes("results/parity/jax/linear.sgd.jit.npz") == {"jax": {"kept answers"}}


def test_unchanged_environments_are_not_selected_and_a_reason_names_the_changes():
    assert green.why(RECORD.inputs, RECORD) == ""
    changed = {"workloads": "3", "pins and Python": "2", "names of workloads": "4"}
    assert green.why(changed, RECORD) == "changed since 2026-11-28: names of workloads, workloads"
    assert green.why(changed, None) == "no record in tests/green"


def test_a_commit_always_has_the_same_turn_and_each_environment_has_one():
    names = registry.usual()
    turns = [green.rotating(names, f"{number:040x}") for number in range(1 << 40, 1 << 43, 1 << 33)]
    assert green.rotating(names, "f" * 40) == green.rotating(names, "f" * 40)
    assert set(turns) <= set(names)
    assert {green.rotating(names, f"{number:012x}" + "0" * 28) for number in range(len(names))} == set(names)


@pytest.fixture
def records_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr(green, "GREEN", tmp_path / "green")
    monkeypatch.setattr(green, "is_clean", lambda: True)
    monkeypatch.setattr(green, "TALLY", tmp_path / "tally.json")


def outcome(word, environment="jax", reason=""):
    return {"outcome": word, "environment": environment, "reason": reason, "seconds": 2.0}


@pytest.mark.usefixtures("records_elsewhere")
def test_after_a_pass_only_the_environment_in_turn_is_selected(monkeypatch):
    monkeypatch.setattr(green, "commit", lambda: f"{1:012x}" + "0" * 28)
    names = ["jax", "pytorch", "tensorflow"]
    assert green.choose(names) == dict.fromkeys(names, "no record in tests/green")
    watch = green.Watch(["jax", "pytorch"])
    tests = {
        "a[jax]": outcome("passed"),
        "b[jax]": outcome("skipped", reason="no bfloat16"),
        "a[p]": outcome("passed", "pytorch"),
    }
    assert watch.keep(tests) == "Records written to tests/green/environments: jax, pytorch."
    assert green.read("environments", "jax")._replace(inputs={}, date="") == green.Record(
        {}, "", 4.0, 1, {"b[jax]": "no bfloat16"}, ["a[jax]", "b[jax]"]
    )
    reasons = green.choose(names)
    assert reasons == {"jax": "", "pytorch": "its turn at this commit", "tensorflow": "no record in tests/green"}
    lines = green.conclude(reasons, {"tensorflow": "no Python"}, tests).splitlines()
    assert lines[1].startswith("  jax: unchanged since 20")
    assert lines[2:] == ["  pytorch: 1 passed, 2 s (its turn at this commit)", "  tensorflow: skipped: no Python"]


@pytest.mark.usefixtures("records_elsewhere")
@pytest.mark.parametrize(
    ("tests", "is_clean_then"),
    [
        ({"a": outcome("passed"), "b": outcome("failed")}, True),
        ({"a": outcome("skipped")}, True),
        ({}, True),
        ({"a": outcome("passed")}, False),
    ],
)
def test_no_record_is_written_after_a_failure_without_tests_or_with_changed_files(tests, is_clean_then, monkeypatch):
    watch = green.Watch(["jax"])
    monkeypatch.setattr(green, "is_clean", lambda: is_clean_then)
    watch.keep(tests)
    assert green.read("environments", "jax") is None


@pytest.mark.usefixtures("records_elsewhere")
def test_an_unreadable_record_is_none():
    green.write("environments", "jax", RECORD)
    assert green.read("environments", "jax") == RECORD
    for text in ("", "{}", "[]", '{"inputs": {}}'):
        green.path("environments", "jax").write_text(text)
        assert green.read("environments", "jax") is None


def test_an_absent_environment_is_a_failure_only_if_ci_is_set(monkeypatch):
    reasons, tests = {"jax": "asked for", "cntk-2.7": "asked for"}, {"a": outcome("passed")}
    monkeypatch.delenv("CI", raising=False)
    assert green.problem(reasons, {"cntk-2.7": "no MPI"}, tests) == ""
    assert green.problem(reasons, {}, {"a": outcome("failed")}) == "Tests failed in: jax."
    monkeypatch.setenv("CI", "1")
    assert "cntk-2.7" in green.problem(reasons, {"cntk-2.7": "no MPI"}, tests)


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (["-k", "test_a_name_given_to_k_is_looked_for_in_its_file_alone"], ["tests/test_green.py"]),
        (["-x", "-k", "TEST_A_NAME_GIVEN_TO_K"], ["tests/test_green.py"]),
        (["-k", "linear"], []),
        (["-k", "test_a or test_b"], []),
        (["-k", "test_a_name_given_to_k", "tests/bench"], []),
        ([], []),
    ],
)
def test_a_name_given_to_k_is_looked_for_in_its_file_alone(words, files):
    assert green.files_of(words) == files
