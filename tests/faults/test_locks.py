"""One bench at a time: on a machine, with one state, into one results folder."""

import os
import subprocess
import threading

import pytest
from running import holder

from bench import registry
from bench.campaign import campaign as campaigns
from bench.driver import lock
from bench.errors import BusyError


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Give this process its own machine and its own state."""
    monkeypatch.setenv("BENCH_NODE", str(tmp_path))
    monkeypatch.setattr(registry, "STATE", str(tmp_path / "state"))
    return tmp_path


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("", "measuring on this machine"),
        ("state", "measuring on this machine"),
        ("results", "is writing into .*results.*--results"),
    ],
)
def test_a_lock_of_another_bench_is_reported_until_that_bench_is_killed(elsewhere, folder, message):
    results = str(elsewhere / "results")
    with holder(*([elsewhere / folder, lock.FILE] if folder else [])) as other:
        with pytest.raises(BusyError, match=message), lock.alone(results):
            pass
        other.kill()
    with lock.alone(results):
        assert sorted(os.listdir(results)) == [lock.FILE]


@pytest.mark.parametrize("has_abstract_sockets", [True, False])
def test_a_machine_is_locked_by_its_node_and_another_node_is_free(elsewhere, monkeypatch, has_abstract_sockets):
    """Nodes of Slurm on one host are machines of their own. Without abstract sockets, the lock is a file."""
    monkeypatch.setattr(lock, "HAS_ABSTRACT_SOCKETS", has_abstract_sockets and lock.HAS_ABSTRACT_SOCKETS)
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    with lock.machine():
        with pytest.raises(BusyError, match="measuring on this machine"), lock.machine():
            pass
        monkeypatch.setenv("BENCH_NODE", str(elsewhere / "another"))
        with lock.machine():
            pass


@pytest.mark.skipif(not lock.HAS_ABSTRACT_SOCKETS, reason="this system has no abstract Unix sockets")
def test_another_temporary_folder_does_not_defeat_the_lock_of_a_machine(elsewhere, monkeypatch):
    with holder() as other:
        monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
        with pytest.raises(BusyError), lock.machine():
            pass
        other.kill()
    assert not list(elsewhere.iterdir())


def test_equal_nodes_lock_one_results_folder_for_their_own_files(elsewhere):
    results = str(elsewhere / "results")
    with holder(results, f"{lock.FILE}-node1") as other:
        with lock.alone(results, number=2):
            pass
        with pytest.raises(BusyError, match="is writing into"), lock.alone(results, number=1):
            pass
        other.kill()


def test_waiting_for_a_lock_is_reported_once_and_ends_with_the_other_process(tmp_path, monkeypatch):
    monkeypatch.setattr(lock, "PAUSE_S", 0.01)
    said = []
    with holder(tmp_path, lock.FILE) as other:

        def say(text):
            said.append(text)
            threading.Timer(0.1, other.kill).start()

        with lock.locked(str(tmp_path), "busy", say=say), pytest.raises(BusyError), lock.locked(str(tmp_path), "busy"):
            pass
    assert said == ["busy"]
    with lock.locked(str(tmp_path), "busy"):
        pass  # both released it


def test_a_lock_of_another_user_is_respected_too(elsewhere, monkeypatch):
    """Its file cannot be written to, and read access is enough."""
    whole_open = os.open

    def as_another_user(path, flags, *mode):
        if flags & os.O_RDWR:
            raise PermissionError(13, "Permission denied")
        return whole_open(path, flags, *mode)

    with holder(elsewhere, lock.FILE) as other:
        monkeypatch.setattr(os, "open", as_another_user)
        with pytest.raises(BusyError), lock.locked(str(elsewhere), "busy"):
            pass
        other.kill()


def test_reading_the_revision_writes_nothing_into_the_repository(tmp_path, monkeypatch):
    """An interrupt ends `git status` at once. A lock of the index would remain, and prevent every commit."""

    def git(*words):
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *words], cwd=tmp_path, check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip

    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "file").write_text("as it was")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    os.utime(tmp_path / "bench" / "file", (1, 1))  # the index knows another time: a usual status would renew it
    before = (tmp_path / ".git" / "index").read_bytes()
    monkeypatch.setattr(registry, "ROOT", str(tmp_path))
    assert campaigns.revision()[1] is False
    assert (tmp_path / ".git" / "index").read_bytes() == before
