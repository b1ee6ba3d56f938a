"""Shared by the tests of controls: where they are measured, and under which names."""

import argparse
import contextlib
import sys

import pytest
from control_runs import Measured

from bench import profiles, registry
from bench.campaign import preflight
from bench.controls import asking, twins
from bench.replies import Probed


@pytest.fixture
def place(tmp_path, frameworks, monkeypatch):
    """One environment at hand, its probe made up: what is tested starts no process."""
    monkeypatch.setattr(twins, "KEYS", str(tmp_path / "keys"))
    monkeypatch.setattr(profiles, "CONTROL", profiles.CONTROL._replace(least_turns=3, most_turns=3))
    monkeypatch.setattr(twins, "Watch", lambda _: contextlib.nullcontext())
    known = registry.environments(frameworks)
    probe = Probed("3.11.1", "cpu", {}, {}, [])
    proofs = {("numpy-a", "mnist_mlp"): "0" * 16}
    arguments = argparse.Namespace(
        environment=[], rounds=2, timeout=None, seed=0, threads=1, frameworks=frameworks, fresh=False,
        results=str(tmp_path / "results"),
    )  # fmt: skip
    machine = {"name": "test", "cpu": "CPU", "logical_cpus": 1, "memory_bytes": 1, "system": "Linux", "gpu": None,
               "gpu_driver": None}  # fmt: skip
    return preflight.Prepared(
        known,
        {"numpy-a": sys.executable},
        {"numpy-a": probe},
        {},
        {"numpy-a": "cpu"},
        proofs,
        arguments,
        print,
        machine,
    )


@pytest.fixture
def interrupted(place, monkeypatch):
    """Planted slow-downs, interrupted in their second round."""
    stand_in = Measured(monkeypatch, interrupted_after=15)
    with pytest.raises(KeyboardInterrupt):
        twins.measure_planted(place)
    return stand_in


@pytest.fixture
def two(place, monkeypatch, tmp_path):
    """Two environments at hand that answer the lightest workload."""
    monkeypatch.setattr(twins, "LIGHT", "mnist_mlp")
    monkeypatch.setattr(asking, "CACHE", str(tmp_path / "cache"))
    both = ("numpy-a", "numpy-b")
    place.arguments.rounds = None
    return place._replace(
        pythons=dict.fromkeys(both, sys.executable), probes=dict.fromkeys(both, place.probes["numpy-a"]),
        devices=dict.fromkeys(both, "cpu"), proofs={(name, "mnist_mlp"): "0" * 16 for name in both},
    )  # fmt: skip
