"""A part of the night is due a week after its record if its inputs changed, and overdue two weeks later."""

import subprocess
from datetime import date, timedelta

import pytest

from tasks import green, nightly

PART = nightly.Part((), (), introduced="2026-11-28")
NOW, THEN = {"files": "now"}, {"files": "then"}


def record(day, inputs=THEN):
    return green.Record(inputs, day, 60.0, 4, {}, [])


@pytest.mark.parametrize(
    ("then", "changed", "since"),
    [
        (record("2026-11-28", NOW), "2026-12-01", None),  # its inputs did not change
        (record("2026-11-28"), "2026-11-29", "2026-12-05"),  # changed at once: a week after the record
        (record("2026-11-28"), "2027-01-15", "2027-01-15"),  # changed much later: from that commit on
        (None, "2026-12-24", "2026-11-28"),  # never passed: since it was introduced
    ],
)
def test_a_part_is_due_a_week_after_its_record_if_its_inputs_changed(then, changed, since):
    assert nightly.due_since(PART, NOW, then, date.fromisoformat(changed)) == (since and date.fromisoformat(since))


@pytest.mark.parametrize(
    ("since", "today", "expected"),
    [
        (None, "2027-12-31", ""),
        ("2026-12-05", "2026-12-04", ""),
        ("2026-12-05", "2026-12-05", "due"),
        ("2026-12-05", "2026-12-18", "due"),
        ("2026-12-05", "2026-12-19", "overdue"),
    ],
)
def test_a_part_that_has_been_due_for_fourteen_days_is_overdue(since, today, expected):
    assert nightly.state(since and date.fromisoformat(since), date.fromisoformat(today)) == expected


def test_the_first_gate_does_not_fail_for_a_part_without_a_record():
    introduced = date.fromisoformat(PART.introduced)
    since = nightly.due_since(PART, NOW, None, introduced)
    assert nightly.state(since, introduced) == nightly.state(since, introduced + timedelta(days=13)) == "due"
    assert nightly.state(since, introduced + timedelta(days=14)) == "overdue"


def test_the_inputs_of_every_part_exist_and_determine_its_hash():
    wanted = {path for part in nightly.PARTS.values() for path in part.inputs}
    assert [path for path in sorted(wanted) if not (green.ROOT / path).exists()] == []
    assert len({nightly.hashes(name)["files"] for name in nightly.PARTS}) == len(nightly.PARTS)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with one part, of the file `code`; returns a function that commits on a day."""
    monkeypatch.setattr(green, "ROOT", tmp_path)
    monkeypatch.setattr(green, "GREEN", tmp_path / "tests" / "green")
    monkeypatch.setattr(green, "TALLY", tmp_path.parent / "tally.json")
    part = nightly.Part((("sh", "-c", "test -f passes"),), ("code",), introduced="2026-01-01")
    monkeypatch.setattr(nightly, "PARTS", {"part": part})
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)

    def commit(day, text):
        (tmp_path / "code").write_text(text)
        at = {"GIT_AUTHOR_DATE": f"{day}T12:00:00", "GIT_COMMITTER_DATE": f"{day}T12:00:00"}
        names = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        for words in (["add", "-A"], ["commit", "-q", "--allow-empty", "-m", "x"]):
            subprocess.run(["git", *words], cwd=tmp_path, env={**names, **at, "PATH": "/usr/bin:/bin"}, check=True)

    return commit


def checked():
    lines, is_late = nightly.check(list(nightly.PARTS))
    return [line.partition(" (")[0] for line in lines], is_late


def test_a_part_that_passed_on_a_clean_tree_has_a_record_and_becomes_due_again_by_a_commit(
    repository, tmp_path, monkeypatch
):
    (tmp_path / "passes").touch()
    repository("2026-03-01", "a")
    assert checked() == (["part: overdue since 2026-01-01"], True)
    monkeypatch.setattr(green, "today", lambda: "2026-03-01")
    assert nightly.run(["part"], print) == []
    repository("2026-03-01", "a")  # with the record
    assert checked() == ([], False)
    repository("2026-06-01", "b")
    assert checked() == (["part: due since 2026-06-01"], False)
    repository("2026-06-14", "b")
    assert checked() == (["part: due since 2026-06-01"], False)
    repository("2026-06-15", "c")
    assert checked() == (["part: overdue since 2026-06-01"], True)


def test_a_part_that_fails_or_runs_on_changed_files_writes_no_record(repository, tmp_path):
    repository("2026-03-01", "a")
    told = []
    assert nightly.run(["part"], told.append) == ["part"]
    assert "part: failed: sh -c test -f passes, 0 s" in told[0]
    (tmp_path / "passes").touch()  # not committed
    assert nightly.run(["part"], told.append) == []
    assert "no record is written" in told[1]
    assert green.read("nightly", "part") is None
