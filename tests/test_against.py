"""`nox -s bench -- --against`: the row with another version, resolved, written as a framework's row, and judged."""

import ast
import subprocess

import numpy as np
import pytest

from analysis.compare import against as conclusion
from analysis.estimate.estimates import Question
from analysis.load.table import read_results
from bench import registry
from bench.errors import DefinitionError
from tasks import against, regression, variants
from tasks.resolving import Absence, Variant

ROWS = [row for row in registry.environments().values() if row.is_default]
KERAS_ON_JAX = registry.environment("keras-jax")


def test_a_row_that_cannot_be_made_is_a_verdict_with_its_cause(tmp_path):
    absence = Absence(KERAS_ON_JAX, "keras==3.99", "no such release", "there is none.")
    variants.write(variants.Made([], {}, [absence]), tmp_path)
    (said,) = conclusion.verdicts(read_results(tmp_path / "results"), conclusion.read(tmp_path))
    assert (said.word, said.cause, said.as_json["about"]) == ("not measured", "no such release", {})
    assert str(said) == ("Keras 3.15 on JAX with keras==3.99 was not measured beside Keras 3.15 on JAX "
                         "(no such release): there is none.")  # fmt: skip


def test_a_variant_is_a_row_of_a_copied_framework_with_the_code_of_its_row(tmp_path):
    packages = ["keras==3.12.0", "jax==0.10.2"]
    variant = Variant(KERAS_ON_JAX, "keras-jax-keras-3.12.0", "3.11", packages, {"keras": ("3.15.0", "3.12.0")})
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
