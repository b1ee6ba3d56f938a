"""Results that can be contributed are taken, and each fault is found with its line."""

import re

import campaign
import judging
import pytest
from checked import ANSWER, ENVIRONMENT, MACHINE, MODE, NAME, OPTIMIZER, WORKLOAD, asked_of, case, findings, write

from analysis import series
from analysis.checks import Given, contribution, everything, proofs
from analysis.checks.contribution import Checked
from bench import proof, registry
from bench.driver import lock
from bench.results import records


def errors(results, **more):
    return [each for each in findings(results, **more) if each.is_error]


def test_a_right_campaign_is_taken_and_what_cannot_be_checked_is_a_note(lines, tmp_path):
    write(tmp_path, lines)
    (note,) = findings(tmp_path, without=())
    assert not note.is_error
    assert note.file == f"results/{MACHINE}"
    assert "so the A/A band is unchecked" in note.problem
    assert "nox -s controls" in note.advice


def test_the_locks_that_a_bench_and_controls_leave_are_no_results(lines, tmp_path, monkeypatch):
    results = tmp_path / "results"
    monkeypatch.setenv("BENCH_NODE", str(tmp_path))
    monkeypatch.setattr(registry, "STATE", str(tmp_path / "state"))
    path = write(results, lines)
    for number in (None, 12):
        with lock.alone(str(results), str(path.parent), number=number):
            pass
    for folder in (results, path.parent):
        assert sorted(each.name for each in folder.glob(".*")) == [lock.FILE, f"{lock.FILE}-node12"]
    assert errors(results) == []


def test_what_is_only_called_a_lock_is_checked(lines, tmp_path):
    path = write(tmp_path, lines)
    (tmp_path / lock.FILE).write_text("a page of anything")
    (path.parent / lock.FILE).symlink_to(path)
    assert {each.file for each in errors(tmp_path)} == {f"results/{lock.FILE}", f"results/{MACHINE}/{lock.FILE}"}


FAULTS = {  # what is changed, in which line, and what is said of it
    "a text for a number": (4, {"duration_s": "3.5"}, r"duration_s: expected number, got '3\.5'"),
    "a unit": (4, {"block_s": [100.0, 101.0, 102.0]}, r"expected what a machine can do, got: .*is a unit wrong\?"),
    "a speed": (4, {"block_s": [1e-5, 1.1e-5, 1.2e-5], "block_cpu_s": [1e-5] * 3}, r"but this machine does"),
    "no variance": (4, {"block_s": [0.1, 0.1, 0.1], "block_cpu_s": []}, r"all 3 times are exactly 0\.1 s"),
    "a memory": (4, {"peak_host_memory_bytes": 2**50}, r"expected at most the machine's \d+, got 1125899906842624"),
    "an unknown workload": (4, {"case": case(workload="tea")}, r"expected a file of bench/workloads, got tea"),
    "an unknown mode": (4, {"case": case(mode="quickly")}, rf"case\.mode: expected one of {MODE}.*, got quickly"),
    "an unknown environment": (4, {"case": case(environment="torch")}, r"expected one of .*, got torch"),
    "a case not asked for": (4, {"case": case(batch_size=7)}, r"case: expected one of the cases in the first line"),
    "no code": (4, {"code": None}, r"it has a time, but lacks code"),
    "other code": (4, {"code": "f" * 16}, r"code and proof: expected \w{16} and 2:\w{16} \(now\), got f{16}"),
    "another proof": (4, {"proof": "f" * 16}, r"code and proof: expected .* and f{16}"),
    "another campaign": (4, {"campaign": "20261119-090000"}, rf"campaign: expected {NAME} on all lines"),
    "a path": (4, {"status": "failed", "reason": "no /home/ada/x.py"}, r"reason: expected nothing .* path of its user"),
    "a path of Windows": (4, {"error_tail": r"in C:\Users\ada\x.py"}, r"error_tail: .* a path of Windows"),
    "an address": (7, {"reason": "ask ada@example.org"}, r"reason: .* an e-mail address: 'ada@example\.org'"),
    "a network address": (7, {"reason": "host 192.168.7.11 ended"}, r"reason: .* a network address"),
    "an address like a version": (7, {"reason": "host 0.12.0.9 ended"}, r"reason: .* a network address: '0\.12\.0\.9'"),
    "another machine": (1, {"machine": {**campaign.bench([])["machine"], "name": "yours"}},
                        rf"machine\.name: expected {MACHINE}, the name of its folder, got yours"),
    "another node": (1, {"node": 2}, rf"campaign: expected the file's name, .* time and -node2, got {NAME}"),
    "a date": (1, {"started": "2026-02-31T09:00:00Z"}, r"started: expected a date until now, got 2026-02-31"),
    "a smoke campaign": (1, {"profile": "smoke"}, r"profile: expected quick or full, got smoke"),
    "a second beginning": (7, {"kind": "bench"}, r"kind|campaign|is not a known field"),
}  # fmt: skip


