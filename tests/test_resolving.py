"""A row with another version of a package: the requested pin, the others kept if they fit, or the reason why not."""

import re
import subprocess

import msgspec
import pytest

from bench import registry
from bench.errors import DefinitionError
from bench.results import lines
from tasks import resolving
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

        monkeypatch.setattr(resolving.subprocess, "run", run)

    return answer


CHOSEN = {
    "keras": "3.12.0",
    "jax": "0.10.2",
    "numpy": "2.0.2",
    "pillow": "13.0.0",
    "scipy": "1.17.1",
    "grain": "0.2.18",
}


KERAS_3_12 = [resolving.request("keras==3.12.0")]


@pytest.mark.parametrize(("text", "package", "version"), [
    ("keras==3.12.0", "keras", "3.12.0"), ("jax[cuda13]==0.9.0", "jax", "0.9.0"),
    ("torch @ https://host/torch-2.12.0%2Bcpu-cp311-cp311-linux_x86_64.whl", "torch", "2.12.0+cpu"),
])  # fmt: skip
def test_a_request_names_its_package_and_version(text, package, version):
    found = resolving.request(text)
    assert (found.name, resolving.version_of(found)) == (package, version)


def test_a_wheel_is_found_where_nox_was_called_and_one_that_was_built_anew_is_another_version(tmp_path):
    wheel = tmp_path / "scikit_learn-1.7-py3-none-any.whl"
    versions = set()
    for content in ("first", "second"):
        wheel.write_text(content)
        found = resolving.request(wheel.name, tmp_path)
        assert (found.name, found.url) == ("scikit-learn", wheel.as_uri())
        versions.add(resolving.version_of(found))
    assert len(versions) == 2
    assert all(version.startswith("1.7-") for version in versions)


@pytest.mark.parametrize("text", ["keras>=3", "keras", "keras==3.*,<4", "no such thing", "absent-1.0-py3-none-any.whl"])
def test_a_request_without_one_version_is_refused(text):
    with pytest.raises(DefinitionError, match=f"--against {re.escape(text)}: "):
        resolving.request(text)


def test_rows_that_pin_the_package_are_affected_and_an_unknown_package_is_refused():
    assert {row.name for row in resolving.affected("keras", ROWS)} >= {"keras-jax", "keras-torch"}
    assert "jax" not in {row.name for row in resolving.affected("keras", ROWS)}
    with pytest.raises(DefinitionError, match=r"No environment pins mxnet\. What they pin: .*keras"):
        resolving.affected("mxnet", ROWS)


BUILDS = registry.environment("tensorflow")._replace(cpu=["tensorflow-cpu==2.21.0", "torch==2.13.0+cpu"], gpu=[])


@pytest.mark.parametrize(("text", "expected"), [
    ("tensorflow==2.20.0", "tensorflow-cpu==2.20.0"), ("tensorflow-cpu==2.20.0", "tensorflow-cpu==2.20.0"),
    ("torch==2.12.0", "torch==2.12.0+cpu"), ("torch==2.12.0+xpu", "torch==2.12.0+xpu"),
])  # fmt: skip
def test_a_request_is_for_the_build_that_the_row_pins(monkeypatch, text, expected):
    monkeypatch.setattr(resolving, "pins", lambda row: row.packages + row.cpu)
    assert str(resolving.translated(BUILDS, resolving.request(text))) == expected


def test_a_pin_for_another_machine_is_not_one_of_this_machine(monkeypatch):
    lines = ["tensorflow-cpu==2.21.0; sys_platform != 'none'", "tensorflow==2.21.0; sys_platform == 'none'"]
    monkeypatch.setattr(resolving, "pins", lambda row: row.cpu)
    row = BUILDS._replace(cpu=lines)
    assert [str(pin) for pin in resolving.pinned(row)] == ["tensorflow-cpu==2.21.0"]
    assert resolving.pin_of(row, "tensorflow").name == "tensorflow-cpu"


def test_a_wheel_replaces_the_build_that_the_row_pins(monkeypatch, resolver, tmp_path):
    monkeypatch.setattr(resolving, "pins", lambda row: row.cpu)
    resolver({"torch": "2.13.0+cpu", "tensorflow": "2.20.0"})
    wheel = tmp_path / "tensorflow-2.20.0-cp311-cp311-linux_x86_64.whl"
    wheel.touch()
    variant = resolving.resolve(UV, BUILDS, [resolving.request(str(wheel))], tmp_path)
    assert variant.packages == [f"tensorflow @ {wheel.as_uri()}", "torch==2.13.0+cpu"]


def test_the_other_pins_stay_if_they_fit(resolver, tmp_path):
    resolver(CHOSEN)
    resolving.resolve(UV, KERAS_ON_JAX, KERAS_3_12, tmp_path)
    wanted = (tmp_path / "wanted.in").read_text().splitlines()
    assert {"keras==3.12.0", "numpy==2.4.6"} <= {*wanted}


def test_pins_that_do_not_fit_are_resolved_anew_and_every_change_is_told(resolver, tmp_path):
    resolver("no solution with these pins", CHOSEN)
    variant = resolving.resolve(UV, KERAS_ON_JAX, KERAS_3_12, tmp_path)
    wanted = (tmp_path / "wanted.in").read_text().splitlines()
    assert {"keras==3.12.0", "numpy"} <= {*wanted}
    assert variant.name == "keras-jax-keras-3.12.0"
    assert variant.changed == "keras 3.15.0 -> 3.12.0, numpy 2.4.6 -> 2.0.2"
    assert "jax==0.10.2" in variant.packages


def test_the_first_python_with_all_packages_is_taken_and_otherwise_each_reason_is_told(resolver, tmp_path):
    resolver("no wheel for 3.11", "no wheel for 3.11", CHOSEN)
    variant = resolving.resolve(UV, KERAS_ON_JAX, KERAS_3_12, tmp_path)
    assert variant.python == KERAS_ON_JAX.python[1]
    assert variant.changed == "keras 3.15.0 -> 3.12.0, numpy 2.4.6 -> 2.0.2, Python 3.11 -> 3.12"
    assert resolving.resolve(UV, KERAS_ON_JAX, KERAS_3_12, tmp_path, "3.13").python == "3.13", "as the row's own"


def test_a_result_file_takes_the_names_of_a_row_with_many_changes(resolver, tmp_path):
    packages = ["keras==3.15.0", *(f"package{number}==1.0.0" for number in range(9))]
    row = KERAS_ON_JAX._replace(packages=packages, cpu=[], gpu=[])
    resolver({"keras": "3.12.0", **{f"package{number}": "2.0.0" for number in range(9)}})
    requests = [resolving.request(f"package{number}==2.0.0") for number in range(9)]
    variant = resolving.resolve(UV, row, requests, tmp_path)
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
    with pytest.raises(resolving.CannotMakeError) as raised:
        resolving.resolve(UV, KERAS_ON_JAX, [resolving.request("keras==3.99")], tmp_path)
    assert raised.value.cause == cause
    assert raised.value.reason.startswith("On Python 3.11")
    assert "3.14: " in raised.value.reason
    assert "hint" not in raised.value.reason
