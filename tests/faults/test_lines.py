"""A recorded line stays in its file, and an edited line is found."""

import json
import os
import resource
import signal

import numpy as np
import pytest

from bench.campaign.campaign import CampaignFile, Where, run_record
from bench.cases import Case
from bench.errors import RecordError
from bench.results import lines, records, schema
from bench.results.lines import End

CASE = Case("mnist_mlp", "pytorch", "train", "eager", "fp32", "nchw", "cpu", 128, "rmsprop", "documented", "random")


def line(number, letters=1000):
    return End(campaign="c", ended="2026-11-21T01:00:00Z", rounds=number, reason="x" * letters)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "campaign.jsonl"


def written(path, count):
    campaign = CampaignFile(str(path), [])
    for number in range(count):
        campaign.write(line(number))
    return campaign


def numbers(path):
    return [record.rounds for record in records.read(str(path))]


def in_a_process(act):
    """Run `act` in a new process; return its status, as `os.waitpid` does."""
    child = os.fork()
    if child == 0:
        try:
            act()
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1]


def test_fifty_kills_within_a_write_lose_and_double_no_line(path):
    """Each process writes two lines and is killed within the second, after any number of its bytes."""
    random = np.random.RandomState(0)
    last = 0
    for _ in range(50):
        lines = records.read(str(path)) if path.exists() else []
        if path.exists():
            records.complete(str(path))
        campaign = CampaignFile(str(path), lines)
        assert [record.rounds for record in lines] == list(range(len(lines)))
        assert len(lines) in (last, last + 1, last + 2)
        last = len(lines)

        bytes_ = random.randint(0, 1400)

        def write(campaign=campaign, bytes_=bytes_):
            campaign.write(line(len(campaign.lines)))
            whole_write = os.write

            def cut_off(descriptor, content):
                whole_write(descriptor, content[:bytes_])
                os.kill(os.getpid(), signal.SIGKILL)

            os.write = cut_off
            campaign.write(line(len(campaign.lines)))

        assert in_a_process(write) == signal.SIGKILL
    assert last > 50


def test_a_line_without_space_is_removed_and_the_next_one_follows_when_there_is_space(path):
    """A limit on the file's size simulates a full disk: a write is cut short there, and the next one refused."""
    campaign = written(path, 3)
    before = os.path.getsize(campaign.path)

    def write():
        resource.setrlimit(resource.RLIMIT_FSIZE, (before + 500, before + 500))
        with pytest.raises(RecordError, match=r"campaign\.jsonl cannot be written: File too large\. Make room"):
            campaign.write(line(3))
        os._exit(0)

    assert in_a_process(write) == 0
    assert os.path.getsize(campaign.path) == before
    campaign.write(line(3))
    assert numbers(path) == [0, 1, 2, 3]


def test_a_last_line_without_its_line_break_is_kept_if_it_is_complete(path):
    written(path, 3)
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    assert numbers(path) == [0, 1, 2]
    records.complete(str(path))
    assert path.read_bytes() == content


@pytest.mark.parametrize("left", [1, 10, 500])
def test_a_truncated_last_line_is_not_a_record(path, left):
    written(path, 3)
    whole, _, last = path.read_bytes()[:-1].rpartition(b"\n")
    path.write_bytes(whole + b"\n" + last[:left])
    assert numbers(path) == [0, 1]
    records.complete(str(path))
    CampaignFile(str(path), records.read(str(path))).write(line(7))
    assert numbers(path) == [0, 1, 7]


EDITS = {
    "a changed number": lambda lines: [lines[0], lines[1].replace(b'"rounds": 1', b'"rounds": 9'), *lines[2:]],
    "a line taken out": lambda lines: [lines[0], *lines[2:]],
    "a line doubled": lambda lines: [*lines[:2], lines[1], *lines[2:]],
    "two lines changed over": lambda lines: [lines[0], lines[2], lines[1], *lines[3:]],
    "a seal of another line": lambda lines: [lines[0], lines[1][:-18] + lines[2][-18:], *lines[2:]],
    "a seal taken away": lambda lines: [lines[0], lines[1][: lines[1].index(b', "seal"')] + b"}", *lines[2:]],
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_by_hand_is_refused_with_file_and_line(path, edit):
    written(path, 4)
    path.write_bytes(b"\n".join(EDITS[edit](path.read_bytes().splitlines())) + b"\n")
    with pytest.raises(RecordError, match=r"campaign\.jsonl, line [23]: expected the seal .*restore the file"):
        records.read(str(path))


def test_spaces_and_the_order_of_fields_do_not_count_as_an_edit(path):
    written(path, 2)
    lines = [json.loads(text) for text in path.read_bytes().splitlines()]
    path.write_text("".join(json.dumps(dict(reversed(line.items()))) + " \r\n" for line in lines))
    assert numbers(path) == [0, 1]


def test_every_kind_of_line_can_be_sealed():
    assert all("seal" in schema.fields(kind) for kind in lines.KINDS.values())


def test_a_loss_that_is_not_a_number_is_a_failed_run_and_the_bench_goes_on(path):
    reply = {"status": "ok", "reason": None, "error_tail": None, "duration_s": 2.0, "epoch_s": [1.0], "losses": [1.0],
             "steps_per_epoch": 1, "score": "accuracy", "test_scores": [0.5], "evaluation_s": [0.1]}  # fmt: skip
    case = CASE._replace(task="epochs", data="mnist")
    good, bad = (
        run_record(case, dict(reply, losses=losses), Where(1, 0, 0), "2026-11-21T01:00:00Z", "cold", 1, None)
        for losses in ([1.0, 0.5], [1.0, float("nan"), 0.5])
    )
    assert good.status == "ok"
    assert bad.status == "failed"
    assert "losses[1]: expected number, got nan" in bad.reason
    CampaignFile(str(path), []).write(bad)
