"""Campaigns on a real Slurm: equal nodes at once, and jobs that are requeued, cancelled, pre-empted or lost."""

import os
import sys
import tempfile
from pathlib import Path

import pytest
from faulty import PLAIN, FaultyBench, key, until
from one_host_slurm import PACKAGES, OneHostSlurm, missing

from bench.driver import orphans
from bench.results import merging, records
from bench.results.lines import Bench, End, Epochs
from tasks import cluster

pytestmark = pytest.mark.fault
# Two competitors, two rounds; over data, because checks of late steps would take seconds
ROUNDS = ("--profile", "smoke", "--rounds", "2", "--budget", "1h", "--workload", "mnist_mlp", "--mode", "plain",
          "--task", "epochs", "--examples", "256")  # fmt: skip
RUNS = 4  # of a campaign


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    if absent := missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"no {absent[0]} here: apt-get install {PACKAGES}")
    with tempfile.TemporaryDirectory(dir="/tmp") as short:  # the paths of sockets have at most 107 characters
        Path(short, "slurm").symlink_to(tmp_path_factory.mktemp("slurm"))
        with OneHostSlurm(Path(short, "slurm")) as slurm:
            yield slurm


def campaigns(results):
    """Return the lines of each campaign, by the node's number. Reading fails if a line is broken."""
    paths = results.glob("test/*.jsonl")
    return dict(sorted((path.stem.rpartition("-")[2], records.read(str(path))) for path in paths))


class Submitted:
    """Campaigns that a bench submits into an output folder."""

    def __init__(self, slurm, bench):
        self.slurm, self.bench, self.output = slurm, bench, bench.folder / "output"

    def __call__(self, nodes=1, *options, words=ROUNDS):
        kind = cluster.Kind("cpu", "low", nodes, gpus=1, options=options, scratch=str(self.bench.folder))
        return cluster.submit(kind, self.output, sys.executable, self.bench.command("run", *words)[4:])

    def jobs(self, *states):
        """Return the jobs; with `states`, whether these are the states of all jobs."""
        jobs = cluster.jobs(self.output)
        return [job.state for job in jobs] == list(states) if states else jobs

    def campaigns(self):
        return campaigns(self.output / "results")

    def runs(self):
        return [run for lines in self.campaigns().values() for run in records.of_class(lines, Epochs)]

    def check_that_all_rounds_are_there_once(self, *names):
        campaigns = self.campaigns()
        assert list(campaigns) == list(names)
        for lines in campaigns.values():
            runs = records.of_class(lines, Epochs)
            assert isinstance(lines[-1], End)
            assert [run.status for run in runs] == ["ok"] * RUNS
            assert len({key(run) for run in runs}) == RUNS

    def calls(self):
        """Return the calls under way on all nodes."""
        return list(self.bench.folder.glob("rosetta-bench-*/calls/*"))


@pytest.fixture
def submit(slurm, bench, monkeypatch):
    """Submit the NumPy framework's campaign to nodes of a Slurm that is idle before and after."""
    for name, value in {**bench.environment, **slurm.environment, **bench.environment}.items():
        monkeypatch.setenv(name, value)
    submitted = Submitted(slurm, bench)
    yield submitted
    cluster.cancel(submitted.output)
    until(lambda: slurm.idle() == slurm.nodes)


def test_equal_nodes_share_a_results_folder_and_measure_at_the_same_time(submit, bench):
    submit(2)
    until(lambda: submit.jobs("done", "done"))
    submit.check_that_all_rounds_are_there_once("node1", "node2")
    first, second = submit.campaigns().values()
    assert [lines[0].node for lines in (first, second)] == [1, 2]
    assert {job.node for job in submit.jobs()} == set(submit.slurm.nodes)
    assert max(lines[0].started for lines in (first, second)) < min(lines[-1].ended for lines in (first, second))
    collected = bench.folder / "collected"
    for count in ({"new": 2}, {"unchanged": 2}):
        assert merging.merge([str(submit.output / "results")], str(collected)) == count
        assert list(campaigns(collected).values()) == [first, second]


def test_a_requeued_job_loses_and_doubles_no_run(submit, slurm):
    array = submit(1, f"--nodelist={slurm.nodes[0]}")
    until(submit.runs)
    slurm.call("scontrol", "requeue", array + "_1")
    before = submit.runs()
    until(lambda: submit.jobs("done"))
    assert [job.restarts for job in submit.jobs()] == [1]
    submit.check_that_all_rounds_are_there_once("node1")
    assert submit.runs()[: len(before)] == before
    assert submit.calls() == []


def test_a_cancelled_campaign_ends_its_workers_and_leaves_nothing_behind(submit):
    array = submit()
    until(lambda: submit.campaigns() and submit.calls())
    assert cluster.cancel(submit.output) == [array]
    until(lambda: submit.jobs("stopped"))
    assert submit.calls() == []
    assert records.of_class(submit.campaigns()["node1"], End) == []


@pytest.mark.nightly
def test_the_job_of_a_lost_node_begins_a_campaign_on_another_node(submit, slurm):
    submit()
    until(submit.runs)
    (job,) = submit.jobs()
    slurm.lose_node(job.node)
    before = submit.runs()
    until(lambda: submit.jobs("done"), within_s=120)
    (again,) = submit.jobs()
    assert (again.node != job.node, again.restarts) == (True, 1)
    lost, whole = submit.campaigns().values()
    assert records.of_class(lost, Epochs) == before
    assert len(records.of_class(whole, Epochs)) == RUNS
    slurm.start_node(job.node)
    until(lambda: slurm.idle() == slurm.nodes)
    submit(1, f"--nodelist={job.node}")
    until(lambda: submit.jobs("done", "done"))
    submit.check_that_all_rounds_are_there_once("node1", "node2")


@pytest.mark.nightly
def test_a_preempted_campaign_waits_for_the_other_job_and_goes_on(submit, slurm):
    submit(2)
    until(lambda: len({run.campaign for run in submit.runs()}) == 2)
    slurm.call("sbatch", "--partition=high", "--exclusive", "--output=/dev/null", "--wrap=sleep 3")
    until(lambda: submit.jobs("done", "done"), within_s=120)
    assert sorted(job.restarts for job in submit.jobs()) == [0, 1]
    assert {len(records.of_class(lines, Bench)) for lines in submit.campaigns().values()} == {1}
    assert sorted(run.status for run in submit.runs()) == ["ok"] * len(submit.runs())


@pytest.mark.nightly
def test_processes_that_a_killed_job_left_are_ended_by_the_next_job_of_that_node(submit, slurm, tmp_path, monkeypatch):
    """A worker's child that left its session and its parent outlives the job, as Slurm does not find it."""
    (tmp_path / "faulty").mkdir()
    submit.bench = faulty = FaultyBench(tmp_path / "faulty")
    monkeypatch.setenv("FAULTY_LOG", str(faulty.log))
    faulty("run", *PLAIN)  # proves parity
    hang = ("--profile", "smoke", "--mode", "hang", "--workload", "mnist_mlp", "--environment", "faulty-a")
    submit(1, f"--nodelist={slurm.nodes[0]}", words=hang)
    until(lambda: len(faulty.children()) == 2)
    children = set(faulty.children())
    slurm.kill(f"SLURMD_NODENAME={slurm.nodes[0]}", spared=orphans.MARK)
    until(lambda: submit.jobs("lost"))
    until(lambda: set(faulty.left_behind()) == children)
    submit(1, f"--nodelist={slurm.nodes[0]}")
    until(lambda: submit.jobs("lost", "done"))
    assert faulty.left_behind() == []
