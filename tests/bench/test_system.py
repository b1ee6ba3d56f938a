"""A compiler that the system lacks is found; tests/test_installing.py has what names it and installs it."""

from types import SimpleNamespace

import pytest

from bench import machine, registry
from bench.campaign import preflight
from bench.cases import Selection, select


@pytest.fixture(autouse=True)
def _fresh():
    machine._has.cache_clear()
    yield
    machine._has.cache_clear()


def test_a_compiler_may_have_another_name(monkeypatch):
    monkeypatch.setenv("CXX", "python3")
    assert machine.missing_packages({"g++": "g++"}) is None


def test_a_row_that_r_starts_is_absent_without_r(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    system = registry.environment("keras-2.1-r").system
    assert machine.missing_packages({"r-base-core": system["r-base-core"]}) == (
        "the system lacks Rscript: run apt-get install r-base-core"
    )
    absent = {"r-cran-reticulate": str(tmp_path / "reticulate.so")}
    assert machine.missing_packages(absent).endswith("reticulate.so: run apt-get install r-cran-reticulate")


def test_cases_whose_mode_needs_a_compiler_are_absent_without_one(monkeypatch):
    monkeypatch.setenv("CXX", "absent++")
    row = registry.environment("pytorch")
    prepared = SimpleNamespace(environments={row.name: row}, absent={}, proofs={(row.name, "linear"): "a proof"})
    wanted = Selection(workloads=["linear"], tasks=["train"], tiers=["documented", "matched", "tuned"])
    cases = select(wanted, {row.name: "cpu"})
    refused = preflight.unable(cases, prepared)
    assert {case.mode for case in cases if case.id not in refused} == {"eager", "channels_last"}
    assert {reason for case_id, reason in refused.items() if "/compiled/" in case_id} == {
        ("absent", "in mode compiled: the system lacks g++: run apt-get install g++")
    }