def test_a_campaign_of_a_node_has_its_number_in_its_name(lines, tmp_path):
    name = f"{NAME}-node12"
    lines[0]["node"] = 12
    write(tmp_path, [{**line, "campaign": name} for line in lines], name=name)
    assert errors(tmp_path) == []


def test_the_version_of_a_driver_is_no_address(lines, tmp_path):
    lines[0] = {**lines[0], "telemetry": "GPU by NVML 13.580.159.04"}
    write(tmp_path, lines)
    assert errors(tmp_path, without=("proofs",)) == []


def test_a_release_that_a_series_lists_is_no_address(lines, tmp_path):
    version = next(
        each.version for own in series.read().values() for each in own.releases if each.version.count(".") == 3
    )
    lines[6] = {**lines[6], "reason": f"not with JAX {version}"}
    write(tmp_path, lines)
    assert not [each for each in errors(tmp_path, without=("proofs",)) if "address" in each.problem]


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found_with_its_line(fault, lines, tmp_path):
    number, changed, problem = FAULTS[fault]
    lines[number - 1] = {**lines[number - 1], **changed}
    write(tmp_path, lines)
    without = () if fault in ("other code", "another proof") else ("proofs",)
    own = [each for each in errors(tmp_path, without=without) if each.line == number]
    assert [each for each in own if re.search(problem, each.problem)], own
    assert {each.file for each in own} == {f"results/{MACHINE}/{NAME}.jsonl"}


def test_all_faults_are_told_at_once_each_with_what_was_expected_what_came_and_what_to_do(lines, tmp_path):
    for number, (_, changed, _) in enumerate([FAULTS["a text for a number"], FAULTS["a memory"], FAULTS["no code"]]):
        lines[3 + number] = {**lines[3 + number], **changed}
    write(tmp_path, lines)
    told = contribution.text(Checked("this", findings(tmp_path)))
    for line in (4, 5, 6):
        assert f"error results/{MACHINE}/{NAME}.jsonl, line {line}\n" in told
    for paragraph in re.split(r"\n(?=error|note |Checked)", told)[:-1]:
        assert "expected" in paragraph, paragraph
        assert re.search(r"\bgot\b", paragraph), paragraph
        assert "      to do: " in paragraph, paragraph
    assert told.endswith("Checked this. It cannot be taken as it is: 3 errors, 1 note.")


def test_what_is_alike_is_told_three_times_and_counted(lines, tmp_path):
    runs = [{**lines[3], "round": number, "block_s": [100.0 + number, 1.0]} for number in range(1, 40)]
    write(tmp_path, [*lines[:3], *runs, lines[-1]])
    told = contribution.text(Checked("this", findings(tmp_path)))
    assert told.count("expected what a machine can do, got: ") == contribution.MOST_ALIKE
    assert "and so on (expected what a machine can do, got ...), in 36 lines from this one on" in told


def test_a_field_that_stands_twice_is_found_though_the_line_is_right_otherwise(lines, tmp_path):
    path = write(tmp_path, lines, is_sealed=False)
    path.write_text(path.read_text().replace('"round": 2', '"round": 9, "round": 2', 1))
    assert any("the field 'round' occurs twice" in each.problem for each in errors(tmp_path))


def test_an_edited_line_is_found_by_its_seal(lines, tmp_path):
    path = write(tmp_path, lines)
    path.write_text(path.read_text(encoding="utf-8").replace('"round": 2', '"round": 9'), encoding="utf-8")
    (error,) = errors(tmp_path)
    assert error.line == 5
    assert "expected the seal" in error.problem


def test_a_campaign_without_an_end_or_without_its_last_bytes_is_not_whole(lines, tmp_path):
    write(tmp_path, lines[:-1])
    (error,) = errors(tmp_path)
    assert "expected a line of kind end last, got run" in error.problem
    assert "goes on where it stopped" in error.advice
    path = write(tmp_path, lines)
    path.write_bytes(path.read_bytes()[:-30])
    assert any("it is cut off" in each.problem for each in errors(tmp_path))


def test_a_copied_folder_is_found_whatever_it_is_called(lines, tmp_path):
    write(tmp_path, lines)
    copy = write(tmp_path, [{**lines[0], "machine": {**lines[0]["machine"], "name": "another"}}, *lines[1:]], "another")
    own = [each for each in findings(tmp_path, [copy]) if each.is_error]
    assert [each.line for each in own] == [4]
    assert f"got those of results/{MACHINE}/{NAME}.jsonl, line 4, and 2 more runs of that file" in own[0].problem


def test_what_is_published_is_read_for_its_times_once(lines, tmp_path, monkeypatch):
    write(tmp_path, lines)
    copy = write(tmp_path, lines, name="20261120-100000")
    first, read = errors(tmp_path, paths=[copy]), []
    scan = records.scan
    monkeypatch.setattr(records, "scan", lambda path, *quick: (read.append(path), scan(path, *quick))[1])
    assert errors(tmp_path, paths=[copy]) == first
    assert f"got those of results/{MACHINE}/{NAME}.jsonl, line 4" in first[0].problem + first[-1].problem
    assert set(read) == {str(copy)}


