"""`nox -s bench -- --against`: the row with another version, resolved, written as a framework's row, and judged."""

import ast
import re
import subprocess

import msgspec
import numpy as np
import pytest

from analysis.compare import against as conclusion
from analysis.estimate.estimates import Question
from analysis.load.table import read_results
from bench import registry
from bench.errors import DefinitionError
from bench.results import lines
from tasks import against, regression, variants
from tasks.installing import Installer

ROWS = [row for row in registry.environments().values() if row.is_default]
KERAS_ON_JAX = registry.environment("keras-jax")
UV = Installer(("uv",), {})


@pytest.fixture
def resolver(monkeypatch):
    """Let the resolver choose versions: {package: version}; a text is the reason for which it finds none."""

    def answer(*answers):
        left = list(answers)

        def run(command, **_):
            found = left.pop(0) if len(left) > 1 else left[0]
            if isinstance(found, str):
                return subprocess.CompletedProcess(command, 1, "", found)
            output = command[command.index("--output-file") + 1]
            with open(output, "w", encoding="utf-8") as file:
                file.write("\n".join(f"{name}=={version}" for name, version in found.items()))
            return subprocess.CompletedProcess(command, 0, "", "")

        monkeypatch.setattr(variants.subprocess, "run", run)

    return answer


CHOSEN = {
    "keras": "3.12.0",
    "jax": "0.10.2",
    "numpy": "2.0.2",
    "pillow": "13.0.0",
    "scipy": "1.17.1",
    "grain": "0.2.18",
}


KERAS_3_12 = [variants.request("keras==3.12.0")]


@pytest.mark.parametrize(("text", "package", "version"), [
    ("keras==3.12.0", "keras", "3.12.0"), ("jax[cuda13]==0.9.0", "jax", "0.9.0"),
    ("torch @ https://host/torch-2.12.0%2Bcpu-cp311-cp311-linux_x86_64.whl", "torch", "2.12.0+cpu"),
])  # fmt: skip
def test_a_request_names_its_package_and_version(text, package, version):
    found = variants.request(text)
    assert (found.name, variants.version_of(found)) == (package, version)


def test_a_wheel_is_found_where_nox_was_called_and_one_that_was_built_anew_is_another_version(tmp_path):
    wheel = tmp_path / "scikit_learn-1.7-py3-none-any.whl"
    versions = set()
    for content in ("first", "second"):
        wheel.write_text(content)
        found = variants.request(wheel.name, tmp_path)
        assert (found.name, found.url) == ("scikit-learn", wheel.as_uri())
        versions.add(variants.version_of(found))
    assert len(versions) == 2
    assert all(version.startswith("1.7-") for version in versions)


@pytest.mark.parametrize("text", ["keras>=3", "keras", "keras==3.*,<4", "no such thing", "absent-1.0-py3-none-any.whl"])
def test_a_request_without_one_version_is_refused(text):
    with pytest.raises(DefinitionError, match=f"--against {re.escape(text)}: "):
        variants.request(text)


def test_rows_that_pin_the_package_are_affected_and_an_unknown_package_is_refused():
    assert {row.name for row in variants.affected("keras", ROWS)} >= {"keras-jax", "keras-torch"}
    assert "jax" not in {row.name for row in variants.affected("keras", ROWS)}
    with pytest.raises(DefinitionError, match=r"No environment pins mxnet\. What they pin: .*keras"):
        variants.affected("mxnet", ROWS)


BUILDS = registry.environment("tensorflow")._replace(cpu=["tensorflow-cpu==2.21.0", "torch==2.13.0+cpu"], gpu=[])


@pytest.mark.parametrize(("text", "expected"), [
    ("tensorflow==2.20.0", "tensorflow-cpu==2.20.0"), ("tensorflow-cpu==2.20.0", "tensorflow-cpu==2.20.0"),
    ("torch==2.12.0", "torch==2.12.0+cpu"), ("torch==2.12.0+xpu", "torch==2.12.0+xpu"),
])  # fmt: skip
def test_a_request_is_for_the_build_that_the_row_pins(monkeypatch, text, expected):
    monkeypatch.setattr(variants, "pins", lambda row: row.packages + row.cpu)
    assert str(variants.translated(BUILDS, variants.request(text))) == expected


