"""What is read of a program's frameworks, and how causes are found from it."""

import os
import sys
import types

import pytest

from bench.versus import causes, measuring
from bench.versus.inside import facts

OWN = """
IMPORT = "fake_framework"
VARIABLES = {"FAKE_DUMP": "{folder}", "FAKE_LOG": "all"}
calls = []
def before():
    import sys
    calls.append(("before", hasattr(sys.modules[IMPORT], "VALUE")))
def begin_steps():
    calls.append("begin")
def wait():
    return "fake.synchronize"
def facts(program):
    return {"threads": 2, "batch_size": None, "compiled": calls + [program.looked_steps]}
"""


@pytest.fixture
def known(tmp_path, monkeypatch):
    """Return own_programs.py of a framework that can be imported."""
    (tmp_path / "frameworks" / "fake").mkdir(parents=True)
    (tmp_path / "frameworks" / "fake" / "own_programs.py").write_text(OWN)
    (tmp_path / "frameworks" / "without").mkdir()
    (tmp_path / "fake_framework.py").write_text("VALUE = 1")
    monkeypatch.setattr(facts.registry, "FRAMEWORKS", str(tmp_path / "frameworks"))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("FAKE_DUMP", "FAKE_LOG"):
        monkeypatch.setenv(name, "")
        del os.environ[name]
    yield facts.every()
    sys.modules.pop("fake_framework", None)


def program_of(known):
    return types.SimpleNamespace(waits=facts.Waits(known), run=lambda steps: [1.0] * steps)


def test_a_framework_is_asked_only_if_the_program_imported_it(known):
    assert program_of(known).waits() == []
    assert facts.collect(program_of(known), list)["facts"] == {}
    import fake_framework  # noqa: F401

    assert program_of(known).waits() == ["fake.synchronize"]


def test_hooks_are_installed_right_after_the_import_and_facts_follow_the_steps(known, tmp_path):
    facts.prepare(known, str(tmp_path))
    import fake_framework  # noqa: F401

    found = facts.collect(program_of(known), list)
    assert found["facts"] == {"fake_framework": {"threads": 2, "compiled": [("before", True), "begin", 4]}}
    assert len(found["losses"]) == facts.FIRST_STEPS + facts.LOOKED_STEPS


def test_variables_are_set_before_the_import(known, tmp_path):
    facts.prepare(known, str(tmp_path))
    assert os.environ["FAKE_LOG"] == "all"
    assert os.path.isdir(os.environ["FAKE_DUMP"])


def test_a_variable_of_the_user_is_kept(known, tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_LOG", "mine")
    facts.prepare(known, str(tmp_path))
    assert os.environ["FAKE_LOG"] == "mine"


def test_a_fact_that_cannot_be_read_is_unknown_with_its_reason(known):
    import fake_framework  # noqa: F401

    known[0].facts = lambda _: 1 / 0
    found = facts.collect(program_of(known), list)
    assert (found["facts"], found["problems"]) == ({}, ["fake_framework: ZeroDivisionError: division by zero"])


def side(name, **known):
    return causes.Side(name, "", {"fake": known}, 1.0, 2.0, 1.0)


def probe(finds, name="versus_probe_x", **constants):
    module = types.ModuleType(name, "A cause.")
    module.__dict__.update(find=finds, **constants)
    return module


def test_a_cause_on_one_side_comes_before_what_both_programs_do():
    def eager(one, _):
        return causes.Finding("evidence", "remedy") if one.fact("compiled") == [] else None

    found = causes.find(side("a", compiled=[]), side("b", compiled=["graph"]), [probe(eager)])
    assert [(cause.side, cause.is_on_both) for cause in found] == [("a", False)]
    both = causes.find(side("a", compiled=[]), side("b", compiled=[]), [probe(eager)])
    assert [(cause.side, cause.is_on_both) for cause in both] == [("a", True), ("b", True)]


def test_an_unknown_fact_is_no_cause():
    def eager(one, _):
        return causes.Finding("evidence", "remedy") if one.fact("compiled") == [] else None

    assert causes.find(side("a"), side("b"), [probe(eager)]) == []


def test_a_difference_is_listed_once_and_other_work_first():
    def costs(one, _):
        return causes.Finding("evidence", "remedy", cost_s=0.5) if one.name == "a" else None

    def differs(one, other):
        return causes.Finding("evidence", "remedy") if one.facts("threads") != other.facts("threads") else None

    known = [probe(costs), probe(differs, "versus_probe_y", IS_DIFFERENCE=True, IS_WORK=True)]
    found = causes.find(side("a", threads=1), side("b", threads=2), known)
    assert [(cause.probe, cause.side) for cause in found] == [("y", ""), ("x", "a")]


def test_programs_share_the_memory_of_a_gpu_unless_the_user_decides(monkeypatch):
    monkeypatch.setattr(measuring.machine, "gpu", lambda: (None, None))
    measuring.sharing.cache_clear()
    assert measuring.sharing() == {}
    monkeypatch.setattr(measuring.machine, "gpu", lambda: ("a GPU", "1.0"))
    measuring.sharing.cache_clear()
    assert measuring.sharing()["XLA_PYTHON_CLIENT_PREALLOCATE"] == "false"
    measuring.sharing.cache_clear()


def test_a_probe_that_fails_costs_no_measurement():
    problems = []
    broken = probe(lambda one, _: 1 / one.fact("threads"))
    assert causes.find(side("a", threads=0), side("b", threads=0), [broken], problems) == []
    assert problems == ["x failed: ZeroDivisionError: division by zero"]


def test_every_probe_states_its_cause():
    for module in causes.probes():
        assert module.__doc__.strip()
        assert callable(module.find)


@pytest.mark.parametrize("name", ["before", "begin_steps"])
def test_a_hook_that_fails_ends_neither_the_import_nor_the_look(known, tmp_path, name):
    setattr(known[0], name, lambda: 1 / 0)
    facts.prepare(known, str(tmp_path))
    import fake_framework  # noqa: F401

    problems = facts.collect(program_of(known), list)["problems"]
    assert problems == ["fake_framework: ZeroDivisionError: division by zero"]