def test_a_run_that_stands_twice_is_found_and_a_repeat_after_a_void_round_is_none(lines, tmp_path):
    again = campaign.run(case(), 2, 0.01, seed=9, campaign=NAME, code=lines[3]["code"], proof=lines[3]["proof"])
    write(tmp_path, [*lines[:-1], again, lines[-1]])
    (error,) = errors(tmp_path)
    assert "expected each case once in round 2, got it again after line 5" in error.problem
    write(tmp_path, [*lines[:-1], campaign.void(case(), 2, NAME), again, lines[-1]])
    assert errors(tmp_path) == []
    write(tmp_path, [*lines[:-1], lines[4], lines[-1]])
    assert any("got those of this file, line 5" in each.problem for each in errors(tmp_path))


def test_the_names_of_this_computer_and_of_its_user_are_found(lines, tmp_path):
    lines[-1]["reason"] = "ended by Lovelace on ENGINE-7"
    write(tmp_path, lines)
    assert errors(tmp_path) == []
    (error,) = errors(tmp_path, own=["engine-7"])
    assert error.line == 7


@pytest.mark.parametrize("name", ["notes.txt", "my-machine/index.html", "my-machine/controls/tea/20261120-090000.jsonl",
                                  "parity/pytorch/deep/x.npz", "a/b/c/d/e.jsonl", "x.jsonl"])  # fmt: skip
def test_what_results_do_not_hold_is_found(name, tmp_path):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n")
    (error,) = [each for each in errors(tmp_path) if each.file == f"results/{name}"]
    assert "expected <machine>/<campaign>.jsonl" in error.problem


def test_a_file_that_is_too_large_is_found_and_not_read(tmp_path):
    path = tmp_path / MACHINE / f"{NAME}.jsonl"
    path.parent.mkdir()
    path.touch()
    with path.open("r+b") as file:
        file.truncate(51_000_000)
    (error,) = errors(tmp_path)
    assert "expected at most 50,000,000 bytes, got 51,000,000" in error.problem


def test_answers_that_are_missing_or_are_none_are_found(lines, tmp_path):
    write(tmp_path, lines)
    own = Given(tmp_path, everything(tmp_path), tmp_path / "parity")
    (error,) = [each for each in contribution.check(own) if each.is_error]
    assert f"expected answers that prove parity of {WORKLOAD} ({OPTIMIZER}) in {ENVIRONMENT}, {MODE}" in error.problem
    assert "got: no parity answer for this code and these versions" in error.problem
    assert f"nox -s parity -- --environment {ENVIRONMENT}" in error.advice
    path = tmp_path / "parity" / ENVIRONMENT / ANSWER.name
    path.parent.mkdir(parents=True)
    path.write_text("no archive")
    found_now = errors(tmp_path, without=())
    assert any("expected a parity answer, got: not a parity answer" in each.problem for each in found_now)


def test_hashes_are_those_of_the_bench_and_of_any_revision(lines):
    asked = asked_of(lines[1])
    environment = registry.environment(ENVIRONMENT)
    own = proofs.Hashes(proof.code_hash(registry.model_path(environment, WORKLOAD)),
                        proof.proof_hash(WORKLOAD, environment, lines[1]["loaded"]))  # fmt: skip
    assert proofs.hashes([asked]) == {asked: own}
    assert proofs.hashes([asked._replace(workload="tea"), asked._replace(environment="tea")]) == {}
    assert proofs.hashes([asked], "0" * 40) == {}


def test_twins_that_differ_are_told_of_as_a_note_and_twins_that_do_not_leave_none(lines, tmp_path):
    write(tmp_path, lines)
    judging.write(tmp_path, "planted", judging.twins(), machine=MACHINE)
    path = write(tmp_path, lines)
    assert findings(tmp_path, [path]) == []
    kept = judging.write(tmp_path, "planted", judging.twins(wrong=0.05), machine=MACHINE)
    (note,) = findings(tmp_path, [path])
    assert not note.is_error  # the page shows the failure: refusing it would reward who leaves the control out
    assert "expected no difference, got one. Of 2,000 replayed comparisons" in note.problem
    assert "measure both again" in note.advice
    kept.write_text("{}\n{}\n")
    (error,) = findings(tmp_path, [path])
    assert error.is_error
    assert "expected a control to judge, got: planted/" in error.problem


@pytest.mark.parametrize("content", ["{}\n", "no JSON\n"])
def test_a_wrong_line_about_other_tools_is_found(content, lines, tmp_path):
    path = write(tmp_path, lines).parent / "peers" / "numpy.jsonl"
    path.parent.mkdir()
    path.write_text(content)
    (error,) = errors(tmp_path)
    assert error.file == f"results/{MACHINE}/peers/numpy.jsonl"
    assert "line 1" in error.problem
