"""One list holds the newest release of each pinned package: a session writes it, and the site only reads it."""

import sys

import pytest

from analysis import releases
from analysis.releases import Release
from bench import registry
from tasks import outdated

PIP = """import sys
assert sys.argv[1:3] == ["index", "versions"]
if sys.argv[3] == "unknown":
    sys.exit("ERROR: No matching distribution found for unknown")
print("torch (2.15.0)")
print("Available versions: 2.15.0, 2.14.0")
"""


@pytest.fixture
def own():
    return [registry.environment(name) for name in sorted(releases.of_recent_years())]


@pytest.mark.parametrize(
    ("older", "newer"), [("2.13.0+cpu", "2.15.0"), ("0.10.2", "0.12.0.1"), ("2.9", "2.10"), ("0.12.0", "0.12.0.1")]
)
def test_versions_are_ordered_by_their_numbers(older, newer):
    assert releases.numbers(older) < releases.numbers(newer)


def test_a_build_for_another_device_and_a_final_zero_make_no_newer_release():
    assert releases.numbers("2.13.0+cpu") == releases.numbers("2.13")


def test_the_newest_release_is_what_pip_prints_and_an_unknown_package_has_none(tmp_path):
    pip = tmp_path / "pip.py"
    pip.write_text(PIP)
    assert outdated.look_up("torch", [sys.executable, str(pip)]) == "2.15.0"
    assert outdated.look_up("unknown", [sys.executable, str(pip)]) is None


def test_every_environment_of_today_has_pins_to_compare(own):
    assert all(outdated.pins(each) for each in own)
    listed = set(releases.newest())
    assert [name for each in own for name in outdated.pins(each) if name not in listed] == []


def test_a_package_without_an_answer_is_named_and_the_others_are_listed(own, tmp_path, monkeypatch, capsys):
    missing = next(iter(outdated.pins(own[0])))
    monkeypatch.setattr(outdated.inputs, "ROOT", tmp_path)
    monkeypatch.setattr(releases, "FILE", tmp_path / "releases.csv")
    monkeypatch.setattr(releases, "newest", dict)
    monkeypatch.setattr(outdated, "look_up", lambda name, *_: None if name == missing else "99.0")
    outdated.outdated(None)
    rows = releases.FILE.read_text().splitlines()[1:]
    assert len(rows) == len({name for each in own for name in outdated.pins(each)} - {missing})
    assert all(",99.0," in row and not row.startswith(f"{missing},") for row in rows)
    assert f"Not found in pip's index: {missing}. Its last entry is kept." in capsys.readouterr().err


def test_the_report_names_old_pins_with_both_versions(own):
    package, version = next(iter(outdated.pins(own[0]).items()))
    old, current = ({package: Release(package, number, "2026-11-28")} for number in ("99.0", version))
    assert f"{package} {version} -> 99.0" in next(outdated.report(own, old))
    assert next(outdated.report(own, current)).endswith(" newest releases")


def index(**by_python):
    """Return a stand-in of look_up: what pip finds for each Python, as {"3.11": version}."""
    return lambda _, __, python="": by_python.get(f"py{python.replace('.', '')}")


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ({"py311": "2.0", "py312": "2.0"}, ""),
        ({"py311": "1.9", "py312": "2.0"}, "needs Python 3.12"),
        ({"py312": "2.0"}, "needs Python 3.12"),
        ({"py311": "1.9", "py312": "1.9", "py313": "2.0"}, "needs Python 3.13"),
        ({"py311": "1.9", "py312": "1.9", "py313": "1.9"}, "no wheel for Python 3.11 to 3.13"),
        ({}, ""),  # the index does not answer
    ],
)
def test_a_release_is_held_back_by_the_first_python_of_the_rows(monkeypatch, found, reason):
    monkeypatch.setattr(outdated, "look_up", index(**found))
    assert outdated.held_back("jax", "2.0", ["3.11", "3.12", "3.13"], ["pip"]) == reason


def test_what_a_framework_s_file_says_of_a_package_is_its_reason(own, tmp_path, monkeypatch):
    monkeypatch.setattr(outdated.inputs, "ROOT", tmp_path)
    monkeypatch.setattr(releases, "FILE", tmp_path / "releases.csv")
    monkeypatch.setattr(releases, "newest", dict)
    monkeypatch.setattr(outdated, "look_up", index(py="99.0", py311="99.0"))
    outdated.outdated(None)
    found = {line.split(",")[0]: line for line in releases.FILE.read_text().splitlines()}
    held = {package: reason for row in own for package, reason in row.held.items()}
    assert held
    assert all(held[package] in found[package] for package in held)


def test_a_package_that_is_held_is_one_that_the_row_pins(own):
    assert all(row.held.keys() <= outdated.pins(row).keys() for row in own)


def test_for_one_python_pip_is_asked_for_wheels_alone(tmp_path):
    pip = tmp_path / "pip.py"
    pip.write_text(
        PIP + 'assert sys.argv[4:] == ["--python-version", "3.11", "--only-binary", ":all:", "--no-input"]\n'
    )
    assert outdated.look_up("torch", [sys.executable, str(pip)], "3.11") == "2.15.0"


def advice(row, package, held_back=""):
    text = next(outdated.report([row], {package: Release(package, "99.0", "2026-11-28", held_back)}))
    return next(line for line in text.splitlines() if line.startswith(f"  {package} "))


def test_the_report_says_what_to_do_about_each_old_pin(own):
    package = next(iter(outdated.pins(own[0])))
    assert advice(own[0], package).endswith(f"-> 99.0: installs on Python {own[0].python[0]}, edit the pin")
    assert "-> 99.0: needs Python 3.12. Keep the pin" in advice(own[0], package, "needs Python 3.12")


def test_a_build_for_one_device_is_looked_for_in_the_row_s_own_index(own):
    row = own[0]._replace(cpu=["torch==2.13.0+cpu"], index={"cpu": "https://example.org/cpu"})
    assert advice(row, "torch").endswith("edit the pin if https://example.org/cpu has a build for a CPU")


def test_a_list_without_reasons_is_still_read(tmp_path, monkeypatch):
    releases.newest.cache_clear()
    (tmp_path / "releases.csv").write_text("package,version,looked_up\ntorch,2.15.0,2026-11-28\n")
    monkeypatch.setattr(releases, "FILE", tmp_path / "releases.csv")
    assert releases.newest()["torch"].held_back == ""
    releases.newest.cache_clear()


def test_the_kept_list_gives_no_reason_that_the_pages_could_not_show():
    stated = {reason for row in registry.environments().values() for reason in row.held.values()}
    reasons = {release.held_back for release in releases.newest().values()} - {"", *stated}
    assert all(reason.startswith(("needs Python ", "no wheel for Python ")) for reason in reasons)