def test_a_pin_for_another_machine_is_not_one_of_this_machine(monkeypatch):
    lines = ["tensorflow-cpu==2.21.0; sys_platform != 'none'", "tensorflow==2.21.0; sys_platform == 'none'"]
    monkeypatch.setattr(variants, "pins", lambda row: row.cpu)
    row = BUILDS._replace(cpu=lines)
    assert [str(pin) for pin in variants.pinned(row)] == ["tensorflow-cpu==2.21.0"]
    assert variants.pin_of(row, "tensorflow").name == "tensorflow-cpu"


def test_a_wheel_replaces_the_build_that_the_row_pins(monkeypatch, resolver, tmp_path):
    monkeypatch.setattr(variants, "pins", lambda row: row.cpu)
    resolver({"torch": "2.13.0+cpu", "tensorflow": "2.20.0"})
    wheel = tmp_path / "tensorflow-2.20.0-cp311-cp311-linux_x86_64.whl"
    wheel.touch()
    variant = variants.resolve(UV, BUILDS, [variants.request(str(wheel))], tmp_path)
    assert variant.packages == [f"tensorflow @ {wheel.as_uri()}", "torch==2.13.0+cpu"]


def test_the_requested_pin_is_exact_the_others_are_free_and_every_change_is_told(resolver, tmp_path):
    resolver(CHOSEN)
    variant = variants.resolve(UV, KERAS_ON_JAX, KERAS_3_12, tmp_path)
    wanted = (tmp_path / "wanted.in").read_text().splitlines()
    assert "keras==3.12.0" in wanted
    assert "numpy" in wanted
    assert variant.name == "keras-jax-keras-3.12.0"
    assert variant.changed == "keras 3.15.0 -> 3.12.0, numpy 2.4.6 -> 2.0.2"
    assert "jax==0.10.2" in variant.packages


def test_the_first_python_with_all_packages_is_taken_and_otherwise_each_reason_is_told(resolver, tmp_path):
    resolver("no wheel for 3.11", CHOSEN)
    variant = variants.resolve(UV, KERAS_ON_JAX, KERAS_3_12, tmp_path)
    assert variant.python == KERAS_ON_JAX.python[1]
    assert variant.changed == "keras 3.15.0 -> 3.12.0, numpy 2.4.6 -> 2.0.2, Python 3.11 -> 3.12"
    assert variants.resolve(UV, KERAS_ON_JAX, KERAS_3_12, tmp_path, "3.13").python == "3.13", "as the row's own"


def test_a_result_file_takes_the_names_of_a_row_with_many_changes(resolver, tmp_path):
    packages = ["keras==3.15.0", *(f"package{number}==1.0.0" for number in range(9))]
    row = KERAS_ON_JAX._replace(packages=packages, cpu=[], gpu=[])
    resolver({"keras": "3.12.0", **{f"package{number}": "2.0.0" for number in range(9)}})
    requests = [variants.request(f"package{number}==2.0.0") for number in range(9)]
    variant = variants.resolve(UV, row, requests, tmp_path)
    assert variant.title.endswith("package8 2.0.0, keras 3.12.0")
    assert variant.row.title == "Keras 3.15 on JAX with package0 2.0.0, package1 2.0.0 and more"
    for name in (variant.row.title, variant.row.name):
        assert msgspec.convert(name, lines.Name) == name


SOLUTION = "error: No solution found when resolving dependencies cause: "
NO_RELEASE = f"{SOLUTION}Because there is no version of keras==3.99 and you require it."
NO_WHEEL = f"{SOLUTION}Because keras==3.99 has no wheels with a matching Python ABI tag (e.g., `cp311`). hint: none"
OLD_PYTHON = f"{SOLUTION}Because the requested Python version (>=3.11) does not satisfy Python>=3.12."
CONFLICT = f"{SOLUTION}Because keras==3.99 depends on numpy>3 and you require numpy."


