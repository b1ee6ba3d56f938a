"""What differs from main is checked against the code of its time. What was published stays."""

import re
import shutil
import subprocess

import campaign
import pytest
from checked import ANSWER, ENVIRONMENT, MACHINE, NAME, asked_of, findings, write

from analysis import __main__ as command
from analysis import revisions
from analysis.checks import Given, append_only, campaigns, contribution, found, proofs
from analysis.checks.contribution import Checked
from analysis.site import build
from bench import answer, proof
from bench.proof import migration


@pytest.fixture
def older(lines, monkeypatch):
    """Return lines of earlier code, which only the revision 111... has."""
    asked, old = asked_of(lines[1]), proofs.Hashes("a" * 16, "b" * 16)
    now, then = proofs.hashes, {"1" * 40: {asked: old}}
    monkeypatch.setattr(proofs, "hashes", lambda asked, of=None: then.get(of, {}) if of is not None else now(asked))
    return campaign.changed(lines, "run", **old._asdict())


def is_taken_as_of_before(results, lines):
    write(results, lines)
    known = findings(results, without=())
    wrong = [each.problem for each in known if each.is_error]
    assert not wrong or "code and proof: expected" in wrong[0]
    return not wrong and any("got that of revision 111111111111" in each.problem for each in known)


def test_code_of_before_is_held_against_the_revision_that_the_campaign_names(older, tmp_path):
    older[0]["revision"] = "1" * 40
    assert is_taken_as_of_before(tmp_path, older)
    older[0]["revision"] = "2" * 40
    assert not is_taken_as_of_before(tmp_path, older)


def test_code_of_a_revision_that_was_rebased_away_is_held_against_the_commit_that_brought_the_times(
    older, tmp_path, monkeypatch
):
    monkeypatch.setattr(revisions, "brought", lambda _: "1" * 40)
    older[0]["revision"] = "2" * 40
    assert is_taken_as_of_before(tmp_path, older)
    for run in older[3:6]:
        run.update(proof="c" * 16)
    assert not is_taken_as_of_before(tmp_path, older)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository of results, and a function that publishes what is there and goes on in a branch."""

    def git(*words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], cwd=tmp_path, check=True,
                       capture_output=True)  # fmt: skip

    def publish():
        git("add", ".")
        git("commit", "-qm", "published")
        git("checkout", "-qb", "mine")

    monkeypatch.setattr(revisions, "ROOT", tmp_path)
    monkeypatch.setattr(contribution, "RESULTS", tmp_path / "results")
    git("init", "--quiet", "-b", "main")
    return tmp_path, publish


def test_what_differs_from_main_is_checked_and_what_was_published_stays(lines, repository):
    folder, publish = repository
    old = write(folder / "results", lines)
    told = folder / "results" / "README.md"
    told.write_text("What the fields are.\n", encoding="utf-8")
    publish()
    assert contribution.contributed([], folder / "results", None, False).what == "all results: 2 files"
    told.write_text("What each field is.\n", encoding="utf-8")
    assert not any("expected all that" in each.problem for each in _now(folder))
    other = [{**line, "campaign": "20261121-090000"} for line in lines]
    other[0]["started"] = "2026-11-21T09:00:00Z"
    write(folder / "results", other, name="20261121-090000")
    (folder / "results" / "notes.txt").touch()
    found_now = contribution.contributed([], folder / "results", None, False)
    assert found_now.what == "what differs from main: 3 files"
    assert {each.file for each in found_now.findings if each.is_error} == {
        "results/notes.txt", f"results/{MACHINE}/20261121-090000.jsonl"  # the latter is a copy
    }  # fmt: skip
    old.write_text(old.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert not any("expected all that" in each.problem for each in _now(folder))
    old.unlink()
    (gone,) = [each for each in _now(folder) if "expected all that" in each.problem]
    assert gone.file == f"results/{MACHINE}/{NAME}.jsonl"
    assert "append-only" in gone.advice


def test_answers_that_were_published_stay_until_their_code_changes(repository):
    folder, publish = repository
    path = folder / "results" / "parity" / ENVIRONMENT / ANSWER.name
    path.parent.mkdir(parents=True)
    shutil.copy(ANSWER, path)
    publish()
    given = answer.read(str(ANSWER))
    about = given.pop("about")
    answer.save(str(path), {**given, "losses": given["losses"] * 1.001}, about)
    assert "since its code and versions are the same, got another" in _told(folder, path.name)
    answer.save(str(path), given, {**about, "proof": "f" * 16})
    said = re.search("expected the proof of the code as it is, (2:[0-9a-f]{16}), got 'f{16}'", _told(folder, path.name))
    assert proof.same(about["proof"], said.group(1))
    path.unlink()
    assert "got nothing: it is gone" in _told(folder, path.name)


def test_answers_of_changed_code_are_taken_and_counted(repository):
    folder, publish = repository
    path = folder / "results" / "parity" / ENVIRONMENT / ANSWER.name
    given = answer.read(str(ANSWER))
    answer.save(str(path), given, {**given.pop("about"), "proof": "0" * 16})
    publish()
    shutil.copy(ANSWER, path)
    (note,) = _now(folder)
    assert not note.is_error
    assert (note.file, note.line) == (f"results/parity/{ENVIRONMENT}", None)
    assert "got 1 of changed code or versions" in note.problem


def _told(folder, name):
    return "".join(each.problem for each in _now(folder) if each.is_error and each.file.endswith(name))


def _now(folder):
    return contribution.contributed([], folder / "results", None, False).findings


def test_the_command_says_it_all_and_its_exit_code_tells(lines, tmp_path, capsys):
    path = write(tmp_path, lines)
    assert command.main(["check", "--results", str(tmp_path)]) == 0
    assert "It can be taken: 0 errors, 1 note." in capsys.readouterr().out
    lines[3]["duration_s"] = -1.0
    write(tmp_path, lines)
    assert command.main(["check", str(path), "--results", str(tmp_path)]) == 1
    assert f"error results/{MACHINE}/{NAME}.jsonl, line 4" in capsys.readouterr().out
    assert command.main(["check", "elsewhere", "--results", str(tmp_path)]) == 2
    assert command.main(["check", str(tmp_path / "gone"), "--results", str(tmp_path)]) == 2
    assert "is not there" in capsys.readouterr().err


@pytest.mark.nightly
def test_a_preview_holds_the_pages_with_the_results_in_them(lines, tmp_path, monkeypatch, capsys):
    write(tmp_path / "results", lines)
    monkeypatch.setattr(build, "PREVIEW", tmp_path / "preview")
    assert command.main(["check", "--results", str(tmp_path / "results"), "--preview"]) == 0
    assert "The generated pages with these results" in capsys.readouterr().out
    (page,) = (tmp_path / "preview" / "machines").glob("*.md")
    assert MACHINE in page.read_text(encoding="utf-8")


PAGE = (contribution.RESULTS.parent / "docs" / "checking.md").read_text(encoding="utf-8")


def test_the_page_names_every_rule_with_what_it_looks_at():
    for name, module in found().items():
        about = str(module.__doc__).strip().split("\n")[0]
        assert f"| `{name}` | {about} |" in PAGE


def test_the_page_shows_what_is_said_of_a_file_with_faults(lines, tmp_path):
    lines[3] = {**lines[3], "block_s": [1000 * block_s for block_s in lines[3]["block_s"]]}
    lines[4] = {**lines[4], "duration_s": "four seconds"}
    lines[5] = {**lines[5], "case": {**lines[5]["case"], "mode": "<b>fast</b>"}}
    lines[6] = {**lines[6], "reason": "/home/ada/rosetta-bench"}
    write(tmp_path, lines)
    assert contribution.text(Checked(f"results/{MACHINE}", findings(tmp_path))) in PAGE


def test_rules_are_in_order():
    assert list(found()) == ["contents", "campaigns", "possible", "proofs", "copies", "append_only", "clock", "peers"]


def _of_timing(lines, tmp_path, monkeypatch, **about):
    """Return what is wrong with a contributed campaign's timing code; only revision 111... is known."""
    monkeypatch.setattr(revisions, "commit", lambda revision: revision if revision == "1" * 40 else None)
    monkeypatch.setattr(campaigns, "timing", lambda _: "2:" + "a" * 16)
    lines[0].update({"revision": "1" * 40, "is_dirty": False, **about})
    path = write(tmp_path, lines)
    known = campaigns.check(Given(tmp_path, [path], tmp_path, fresh=[path]))
    return [each.problem.split(":")[0] for each in known if each.is_error]


