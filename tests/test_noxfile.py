"""What the tasks install, what they hand on, and that two of them do not install into one environment at once."""

import importlib.util
import json
import threading
from types import SimpleNamespace

import pytest
from running import ROOT, holder

import installing
from bench import lock, registry


class SessionError(Exception):
    pass


class Session:
    """Notes what a task asks Nox for."""

    def __init__(self, *posargs):
        self.posargs, self.notified, self.installed, self.commands, self.warned = list(posargs), [], [], [], []

    def notify(self, name):
        self.notified.append(name)

    def install(self, *words):
        self.installed.append(words)

    def run(self, *words, **limits):
        self.commands.append(words)
        self.limits = limits

    def warn(self, text):
        self.warned.append(text)

    def log(self, text):
        self.logged = text

    def error(self, text):
        raise SessionError(text)


@pytest.fixture(scope="module")
def loaded():
    spec = importlib.util.spec_from_file_location("noxfile", ROOT / "noxfile.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def noxfile(loaded, monkeypatch, tmp_path):
    """The noxfile, with a state of the test's own."""
    monkeypatch.setattr(registry, "STATE", str(tmp_path / "state"))
    yield loaded
    loaded.installing.end()


def followed(task, *posargs):
    """Return what a task queues."""
    session = Session(*posargs)
    task(session)
    return session.notified


def installs(names):
    return [f"install({name})" for name in names]


@pytest.mark.parametrize("name", ["parity", "controls"])
def test_only_the_environments_that_are_named_are_installed_and_a_further_version_only_then(noxfile, name):
    usual, task = registry.usual(), getattr(noxfile, name)
    further = next(each for each in noxfile.ENVIRONMENTS if each not in usual)
    assert followed(task) == followed(task, "--force") == installs(usual)
    assert followed(task, "--environment", usual[0], f"--environment={further}") == installs([usual[0], further])


def test_a_check_installs_what_is_named_or_what_answers_the_workload_that_is(noxfile, monkeypatch):
    name = next(iter(noxfile.ENVIRONMENTS))
    answering = [each for each in registry.usual() if registry.answers(noxfile.ENVIRONMENTS[each], "linear")]
    assert followed(noxfile.check, "--workload", "linear") == installs(answering)
    assert followed(noxfile.check, "--workload=linear", f"--environment={name}") == installs([name])
    monkeypatch.setattr(noxfile.registry, "has_workload", lambda _: True)
    assert followed(noxfile.check, "--workload", "of_tomorrow") == ["examine"], "its statement can be checked"


@pytest.mark.parametrize(
    ("name", "words", "why"),
    [
        ("parity", ["--environment", "yax"], r"There is no environment 'yax'; choose from: .*jax"),
        ("check", [], "Say what is new: nox -s check -- --workload NAME"),
        ("check", ["--workload", "minst"], r"There is no bench/workloads/minst\.py"),
        ("check", ["--workload", "linear", "--environment", "yax"], "There is no environment 'yax'"),
    ],
)
def test_what_is_not_there_is_said_before_anything_is_installed(noxfile, name, words, why):
    session = Session(*words)
    with pytest.raises(SessionError, match=why):
        getattr(noxfile, name)(session)
    assert session.notified == session.installed == []


def test_a_check_runs_with_numpy_and_the_ruff_of_lint_and_is_told_all_that_was_said(noxfile):
    session = Session("--workload", "linear")
    noxfile.examine(session)
    (installed,), (command,) = session.installed, session.commands
    assert {"numpy", "ruff", "tests/requirements-lint.txt"} <= set(installed)
    assert "ruff==" in (ROOT / "tests" / "requirements-lint.txt").read_text(encoding="utf-8")
    assert command[:4] == ("python", "-m", "bench", "check")
    assert command[-2:] == ("--workload", "linear")


@pytest.mark.parametrize(("name", "then"), [("parity", "compare"), ("controls", "judge"), ("check", "examine")])
def test_help_installs_no_framework(noxfile, name, then):
    assert followed(getattr(noxfile, name), "--help") == [then]


def test_verify_measures_apart_and_hands_json_on(noxfile, tmp_path):
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "last-campaign").write_text(str(tmp_path / "results" / "a-machine" / "20261121-010000.jsonl"))
    for words in ([], ["--json"]):
        session = Session(*words)
        noxfile.verdict(session)
        measured, told = session.commands
        assert "--short" in measured
        assert not [word for word in measured if word.startswith("--budget")], "the short selection has its own"
        assert told[3:] == ("verify", str(tmp_path / "results"), "--campaign", "20261121-010000", *words)


