"""Campaigns of other places come into one results folder: again and again, in any order, and only right ones."""

import pytest
from replies import BENCH, RUN, line
from running import holder

from bench import __main__ as command_line
from bench.campaign.campaign import CampaignFile
from bench.driver import lock
from bench.errors import BusyError, RecordError
from bench.results import merging, records

NAME = "20261121-010000-node1"


def measured(results, runs=1, name=NAME, machine="test", seed=3, below=()):
    """Write a campaign of some runs; return its file."""
    path = results.joinpath(machine, *below, f"{name}.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    campaign = CampaignFile(str(path), [])
    campaign.write(line(BENCH, seed=seed, machine={**BENCH["machine"], "name": machine}))
    for number in range(runs):
        campaign.write(line(RUN, round=number + 1))
    return path


def merged(tmp_path, *names):
    """Merge folders into "all"; return how many campaigns were new, continued and unchanged."""
    counts = merging.merge([str(tmp_path / name) for name in names], str(tmp_path / "all"))
    return [counts[kind] for kind in merging.KINDS]


def runs(tmp_path, name=NAME):
    return len(records.read(str(tmp_path / "all" / "test" / f"{name}.jsonl"))) - 1


def test_campaigns_of_all_machines_and_of_controls_come_in_once(tmp_path):
    written = [
        measured(tmp_path / "a"),
        measured(tmp_path / "a", machine="other"),
        measured(tmp_path / "b", name="20261122-020000"),
        measured(tmp_path / "b", below=("controls", "planted")),
    ]
    assert merged(tmp_path, "a", "b") == [4, 0, 0]
    assert merged(tmp_path, "a", "b") == [0, 0, 4]
    for path in written:
        place = path.relative_to(tmp_path / path.relative_to(tmp_path).parts[0])
        assert (tmp_path / "all" / place).read_bytes() == path.read_bytes()


def test_a_campaign_that_has_gone_on_replaces_its_beginning_and_never_the_reverse(tmp_path):
    measured(tmp_path / "early", runs=1)
    measured(tmp_path / "late", runs=3)
    assert merged(tmp_path, "early") == [1, 0, 0]
    assert merged(tmp_path, "late", "early") == [0, 1, 0]
    assert runs(tmp_path) == 3
    assert merged(tmp_path, "early") == [0, 0, 1]
    assert runs(tmp_path) == 3


def test_a_line_that_is_being_written_is_left_out_until_it_is_complete(tmp_path):
    whole = measured(tmp_path / "a", runs=2).read_bytes()
    path = measured(tmp_path / "a", name="20261121-010001", runs=1)
    path.write_bytes(b'{"kind": "be')
    (tmp_path / "a" / "test" / f"{NAME}.jsonl").write_bytes(whole[:-20])
    assert merged(tmp_path, "a") == [1, 0, 0]
    assert runs(tmp_path) == 1
    (tmp_path / "a" / "test" / f"{NAME}.jsonl").write_bytes(whole)
    assert merged(tmp_path, "a") == [0, 1, 0]
    assert (tmp_path / "all" / "test" / f"{NAME}.jsonl").read_bytes() == whole


def edited(path):
    path.write_bytes(path.read_bytes().replace(b'"loss_first": 2.3', b'"loss_first": 2.2', 1))


def renamed(path):
    path.rename(path.with_name("20261121-020000.jsonl"))


def moved(path):
    path.parent.rename(path.parent.with_name("another"))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (edited, r"line 2: expected the seal"),
        (renamed, rf"line 1: expected the first line of campaign test/20261121-020000, got test/{NAME}\. Give"),
        (moved, rf"line 1: expected the first line of campaign another/{NAME}, got test/{NAME}\. Give"),
        (lambda path: path.write_text("{}\n"), r"line 1: kind: expected one of"),
        (lambda _: None, rf"test/{NAME}\.jsonl, line 1: expected the same line in both files.*move the wrong file"),
    ],
)
def test_a_wrong_file_is_refused_with_the_reason_and_nothing_is_written(tmp_path, fault, message):
    kept = measured(tmp_path / "all", seed=4)
    before = kept.read_bytes()
    measured(tmp_path / "a", name="20261120-010000")
    fault(measured(tmp_path / "b"))
    with pytest.raises(RecordError, match=message):
        merged(tmp_path, "a", "b")
    assert [path.read_bytes() for path in (tmp_path / "all").rglob("*.jsonl")] == [before]


def test_two_places_that_went_on_with_one_campaign_are_refused(tmp_path):
    measured(tmp_path / "a", runs=2)
    path = measured(tmp_path / "b", runs=1)
    CampaignFile(str(path), records.read(str(path))).write(line(RUN, round=7))
    with pytest.raises(RecordError, match=rf"{NAME}\.jsonl, line 3: expected the same line in both"):
        merged(tmp_path, "a", "b")
    assert not (tmp_path / "all").exists()


def test_a_folder_without_campaigns_is_explained(tmp_path):
    path = measured(tmp_path / "a")
    with pytest.raises(RecordError, match=r"test holds no campaign\. Expected FOLDER/<machine>/<campaign>\.jsonl"):
        merging.merge([str(path.parent)], str(tmp_path / "all"))


def test_results_that_a_bench_writes_are_left_alone(tmp_path):
    measured(tmp_path / "a")
    measured(tmp_path / "all", name="20261120-010000")
    with holder(tmp_path / "all" / "test", lock.FILE) as other:
        with pytest.raises(BusyError, match="is writing into"):
            merged(tmp_path, "a")
        other.kill()
    assert merged(tmp_path, "a") == [1, 0, 0]


def test_the_command_says_what_came_and_ends_with_2_if_it_refuses(tmp_path, capsys):
    path = measured(tmp_path / "a")
    words = ["merge", str(tmp_path / "a"), "--into", str(tmp_path / "all")]
    assert command_line.main(words) == 0
    assert capsys.readouterr().out == f"Campaigns in {tmp_path / 'all'}: 1 new, 0 continued, 0 unchanged.\n"
    edited(path)
    assert command_line.main(words) == 2
    assert "expected the seal" in capsys.readouterr().err
