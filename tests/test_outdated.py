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
    return [each for each in registry.environments().values() if each.is_default]


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


def test_every_default_environment_has_pins_to_compare(own):
    assert all(outdated.pins(each) for each in own)
    listed = set(releases.newest())
    assert [name for each in own for name in outdated.pins(each) if name not in listed] == []


def test_a_package_without_an_answer_is_named_and_the_others_are_listed(own, tmp_path, monkeypatch, capsys):
    missing = next(iter(outdated.pins(own[0])))
    monkeypatch.setattr(outdated.inputs, "ROOT", tmp_path)
    monkeypatch.setattr(releases, "FILE", tmp_path / "releases.csv")
    monkeypatch.setattr(releases, "newest", dict)
    monkeypatch.setattr(outdated, "look_up", lambda name, _: None if name == missing else "99.0")
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