def test_a_bench_has_time_to_end_its_workers_after_ctrl_c(noxfile):
    session = Session()
    noxfile.compare(session)
    assert session.limits["interrupt_timeout"] >= 12, "the sampler has two seconds to end, a worker twice five"


@pytest.mark.parametrize(("stamp", "clears"), [(None, False), ("same", False), ("other", True)])
def test_an_environment_whose_pins_changed_is_made_anew(monkeypatch, tmp_path, stamp, clears):
    row = registry.environment("pytorch")
    monkeypatch.setattr(installing, "_pip", lambda *_: None)
    session = Session()
    session.python, session.virtualenv = "python3.11", SimpleNamespace(location=str(tmp_path))
    known = tmp_path / "installed-pins.json"
    if stamp == "other":
        known.write_text("[[], []]")
    if stamp == "same":
        assert installing.install_pins(session, row) is None
    assert installing.install_pins(session, row) is None
    anew = [("python3.11", "-m", "venv", "--clear", str(tmp_path))]
    assert session.commands == (anew if clears else [])
    assert row.cpu[0] in json.loads(known.read_text())[1]


def test_a_second_nox_waits_until_the_first_has_installed_and_says_so(noxfile, monkeypatch):
    monkeypatch.setattr(lock, "PAUSE_S", 0.01)
    with holder(registry.STATE, "install.lock") as first:
        second = Session()
        told = threading.Event()
        second.warn = lambda text: (second.warned.append(text), told.set())
        waiting = threading.Thread(target=noxfile.parity, args=[second])
        waiting.start()
        assert told.wait(60)
        assert second.notified == []
        first.stdin.close()
        waiting.join(60)
    assert second.notified == installs(registry.usual())
    assert second.warned == ["Another Nox is installing into this checkout's environments: this one waits for it."]


def test_others_may_install_as_soon_as_what_follows_has_its_tools(noxfile):
    noxfile.parity(Session())
    assert noxfile.installing.is_held
    noxfile.compare(Session())
    with lock.Lock(registry.STATE, "busy", "install.lock"):
        pass


@pytest.mark.parametrize("name", ["tests", "environments"])
def test_tests_run_in_the_default_environments_and_in_others_if_asked(noxfile, monkeypatch, name):
    monkeypatch.setattr(noxfile, "reasons", {})
    task, usual = getattr(noxfile, name), registry.usual()
    further = next(each for each in noxfile.ENVIRONMENTS if each not in usual)
    assert followed(task) == followed(task, "-k", "defects") == installs(noxfile.DEFAULT)
    assert len(noxfile.DEFAULT) == 6
    noxfile.reasons.clear()
    assert followed(task, "--environment", usual[0], f"--environment={further}") == installs([usual[0], further])
    noxfile.reasons.clear()
    assert followed(task, "--all") == installs(usual)


def test_tests_of_what_changed_install_nothing_else_and_say_why(noxfile, monkeypatch):
    monkeypatch.setattr(noxfile, "reasons", {})
    monkeypatch.setattr(noxfile.green, "choose", lambda names: dict.fromkeys(names, "") | {"jax": "its turn"})
    session = Session("--changed")
    noxfile.environments(session)
    assert session.notified == ["install(jax)"]
    assert "  jax: its turn" in session.logged
    assert "  pytorch: unchanged" in session.logged
