"""A published file comes whole and checked, whatever happens on the way, or not at all."""

import hashlib
import subprocess
from unittest.mock import Mock

import pytest

from bench import errors
from bench.data import download

CONTENT = bytes(range(256)) * 40  # 10,240 bytes


@pytest.fixture
def fetch(server, tmp_path):
    """Fetch CONTENT, as published but for what is changed; when it has come, it is whole and alone."""

    def call(*, offline=False, **changes):
        sha256 = download.fetch(server.publish(CONTENT)._replace(**changes), str(tmp_path), offline)
        assert sha256 == hashlib.sha256(CONTENT).hexdigest()
        assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file.bin", CONTENT)]

    return call


TROUBLES = {
    "none": (True, []),
    "a server that ignores ranges sends everything again": (False, [{"cut": 3000}]),
    "a passing failure is tried again": (True, [{"status": 503}, {"status": 429}]),
}


@pytest.mark.parametrize(("has_ranges", "troubles"), TROUBLES.values(), ids=TROUBLES)
def test_a_file_comes_whole_and_leaves_nothing_else(fetch, server, has_ranges, troubles):
    server.has_ranges, server.troubles = has_ranges, troubles
    fetch()


def test_an_md5_is_checked_where_no_better_sum_is_published(fetch):
    fetch(checksum="md5:" + hashlib.md5(CONTENT, usedforsecurity=False).hexdigest())
    with pytest.raises(errors.ChecksumError, match="MD5"):
        fetch(checksum="md5:" + "0" * 32)


def test_a_download_that_is_cut_goes_on_where_it_stopped(fetch, server):
    server.troubles = [{"cut": 3000}, {"cut": 7000}]
    fetch()
    assert server.ranges() == [None, "bytes=3000-", "bytes=7000-"]


def test_a_later_command_goes_on_as_well(fetch, server, tmp_path):
    server.troubles = [{"cut": 3000}] + [{"status": 503}] * download.ATTEMPTS
    with pytest.raises(errors.DownloadError, match=r"3 kB: HTTP status 503.*goes on there"):
        fetch()
    assert not (tmp_path / "file.bin").exists()
    assert download.missing_bytes(server.publish(CONTENT), str(tmp_path)) == len(CONTENT) - 3000
    fetch()
    assert server.ranges()[-1] == "bytes=3000-"


def test_a_server_that_always_cuts_is_given_up(fetch, server):
    server.has_ranges, server.troubles = False, [{"cut": 3000}] * 20
    with pytest.raises(errors.DownloadError, match="curl ended with code 18"):
        fetch()
    assert len(server.asked) == download.ATTEMPTS + 1


def test_two_versions_glued_together_are_found_by_the_checksum_and_begun_anew(fetch, server, tmp_path):
    (tmp_path / "file.bin.partial").write_bytes(CONTENT[::-1][:3000])
    fetch()
    assert server.ranges() == ["bytes=3000-", None]


def test_a_partial_file_that_is_too_long_is_begun_anew(fetch, tmp_path):
    (tmp_path / "file.bin.partial").write_bytes(CONTENT + b"more")
    fetch()


def test_wrong_content_is_refused_and_leaves_nothing(fetch, tmp_path):
    with pytest.raises(errors.ChecksumError, match=r"expected the published SHA256 0+.*and came [0-9a-f]{64}"):
        fetch(checksum="sha256:" + "0" * 64)
    assert not list(tmp_path.iterdir())


def test_another_size_is_refused_before_it_is_downloaded(fetch):
    with pytest.raises(errors.DownloadError, match="expected 5 bytes, and the server offers another file"):
        fetch(size=5)


def test_a_missing_file_names_the_status_and_where_to_put_it_by_hand(fetch, server):
    with pytest.raises(errors.DownloadError, match=r"HTTP status 404.*file\.bin and give the same command again"):
        fetch(urls=(server.url + "/gone",))
    assert len(server.asked) == 1


@pytest.mark.parametrize("first", ["/gone", "/replaced"])
def test_a_second_address_is_tried_when_the_first_fails_or_gives_something_else(fetch, server, first):
    server.files["/replaced"] = CONTENT[::-1]
    fetch(urls=(server.url + first, server.url + "/file.bin"))


def test_when_every_address_fails_each_reason_is_said(fetch, server):
    with pytest.raises(errors.DownloadError, match=r"No address.*gone: .*lost: "):
        fetch(urls=(server.url + "/gone", server.url + "/lost"))


def test_no_network_is_said_as_such(fetch, server):
    server.shutdown()
    server.server_close()  # a port that nobody listens at
    with pytest.raises(errors.DownloadError, match=r"attempts came nothing.*curl ended with code 7.*Check the network"):
        fetch()


@pytest.mark.parametrize("trouble", [{"redirect": "/login"}, {"status": 401}, {"status": 403}])
def test_a_login_or_licence_page_is_no_file(fetch, server, tmp_path, trouble):
    server.files["/login"] = b"<html>Please accept the licence</html>"
    server.troubles = [trouble]
    with pytest.raises(errors.AccessError, match=r"licence accepted.*browser.*file\.bin"):
        fetch()
    assert not (tmp_path / "file.bin").exists()


def test_offline_nothing_is_asked_for(fetch, server):
    with pytest.raises(errors.OfflineError, match=r"file\.bin .*not here. Put it there by hand, from http"):
        fetch(offline=True)
    assert not server.asked


def test_a_file_put_there_by_hand_is_checked_and_kept(fetch, tmp_path):
    (tmp_path / "file.bin").write_bytes(CONTENT)
    fetch(offline=True)
    (tmp_path / "file.bin").write_bytes(b"something else")
    with pytest.raises(errors.ChecksumError, match="Delete it"):
        fetch(offline=True)
    assert (tmp_path / "file.bin").read_bytes() == b"something else"


def test_a_disk_that_fills_up_meanwhile_says_so_and_is_not_tried_again(fetch, monkeypatch):
    curl = Mock(return_value=subprocess.CompletedProcess([], 23, b"200 application/octet-stream"))
    monkeypatch.setattr(download.subprocess, "run", curl)
    with pytest.raises(errors.SpaceError, match="no space left for"):
        fetch()
    assert curl.call_count == 1


def test_without_curl_it_is_said_what_to_do(fetch, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(errors.OfflineError, match=r"There is no curl: expected .*file\.bin .*or install curl"):
        fetch()


def test_progress_says_how_much_time_is_left():
    progress = download.Progress("file.bin", 1000_000, "B")
    progress.advance(250_000)
    assert progress.line(progress.begun_at + 60) == "file.bin   25 %  250 kB of 1 MB  4.17 kB/s  3:00 left"