@pytest.mark.parametrize(("reasons", "cause"), [
    ([NO_RELEASE], "no such release"), ([NO_WHEEL], "no wheel"), ([OLD_PYTHON], "no wheel"),
    ([OLD_PYTHON, CONFLICT], "conflict of pins"), (["the index does not answer"], "installation failed"),
])  # fmt: skip
def test_a_row_that_cannot_be_made_has_a_cause_and_the_reason_for_each_python(resolver, tmp_path, reasons, cause):
    resolver(*reasons)
    with pytest.raises(variants.CannotMakeError) as raised:
        variants.resolve(UV, KERAS_ON_JAX, [variants.request("keras==3.99")], tmp_path)
    assert raised.value.cause == cause
    assert raised.value.reason.startswith("On Python 3.11")
    assert "3.14: " in raised.value.reason
    assert "hint" not in raised.value.reason


def test_a_row_that_cannot_be_made_is_a_verdict_with_its_cause(tmp_path):
    absence = variants.Absence(KERAS_ON_JAX, "keras==3.99", "no such release", "there is none.")
    variants.write(variants.Made([], {}, [absence]), tmp_path)
    (said,) = conclusion.verdicts(read_results(tmp_path / "results"), conclusion.read(tmp_path))
    assert (said.word, said.cause, said.as_json["about"]) == ("not measured", "no such release", {})
    assert str(said) == ("Keras 3.15 on JAX with keras==3.99 was not measured beside Keras 3.15 on JAX "
                         "(no such release): there is none.")  # fmt: skip


def test_a_variant_is_a_row_of_a_copied_framework_with_the_code_of_its_row(resolver, tmp_path):
    resolver(CHOSEN)
    variant = variants.resolve(UV, KERAS_ON_JAX, KERAS_3_12, tmp_path)
    rows = registry.environments(str(variants.write(variants.Made([variant], {}, []), tmp_path)))
    found = rows["keras-jax-keras-3.12.0"]
    assert found.packages == variant.packages
    assert (found.python, found.cpu, found.is_default) == ([variant.python], [], False)
    assert found.variables == KERAS_ON_JAX.variables
    assert rows["keras-jax"].packages == KERAS_ON_JAX.packages
    assert registry.answers(found, "imdb_gru")
    about = {"base": "keras-jax", "base_title": KERAS_ON_JAX.title, "title": variant.title}
    assert conclusion.read(tmp_path) == {found.name: about}


def test_a_conclusion_without_a_measurement_says_what_to_run(tmp_path):
    with pytest.raises(DefinitionError, match="Measure first: nox -s bench -- --against"):
        conclusion.read(tmp_path)


QUESTION = Question(machine="here", workload="mnist_mlp", task="train", precision="fp32", device="cpu", batch_size=128,
                    optimizer="rmsprop", tier="documented", data="random", threads=1)  # fmt: skip


def verdict(**fields):
    known = {"row": "keras-jax-keras-3.12.0", "title": "Keras 3.12", "base": "Keras 3.15", "about": QUESTION,
             "mode": "fit", "word": "slower", "ratio": 1.1, "low": 1.05, "high": 1.15, "rounds": 5, "smallest": 1.056,
             "cause": "", "reason": ""}  # fmt: skip
    return conclusion.Verdict(**{**known, **fields})


def test_a_verdict_tells_the_ratio_its_interval_and_the_smallest_change_that_would_have_been_found():
    said = str(verdict())
    assert "takes 1.100 times as long as Keras 3.15 (99 % interval 1.050 to 1.150, 5 rounds): slower." in said
    assert said.endswith("These rounds would have found a change of 5.6%.")
    assert "a tie" in str(verdict(word="tie"))
    assert "not yet decided" in str(verdict(word="open"))


def test_a_row_without_a_time_has_its_reason():
    fields = {"ratio": None, "low": None, "high": None, "smallest": None}
    said = str(verdict(**fields, cause="parity fails", reason="weights differ."))
    assert "was not measured beside Keras 3.15 (parity fails): weights differ." in said


@pytest.mark.parametrize("workload", registry.workload_names())
def test_a_script_makes_the_batch_that_the_workload_states(workload):
    made = {"np": np}
    exec(regression.batch(workload), made)  # noqa: S102 - our own code
    batches = [batch(np.random.RandomState(0), 2) for batch in (made["batch"], registry.workload(workload).batch)]
    np.testing.assert_equal(*batches)


