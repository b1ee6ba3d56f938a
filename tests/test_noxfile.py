"""Sessions install the environments that they need, pass options on, and never install at the same time as another."""

import importlib.util
import os
import subprocess
import sys
import threading

import pytest
from running import ROOT, holder

from bench import registry
from bench.driver import lock
from tasks import posargs
from tasks.installing import Installed


class SessionError(Exception):
    pass


class Session:
    """Records what a session asks Nox for."""

    def __init__(self, *posargs):
        self.posargs, self.notified, self.commands, self.warned, self.logged = list(posargs), [], [], [], []
        self.notify, self.warn, self.log = self.notified.append, self.warned.append, self.logged.append

    def run(self, *words, **limits):
        self.commands.append(words)
        self.limits = limits

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
    """The noxfile with a state folder of its own, in which every environment and the tools can be installed."""
    monkeypatch.setattr(registry, "STATE", str(tmp_path / "state"))
    monkeypatch.setattr(loaded, "installed", Installed())
    monkeypatch.setattr(loaded.installing, "environment", lambda _, row: f"{row.name}/bin/python")
    monkeypatch.setattr(loaded.installing, "tools", lambda *_: "tools/bin/python")
    monkeypatch.setenv("PATH", os.environ["PATH"])
    monkeypatch.setenv("VIRTUAL_ENV", "")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    yield loaded
    loaded.installing.end()


def installed(noxfile, name, *posargs):
    """Return the environments that a session installs."""
    noxfile.installed.pythons.clear()
    getattr(noxfile, name)(Session(*posargs))
    return list(noxfile.installed.pythons)


@pytest.mark.parametrize("name", ["parity", "controls"])
def test_usual_environments_are_installed_and_others_only_if_they_are_named(noxfile, monkeypatch, name):
    usual = registry.usual()
    other = next(name for name in noxfile.ENVIRONMENTS if name not in usual)
    monkeypatch.setattr(noxfile.Path, "read_text", lambda _: "results")
    assert installed(noxfile, name) == installed(noxfile, name, "--force") == usual
    assert installed(noxfile, name, "--environment", usual[0], f"--environment={other}") == [usual[0], other]


def test_a_check_installs_named_environments_or_those_with_a_model_of_the_workload(noxfile, monkeypatch):
    name = next(iter(noxfile.ENVIRONMENTS))
    answering = [each for each in registry.usual() if registry.answers(noxfile.ENVIRONMENTS[each], "linear")]
    assert installed(noxfile, "check", "--workload", "linear") == answering
    assert installed(noxfile, "check", "--workload=linear", f"--environment={name}") == [name]
    monkeypatch.setattr(noxfile.registry, "has_workload", lambda _: True)
    assert installed(noxfile, "check", "--workload", "of_tomorrow") == [], "its statement can be checked"


@pytest.mark.parametrize(
    ("name", "words", "why"),
    [
        ("parity", ["--environment", "yax"], r"There is no environment 'yax'; choose from: .*jax"),
        ("check", [], "Say what is new: nox -s check -- --workload NAME"),
        ("check", ["--workload", "minst"], r"There is no bench/workloads/minst\.py"),
        ("check", ["--workload", "linear", "--environment", "yax"], "There is no environment 'yax'"),
    ],
)
def test_an_unknown_name_is_an_error_before_anything_is_installed(noxfile, name, words, why):
    session = Session(*words)
    with pytest.raises(SessionError, match=why):
        getattr(noxfile, name)(session)
    assert (session.commands, noxfile.installed.pythons) == ([], {})


def test_a_check_gets_all_options(noxfile):
    session = Session("--workload", "linear")
    noxfile.check(session)
    (command,) = session.commands
    assert (command[:4], command[-2:]) == (("python", "-m", "bench", "check"), ("--workload", "linear"))


@pytest.mark.parametrize("name", ["parity", "controls", "check"])
def test_help_installs_no_environment(noxfile, name):
    assert installed(noxfile, name, "--help") == []


@pytest.mark.parametrize(("name", "following"), [("bench", "_rounds"), ("verify", "_verify"), ("era", "_rounds")])
def test_an_internal_session_follows_when_the_environment_is_installed(noxfile, name, following):
    session, environment = Session(), "keras-2.1" if name == "era" else noxfile.DEFAULT[0]
    getattr(noxfile, name)(session, environment)
    assert (session.notified, list(noxfile.installed.pythons)) == ([following], [environment])


def test_only_sessions_that_follow_others_have_names_of_internal_ones(loaded):
    assert [name for name in loaded.nox.registry.get() if name.startswith("_")] == [
        "_against",
        "_bisect",
        "_rounds",
        "_verify",
    ]


def test_verify_measures_into_its_own_folder_and_passes_json_on(noxfile, tmp_path):
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "last-campaign").write_text(str(tmp_path / "results" / "a-machine" / "20261121-010000.jsonl"))
    for words in ([], ["--json"]):
        session = Session(*words)
        noxfile._verify(session)
        measured, concluded = session.commands
        assert "--short" in measured
        assert not [word for word in measured if word.startswith("--budget")], "the short selection has its own"
        assert concluded[3:] == ("verify", str(tmp_path / "results"), "--campaign", "20261121-010000", *words)


