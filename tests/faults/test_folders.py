"""Folders that are full, read-only, shared by two benches, or hold an edited file."""

import contextlib
import os
import subprocess
import threading

import pytest
from faulty import ALIVE, PLAIN, RECORDED, RUNS, key, wait_for

from bench.driver import orphans
from bench.errors import RecordError
from bench.results import records
from bench.results.lines import End, Run


@contextlib.contextmanager
def mounted(folder, options, otherwise):
    """Mount a file system in memory on a folder, by sudo if it needs no password.

    If neither may mount, the test is skipped with the reason `otherwise`. If CI is set, it fails, so that promises are
    tested somewhere.
    """
    said = []
    for words in ([], ["sudo", "-n"]):
        with contextlib.suppress(FileNotFoundError):
            done = subprocess.run([*words, "mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)],
                                  capture_output=True, text=True, check=False)  # fmt: skip
            if done.returncode == 0:
                break
            said.append(done.stderr.strip())
    else:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{otherwise}: {'; '.join(said)}")
    yield
    subprocess.run([*words, "umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of one megabyte; it needs the right to mount."""
    folder = tmp_path / "small"
    folder.mkdir()
    with mounted(folder, "size=1m", "this user may not mount a small file system"):
        yield folder


def fill(folder):
    """Fill a disk with a file, which the caller removes."""
    path = folder / "filler"
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass
    return path


def test_a_worker_that_fails_on_a_full_disk_gives_no_result(call, small_disk, monkeypatch):
    monkeypatch.setattr(orphans, "CALLS", str(small_disk))
    fill_it = f"open({str(small_disk / 'filler')!r}, 'wb').write(bytes(1 << 21))"
    with pytest.raises(RecordError, match=r"cannot be written: No space left on device\. Make room"):
        call(fill_it)
    with pytest.raises(RecordError, match="No space left"):
        call("")  # no process is started
    (small_disk / "filler").unlink()
    assert call("os._exit(3)").reason == "the process ended with exit code 3 and no result"


def test_a_worker_that_fills_the_disk_with_its_output_is_a_failed_run(call, small_disk, monkeypatch):
    monkeypatch.setattr(orphans, "CALLS", str(small_disk))
    reply = call("while True:\n    os.write(2, bytes(4096))")
    assert (reply.status, reply.reason) == ("failed", "the process ended with exit code 1 and no result")


@pytest.mark.fault
def test_a_full_disk_ends_a_bench_with_2_and_it_resumes_when_there_is_space(faulty, small_disk):
    faulty.results.parent.symlink_to(small_disk)
    process = faulty.start(*PLAIN)
    wait_for(RECORDED, process)
    filler = fill(small_disk)
    errors = process.communicate()[1]
    assert process.returncode == 2
    assert "cannot be written: No space left on device. Make room" in errors
    before = faulty.lines()
    assert 1 <= len(faulty.runs()) < RUNS
    assert "No space left on device" in faulty("run", *PLAIN, expect=2).stderr
    filler.unlink()
    faulty("run", *PLAIN)
    (lines,) = faulty.lines()
    assert lines[: len(before[0])] == before[0]
    assert len({key(run) for run in faulty.runs()}) == len(faulty.runs()) == RUNS
    assert faulty.started() <= RUNS + ALIVE  # runs that were alive are measured again


@pytest.fixture
def read_only(tmp_path):
    """A folder that cannot be written to. Permissions do not stop an administrator, so it is mounted read-only."""
    folder = tmp_path / "read-only"
    folder.mkdir()
    if os.geteuid():
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)
        return
    with mounted(folder, "ro,size=1m", "this administrator may not mount a read-only file system"):
        yield folder


@pytest.mark.parametrize("which", ["results", "state"])
def test_a_read_only_folder_is_reported_before_anything_is_started(faulty, read_only, which):
    (faulty.folder / which).symlink_to(read_only)
    done = faulty("run", *PLAIN, expect=2)
    assert f"error: {faulty.folder / which}" in done.stderr
    assert "cannot be written" in done.stderr
    assert "ready on the" not in done.stderr
    assert faulty.started() == 0


def test_an_edited_campaign_is_named_and_nothing_is_started(faulty):
    faulty.results.mkdir(parents=True)
    (faulty.results / "20261121-010000.jsonl").write_text('{"kind": "bench", "seal": "0123456789abcdef"}\n')
    assert "test/20261121-010000.jsonl, line 1" in faulty("run", *PLAIN, expect=2).stderr
    assert faulty.started() == 0


@pytest.mark.fault
def test_an_edited_campaign_is_refused_and_a_truncated_line_or_an_unreadable_answer_is_replaced(faulty):
    path = faulty.killed_in_the_middle()
    content, before = path.read_bytes(), records.read(str(path))
    path.write_bytes(content.replace(b'"loss_first": 2', b'"loss_first": 1', 1))
    assert path.read_bytes() != content
    assert "expected the seal" in faulty("run", *PLAIN, expect=2).stderr
    assert isinstance(before[-1], Run)
    path.write_bytes(content[:-20])
    assert records.read(str(path)) == before[:-1]
    for answer in (faulty.folder / "answers").glob("*/*.npz"):
        answer.write_bytes(answer.read_bytes()[:1000])
    faulty("run", *PLAIN)
    (lines,) = faulty.lines()
    assert lines[: len(before) - 1] == before[:-1]
    assert isinstance(lines[-1], End)
    assert all(run.status == "ok" for run in faulty.runs())
    assert len({key(run) for run in faulty.runs()}) == len(faulty.runs()) == RUNS
    assert faulty.started() <= RUNS + ALIVE  # the runs that were alive, of which the truncated one is one


@pytest.mark.fault
def test_a_second_bench_is_refused_and_the_first_is_not_affected(faulty):
    first = faulty.start(*PLAIN, "--rounds", "8")  # enough rounds, so that it measures while the others try
    wait_for("round 1", first)
    reader = threading.Thread(target=first.communicate)
    reader.start()
    variables = dict(faulty.environment)
    try:
        faulty.environment = dict(variables, BENCH_STATE=str(faulty.folder / "other-state"))  # as from another checkout
        assert "measuring on this machine" in faulty("run", *PLAIN, expect=2).stderr
        faulty.environment["BENCH_NODE"] = str(faulty.folder / "another")  # as from another machine with the same disk
        assert f"writing into {faulty.results}" in faulty("run", *PLAIN, expect=2).stderr
    finally:
        faulty.environment = variables
        reader.join()
    assert first.returncode == 0
    (lines,) = faulty.lines()
    runs = faulty.runs()
    rounds = {run.round for run in runs}  # 8, or fewer where these twins were settled before
    assert len({key(run) for run in runs}) == len(runs) == 2 * len(rounds)
    assert rounds == set(range(1, len(rounds) + 1))
    assert isinstance(lines[-1], End)