SCRIPTED = [row for row in ROWS if row.framework in ("jax", "keras", "pytorch", "tensorflow")]


@pytest.mark.parametrize("row", SCRIPTED, ids=lambda row: row.name)
def test_a_script_holds_the_model_both_install_lines_and_nothing_of_this_project(row, tmp_path):
    sides = [regression.Side(f"keras {version}", [f"keras=={version}", "pillow==13.0.0", "numpy==2.4.6"], ratio)
             for version, ratio in (("3.12.0", 1.1), ("3.15.0", 1.0))]  # fmt: skip
    path = regression.write(row, "keras", verdict(mode=row.modes[0].name).as_json, sides, tmp_path)
    script = path.read_text()
    about = ast.get_docstring(ast.parse(script))
    assert about.startswith("A training step takes 1.10 times as long with keras 3.12.0 as with keras 3.15.0.")
    assert "numpy==2.4.6" in about
    assert "pillow" not in about, "the script loads no images"
    assert "import bench" not in script
    assert "from bench" not in script
    assert "hidden1" in script
    assert 'OPTIMIZERS["rmsprop"]' in script


def test_no_script_is_written_for_other_tasks_or_a_mode_without_a_template(tmp_path):
    side = regression.Side("keras 3.15.0", [], 1.0)
    for said in (verdict(about=QUESTION._replace(task="infer")), verdict(mode="loop")):
        assert regression.write(KERAS_ON_JAX, "keras", said.as_json, [side, side], tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def searched(ratios, versions):
    """Search releases whose times are known; return the change and how many were measured."""

    def measure(version):
        ratio = ratios[version]
        word = "tie" if ratio == 1 else "slower" if ratio and ratio > 1 else "faster"
        return {"ratio": ratio, "word": word, "cause": "no wheel"}

    found = against.search(versions, measure)
    return (found.before, found.after), len(found.verdicts)


VERSIONS = [f"3.{number}" for number in range(16)]


@pytest.mark.parametrize("first", range(1, 15))
def test_the_release_in_which_a_time_changed_is_found_by_halving(first):
    ratios = {version: 1.05 if number < first else 1.0 for number, version in enumerate(VERSIONS)}
    change, measured = searched(ratios, VERSIONS)
    assert change == (VERSIONS[first - 1], VERSIONS[first])
    assert measured <= 5


def test_without_a_change_no_release_is_named():
    assert searched(dict.fromkeys(VERSIONS, 1.0), VERSIONS) == (("", ""), 1)


def test_a_release_that_cannot_be_measured_is_left_out_and_told():
    ratios = {"1": None, "2": 0.9, "3": 0.9, "4": None, "5": 1.0, "6": 1.0}
    assert searched(ratios, list(ratios))[0] == ("3", "5")
    verdicts = {"3": {"ratio": 0.9, "word": "faster"}, "4": {"ratio": None, "cause": "no wheel"}}
    said = against.conclude("keras", list(ratios), against.Change("3", "5", verdicts))
    assert said[-2].split() == ["4", "no", "wheel"]
    assert said[-1] == "The time changed in 5, or in one of 4, which could not be measured: 3 is not like it."


def test_builds_of_a_release_are_one_release_and_only_those_of_the_wanted_range_are_measured(monkeypatch):
    listed = "torch (2.15.0)\nAvailable versions: 2.15.0, 2.13.0+cpu, 2.13.0, 2.12.1, 2.10.0\n"
    done = subprocess.CompletedProcess([], 0, listed, "")
    monkeypatch.setattr(against.pip_settings, "find_pip", lambda _: ["pip"])
    monkeypatch.setattr(against.subprocess, "run", lambda *_, **__: done)
    assert against._releases("torch", "2.11", "2.13.0+cpu") == ["2.12.1", "2.13.0"]
    with pytest.raises(DefinitionError, match=r"no two releases of torch from 2\.13 to 2\.13\.0\+cpu"):
        against._releases("torch", "2.13", "2.13.0+cpu")