def test_hosts_are_compared_without_an_environment_by_files_where_nox_was_called(noxfile, tmp_path):
    session = Session("--compare", "a.json", "/elsewhere/b.json")
    session.invoked_from = tmp_path
    noxfile.verify(session, noxfile.DEFAULT[0])
    noxfile._verify(session)
    assert (noxfile.installed.pythons, session.notified) == ({}, ["_verify"])
    (command,) = session.commands
    assert command[3:] == ("verify", "--compare", str(tmp_path / "a.json"), "/elsewhere/b.json")


def test_a_bench_has_time_to_end_its_workers_after_ctrl_c(noxfile):
    session = Session()
    noxfile.parity(session)
    assert session.limits["interrupt_timeout"] >= 12, "the sampler has two seconds to end, a worker twice five"


def test_if_every_environment_is_absent_the_command_ends_with_2_and_one_paragraph(noxfile, capsys):
    noxfile.installed.absent.update(dict.fromkeys(["jax", "pytorch"], "no Python 3.14 is here"))
    session = Session()
    with pytest.raises(SystemExit) as ended:
        noxfile._rounds(session)
    assert ended.value.code == 2
    assert session.commands == []
    (paragraph,) = capsys.readouterr().err.splitlines()
    assert "jax, pytorch: no Python 3.14 is here." in paragraph


WITHOUT_PYTHON = """
import sys, nox.__main__
from tasks import installing
installing.find_python = lambda *_: None
installing.installer = lambda *_: installing.Installer()
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
        is_warned = threading.Event()
        second.warn = lambda text: (second.warned.append(text), is_warned.set())
        waiting = threading.Thread(target=noxfile.parity, args=[second])
        waiting.start()
        assert is_warned.wait(60)
        assert noxfile.installed.pythons == {}
        first.stdin.close()
        waiting.join(60)
    assert list(noxfile.installed.pythons) == registry.usual()
    assert second.warned == ["Another Nox is installing into this checkout's environments: this one waits for it."]


def test_others_may_install_as_soon_as_the_measuring_session_has_its_tools(noxfile):
    noxfile.bench(Session(), noxfile.DEFAULT[0])
    assert noxfile.installing.is_locked
    noxfile._bench(Session(), "run")
    with lock.locked(registry.STATE, "busy", "install.lock"):
        pass


@pytest.fixture
def no_tests(noxfile, monkeypatch, tmp_path):
    """The noxfile, with records of tests in a folder of its own and with no outcome of a test."""
    monkeypatch.setattr(noxfile.green, "GREEN", tmp_path / "green")
    monkeypatch.setattr(noxfile.green, "TALLY", tmp_path / "tally.json")
    monkeypatch.setattr(noxfile.green, "problem", lambda *_: "")
    return noxfile


@pytest.mark.parametrize("name", ["tests", "environments"])
def test_tests_run_in_the_default_environments_and_in_others_on_request(no_tests, name):
    usual = registry.usual()
    other = next(name for name in no_tests.ENVIRONMENTS if name not in usual)
    assert installed(no_tests, name) == installed(no_tests, name, "-k", "defects") == no_tests.DEFAULT
    assert len(no_tests.DEFAULT) == 6
    assert installed(no_tests, name, "--environment", usual[0], f"--environment={other}") == [usual[0], other]
    assert installed(no_tests, name, "--all") == usual


def test_with_changed_only_changed_environments_are_installed_and_the_log_gives_reasons(no_tests, monkeypatch):
    monkeypatch.setattr(no_tests.green, "choose", lambda names: dict.fromkeys(names, "") | {"jax": "its turn"})
    monkeypatch.setattr(no_tests.green, "conclude", lambda *_: "summary")
    session = Session("--changed")
    no_tests.environments(session)
    assert list(no_tests.installed.pythons) == ["jax"]
    assert "  jax: its turn" in session.logged[0]
    assert "  pytorch: unchanged" in session.logged[0]
    assert session.logged[1] == "summary"


def test_words_for_pytest_are_separated_from_options_that_choose_environments():
    options, words = posargs.options(Session("--changed", "-k", "defects", "--environment", "jax", "-x"))
    assert (options.changed, options.all, options.environment, words) == (True, False, ["jax"], ["-k", "defects", "-x"])


def test_versus_installs_only_what_the_programs_import_and_resolves_paths_where_nox_was_called(noxfile, tmp_path):
    (tmp_path / "mine.py").write_text("import torch")
    (tmp_path / "other.py").write_text("import json")
    session = Session("mine.py", "other.py", "--budget", "60s")
    session.invoked_from = tmp_path
    noxfile.versus(session)
    ((*command,),) = session.commands
    assert list(noxfile.installed.pythons) == ["pytorch"]
    assert command[3:7] == ["versus", f"--folder={tmp_path}", "--python=a=pytorch/bin/python",
                            "--environment=a=pytorch"]  # fmt: skip
    assert command[7:] == ["mine.py", "other.py", "--budget", "60s"]


def test_versus_refuses_a_file_that_does_not_exist_before_anything_is_installed(noxfile, tmp_path):
    session = Session("absent.py", "other.py")
    session.invoked_from = tmp_path
    with pytest.raises(SessionError, match=r"There is no file absent\.py"):
        noxfile.versus(session)
    assert (session.commands, noxfile.installed.pythons) == ([], {})
