"""Equal nodes of a cluster: each has a number of its own, and campaigns of its own in one results folder."""

import os
import platform
import subprocess
import sys

import pytest
from replies import BENCH, line
from running import ROOT

from bench.campaign import campaign as campaigns
from bench.driver import node
from bench.results import records
from bench.results.lines import Run

CLAIM = "import sys; from bench.driver import node; print(node.number(sys.argv[1]))"


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({"BENCH_NODE": "mine", "SLURMD_NODENAME": "n7"}, "mine"),
        ({"BENCH_NODE": "", "SLURMD_NODENAME": "n7"}, "n7"),
        ({"BENCH_NODE": "", "SLURMD_NODENAME": ""}, "host"),
    ],
)
def test_a_node_has_the_stated_name_or_slurms_or_the_hosts_without_its_domain(monkeypatch, variables, name):
    monkeypatch.setattr(platform, "node", lambda: "host.example.org")
    for key, value in variables.items():
        monkeypatch.setenv(key, value)
    assert node.name() == name


def test_a_node_keeps_its_number(tmp_path, monkeypatch):
    numbers = []
    for name in ("a", "b", "a", "c", "b"):
        monkeypatch.setenv("BENCH_NODE", name)
        numbers.append(node.number(str(tmp_path / "nodes")))
    assert numbers == [1, 2, 1, 3, 2]
    assert sorted(os.listdir(tmp_path / "nodes")) == ["1", "2", "3"]


def test_nodes_that_begin_at_once_claim_numbers_of_their_own(tmp_path):
    claims = [subprocess.Popen([sys.executable, "-c", CLAIM, str(tmp_path)], cwd=ROOT, text=True,
                               stdout=subprocess.PIPE, env=dict(os.environ, BENCH_NODE=name))
              for name in "abcdef" * 2]  # fmt: skip
    numbers = [int(claim.communicate()[0]) for claim in claims]
    assert numbers[:6] == numbers[6:], "one name claims one number"
    assert sorted(numbers[:6]) == [1, 2, 3, 4, 5, 6]


def begun(folder, number=None):
    """Begin a campaign of a node at 1 o'clock, or go on with it; return its name."""
    return campaigns.begin(str(folder), line(BENCH, campaign="", node=number)).name


def test_an_interrupted_campaign_is_resumed_by_its_own_node_alone(tmp_path):
    numbers = (1, 11, None)
    names = [begun(tmp_path, number) for number in numbers]
    assert names == ["20261121-010000-node1", "20261121-010000-node11", "20261121-010000"]
    assert [begun(tmp_path, number) for number in numbers] == names
    first = [records.read(str(tmp_path / "test" / f"{name}.jsonl"))[0] for name in names]
    assert [each.node for each in first] == [*numbers]


def test_a_file_that_another_node_has_just_created_stays(tmp_path):
    """It is empty until the first line is written, as after a kill."""
    path = tmp_path / "test" / "20261121-005959-node2.jsonl"
    path.parent.mkdir()
    path.touch()
    for number in (1, None):
        begun(tmp_path, number)
    assert path.exists()
    begun(tmp_path, 2)
    assert not path.exists()


def test_two_nodes_measure_into_one_folder_at_once_and_results_hold_no_name(bench):
    words = bench.command("run", "--profile", "smoke", "--workload", "mnist_mlp", "--mode", "plain", "--no-table",
                          "--nodes", str(bench.folder / "nodes"))  # fmt: skip
    names = "secret-a", "secret-b"
    started = [subprocess.Popen(words, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env=dict(bench.environment, BENCH_NODE=name, BENCH_STATE=str(bench.folder / name)))
               for name in names]  # fmt: skip
    output = [process.communicate(timeout=300)[0] for process in started]
    assert [process.returncode for process in started] == [0, 0], output
    paths = sorted(bench.results.glob("*.jsonl"), key=lambda path: path.stem[-1])
    campaign = [records.read(str(path)) for path in paths]
    assert [(path.stem[15:], lines[0].node) for path, lines in zip(paths, campaign, strict=True)] == [
        ("-node1", 1), ("-node2", 2)]  # fmt: skip
    assert all([run.status for run in records.of_class(lines, Run)] == ["ok", "ok"] for lines in campaign)
    assert not any(name in path.read_text() for name in names for path in paths)
