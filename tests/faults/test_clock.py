"""A clock that is set back changes neither order nor durations."""

import time

import pytest
from faulty import PLAIN, RUNS

from analysis.load.table import read_results
from bench import files
from bench.campaign import campaign as campaigns
from bench.results import schema

MACHINE = {"name": "test", "cpu": "cpu", "logical_cpus": 2, "memory_bytes": 1, "system": "Linux", "gpu": None,
           "gpu_driver": None}  # fmt: skip
NOW = 1800000000.0


def begun(folder, monkeypatch, seconds):
    """Begin and end a campaign when the clock shows `seconds` since 1970; return its name."""
    monkeypatch.setattr(time, "gmtime", lambda: time.struct_time(_gmtime(seconds)))
    bench = {"kind": "bench", "schema_version": 1, "started": files.now(), "profile": "quick", "budget_s": 0,
             "seed": 0, "threads": 1, "cases": [], "revision": None, "is_dirty": None, "machine": MACHINE}  # fmt: skip
    campaign = campaigns.begin(str(folder), schema.read({**bench, "campaign": "unnamed"}))
    campaign.end("no case is left to measure")
    return campaign.name


_gmtime = time.gmtime


def test_a_campaign_never_begins_before_the_one_it_follows(tmp_path, monkeypatch):
    names = [begun(tmp_path, monkeypatch, NOW + seconds) for seconds in (0, -3600, -86400 * 365, 10)]
    assert (names, len(set(names))) == (sorted(names), 4)
    assert read_results(tmp_path).campaigns["test"].name == names[-1]
    begun(tmp_path, monkeypatch, NOW - 5)
    assert read_results(tmp_path).campaigns["test"].name == names[-1] + "b"


def test_an_interrupted_campaign_is_resumed_at_any_clock_time(tmp_path, monkeypatch):
    name = begun(tmp_path, monkeypatch, NOW)
    path = tmp_path / "test" / f"{name}.jsonl"
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])  # killed before its end was written
    assert begun(tmp_path, monkeypatch, NOW - 3600) == name


BACKWARDS = """
import itertools, sys, time
real, calls = time.gmtime, itertools.count()
time.gmtime = lambda *_: real(1800000000 - 3600 * next(calls))
time.time = lambda: 1800000000.0 - 3600 * next(calls)
from bench.__main__ import main
sys.exit(main())
"""


@pytest.mark.fault
def test_a_bench_measures_correctly_while_the_clock_runs_backwards(faulty):
    run = faulty.command
    faulty.command = lambda *words: [run(*words)[0], "-c", BACKWARDS, *run(*words)[3:]]
    faulty("run", *PLAIN)
    runs = faulty.runs()
    assert len(runs) == RUNS
    assert all(run.status == "ok" and run.duration_s > 0 and min(run.block_s) > 0 for run in runs)
    started = [run.started for run in runs]
    assert started == sorted(started, reverse=True)  # according to the clock
