"""What the tasks install, what they hand on, and that two of them do not install into one environment at once."""

import importlib.util
import os
import subprocess
import sys
import threading

import pytest
from running import ROOT, holder

from bench import registry
from bench.driver import lock


class SessionError(Exception):
    pass


class Session:
    """Notes what a task asks Nox for."""

    def __init__(self, *posargs):
        self.posargs, self.notified, self.commands, self.warned = list(posargs), [], [], []

    def notify(self, name):
        self.notified.append(name)

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


BARE = """
import runpy, sys
sys.modules.update(dict.fromkeys({absent!r}))  # as where they are not installed
runpy.run_path("noxfile.py", run_name="noxfile")
"""


def test_the_noxfile_needs_nothing_but_nox():
    absent = [
        "numpy",
        "scipy",
        "pandas",
        "matplotlib",
        "seaborn",
        "msgspec",
        "jinja2",
        "yaml",
        "PIL",
        "psutil",
        "mkdocs",
    ]
    done = subprocess.run([sys.executable, "-c", BARE.format(absent=absent)], cwd=ROOT, capture_output=True, text=True,
                          check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.fixture
def noxfile(loaded, monkeypatch, tmp_path):
    """The noxfile, with a state of the test's own, and tools that are there."""
    monkeypatch.setattr(registry, "STATE", str(tmp_path / "state"))
    monkeypatch.setattr(loaded.installing, "tools", lambda *_: "tools/bin/python")
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.setenv("VIRTUAL_ENV", "")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
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
    assert session.notified == session.commands == []


def test_a_check_is_told_all_that_was_said(noxfile):
    session = Session("--workload", "linear")
    noxfile.examine(session)
    (command,) = session.commands
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


def test_if_every_environment_is_absent_the_command_ends_with_2_and_one_paragraph(noxfile, monkeypatch, capsys):
    monkeypatch.setattr(noxfile, "absent", {"jax": "no Python 3.14 is here", "pytorch": "no Python 3.14 is here"})
    monkeypatch.setattr(noxfile, "pythons", {})
    session = Session()
    with pytest.raises(SystemExit) as ended:
        noxfile.rounds(session)
    assert ended.value.code == 2
    assert session.commands == []
    (paragraph,) = capsys.readouterr().err.splitlines()
    assert "jax, pytorch: no Python 3.14 is here." in paragraph


WITHOUT_PYTHON = """
import sys, nox.__main__
from tasks import installing
installing.find_python = lambda *_: None
installing.installer = lambda *_: installing.Pip()
sys.argv = ["nox", "--envdir", sys.argv[1], "-s", "bench(jax)", "bench(tensorflow)"]
nox.__main__.main()
"""


def test_a_machine_without_a_suitable_python_ends_the_whole_command_with_2(tmp_path):
    environ = {**os.environ, "BENCH_STATE": str(tmp_path / "state")}
    command = [sys.executable, "-c", WITHOUT_PYTHON, str(tmp_path / "environments")]
    done = subprocess.run(command, cwd=ROOT, env=environ, text=True, capture_output=True, check=False, timeout=120)
    assert done.returncode == 2, done.stderr
    paragraph = done.stderr.splitlines()[-1]
    assert paragraph.startswith("No environment can be used, so there is nothing to run. jax: no Python 3.11 or 3.12")
    assert "tensorflow: no Python 3.11 or 3.12 or 3.13 is on this machine, and uv" in paragraph
    assert "install one, for example by `pyenv install 3.11`" in paragraph
    assert paragraph.endswith("Then give the same command again.")


def test_a_session_runs_with_the_programs_of_the_tools_environment(noxfile):
    noxfile.unit(Session())
    assert os.environ["PATH"].split(os.pathsep)[0] == "tools/bin"
    assert os.environ["VIRTUAL_ENV"] == "tools"
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ, "every run would compile its framework again"


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
    with lock.locked(registry.STATE, "busy", "install.lock"):
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
