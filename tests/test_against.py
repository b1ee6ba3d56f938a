"""`nox -s bench -- --against`: the row with another version, resolved, written as a framework's row, and judged."""

import json
import subprocess

import pytest

from analysis.compare import against as conclusion
from bench import registry
from bench.errors import DefinitionError
from tasks import against, variants
from tasks.installing import CannotInstallError, Installer

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


@pytest.mark.parametrize(("requirement", "package"), [
    ("keras==3.12.0", "keras"), ("jax[cuda13]==0.9.0", "jax"), ("torch @ https://host/torch.whl", "torch"),
    ("dist/scikit_learn-1.7-py3-none-any.whl", "scikit-learn"),
])  # fmt: skip
def test_a_requirement_names_its_package(requirement, package):
    assert variants.package_of(requirement) == package


def test_a_requirement_without_a_version_is_refused_with_what_is_expected():
    with pytest.raises(DefinitionError, match="expected PACKAGE==VERSION"):
        variants.package_of("keras>=3")


def test_rows_that_pin_the_package_are_affected_and_an_unknown_package_is_refused():
    assert {row.name for row in variants.affected("keras==3.12.0", ROWS)} >= {"keras-jax", "keras-torch"}
    assert "jax" not in {row.name for row in variants.affected("keras==3.12.0", ROWS)}
    with pytest.raises(DefinitionError, match=r"No environment pins mxnet\. What they pin: .*keras"):
        variants.affected("mxnet==2.0", ROWS)


def test_the_requested_pin_is_exact_the_others_are_free_and_every_change_is_told(resolver, tmp_path):
    resolver(CHOSEN)
    variant = variants.resolve(UV, KERAS_ON_JAX, ["keras==3.12.0"], tmp_path)
    wanted = (tmp_path / "wanted.in").read_text().splitlines()
    assert "keras==3.12.0" in wanted
    assert "numpy" in wanted
    assert variant.name == "keras-jax-keras-3.12.0"
    assert variant.changed == "keras 3.15.0 -> 3.12.0, numpy 2.4.6 -> 2.0.2"
    assert "jax==0.10.2" in variant.packages


def test_the_first_python_with_all_packages_is_taken_and_otherwise_each_reason_is_told(resolver, tmp_path):
    resolver("no wheel for 3.11", CHOSEN)
    assert variants.resolve(UV, KERAS_ON_JAX, ["keras==3.12.0"], tmp_path).python == KERAS_ON_JAX.python[1]
    resolver("no solution found")
    with pytest.raises(CannotInstallError, match=r"keras==3\.12\.0 cannot be installed .*Python 3\.14: no solution"):
        variants.resolve(UV, KERAS_ON_JAX, ["keras==3.12.0"], tmp_path)


def test_a_variant_is_a_row_of_a_copied_framework_with_the_code_of_its_row(resolver, tmp_path):
    resolver(CHOSEN)
    variant = variants.resolve(UV, KERAS_ON_JAX, ["keras==3.12.0"], tmp_path)
    rows = registry.environments(str(variants.write([variant], tmp_path)))
    found = rows["keras-jax-keras-3.12.0"]
    assert found.packages == variant.packages
    assert (found.python, found.cpu, found.is_default) == ([variant.python], [], False)
    assert found.variables == KERAS_ON_JAX.variables
    assert rows["keras-jax"].packages == KERAS_ON_JAX.packages
    assert registry.answers(found, "imdb_gru")
    assert conclusion.read(tmp_path) == {found.name: {"base": "keras-jax", "title": variant.title}}


def test_a_conclusion_without_a_measurement_says_what_to_run(tmp_path):
    with pytest.raises(DefinitionError, match="Measure first: nox -s bench -- --against"):
        conclusion.read(tmp_path)


def verdict(**fields):
    known = {"title": "Keras 3.12", "base": "Keras 3.15", "question": "GRU, training", "mode": "fit", "word": "slower",
             "ratio": 1.1, "low": 1.05, "high": 1.15, "rounds": 5, "smallest": 1.056, "reason": ""}  # fmt: skip
    return str(conclusion.Verdict(**{**known, **fields}))


def test_a_verdict_tells_the_ratio_its_interval_and_the_smallest_change_that_would_have_been_found():
    said = verdict()
    assert "takes 1.100 times as long as Keras 3.15 (99 % interval 1.050 to 1.150, 5 rounds): slower." in said
    assert said.endswith("These rounds would have found a change of 5.6%.")
    assert "a tie" in verdict(word="tie")
    assert "not yet decided" in verdict(word="open")


def test_a_row_without_a_time_has_its_reason():
    said = verdict(ratio=None, low=None, high=None, smallest=None, reason="parity fails: weights differ.")
    assert "was not measured beside Keras 3.15: parity fails: weights differ." in said


def test_variants_are_told_as_json(resolver, tmp_path):
    resolver(CHOSEN)
    variants.write([variants.resolve(UV, KERAS_ON_JAX, ["keras==3.12.0"], tmp_path)], tmp_path)
    assert list(json.loads((tmp_path / "variants.json").read_text())) == ["keras-jax-keras-3.12.0"]


def searched(ratios, versions):
    """Search releases whose times are known; return the change and how many were measured."""

    def measure(version):
        ratio = ratios[version]
        word = "tie" if ratio == 1 else "slower" if ratio and ratio > 1 else "faster"
        return ratio and {"ratio": ratio, "word": word}

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
    lines = against.conclude("keras", list(ratios), against.Change("3", "5", {"3": {"ratio": 0.9, "word": "faster"}}))
    assert lines[-1] == "The time changed in 5, or in one of 4, which could not be measured: 3 is not like it."