def test_a_contributed_campaign_names_a_revision_that_holds_its_timing_code(lines, tmp_path, monkeypatch):
    timed = campaign.changed(lines, "run", timing="2:" + "a" * 16)
    assert _of_timing(timed, tmp_path, monkeypatch) == []
    assert _of_timing(timed, tmp_path, monkeypatch, is_dirty=True) == ["is_dirty"]
    assert _of_timing(timed, tmp_path, monkeypatch, is_dirty=None) == ["is_dirty"]
    assert _of_timing(timed, tmp_path, monkeypatch, revision="2" * 40) == ["revision"]
    assert _of_timing(timed, tmp_path, monkeypatch, revision=None) == ["revision"]
    assert set(_of_timing(campaign.changed(timed, "run", timing="2:" + "b" * 16), tmp_path, monkeypatch)) == {"timing"}
    assert set(_of_timing(campaign.changed(timed, "run", timing=None), tmp_path, monkeypatch)) == {"timing"}


def test_a_published_campaign_keeps_the_revision_that_it_names(lines, tmp_path):
    lines[0]["is_dirty"] = True
    known = campaigns.check(Given(tmp_path, [write(tmp_path, lines)], tmp_path))
    assert [(each.problem.split(":")[0], each.is_error) for each in known] == [("is_dirty", False)]


def test_the_timing_code_of_a_revision_is_that_of_its_files():
    assert campaigns.timing("HEAD").startswith("2:")
    assert campaigns.timing("72d529b") is None


def test_a_row_of_the_table_of_versions_is_what_the_code_of_its_revision_computes():
    right = next(row for row in migration.rows() if revisions.commit(row.revision))
    assert list(append_only.check_table([right])) == []
    (finding,) = append_only.check_table([right._replace(proof_2="2:0123456789abcdef")])
    assert (finding.file, finding.is_error) == ("bench/proof/proof_versions.csv", True)
    assert right.proof_2 in finding.problem
    (finding,) = append_only.check_table([right._replace(revision="0" * 40)])
    assert "expected a table of a revision that git knows" in finding.problem
